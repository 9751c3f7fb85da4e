import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import type { Away, RunningTarget } from '../../targets/launch/process.js';
import { fewestProcesses } from '../../targets/target.js';
import { hostOf } from '../../units/addresses.js';
import type { Plan } from '../plan/plan.js';
import type { PlannedTarget } from './planned.js';
import { restartExternal } from './restart-external.js';

/** Covers the command and the first connection after it. */
const restartWithinMs = 60_000;
const answersWithinMs = 30_000;
const askAgainAfterMs = 50;

/** Returns true if each start of a target has new processes. */
export function hasFreshProcesses(target: PlannedTarget): boolean {
  return target.isOurs || target.restart !== undefined;
}

/** Restarts an external target that names a restart. Returns the fault of one that does not come back. */
export async function freshProcesses(target: PlannedTarget, over: AbortSignal): Promise<ProblemError | undefined> {
  if (target.isOurs || !target.restart) return undefined;
  try {
    await restartExternal(target.restart, AbortSignal.any([over, AbortSignal.timeout(restartWithinMs)]));
    await answering(target.wsUrl, over);
    return undefined;
  } catch (error) {
    return new ProblemError([problem('targetFailed', `${target.name}: ${(error as Error).message}`)]);
  }
}

async function answering(wsUrl: string, over: AbortSignal): Promise<void> {
  const { protocol, port } = new URL(wsUrl);
  const address = { host: hostOf(wsUrl), port: Number(port) || (protocol === 'wss:' ? 443 : 80) };
  const untilMs = performance.now() + answersWithinMs;
  let seen = 'no answer';
  while (performance.now() < untilMs && !over.aborted) {
    const fault = await connecting(address);
    if (fault === undefined) return;
    seen = fault;
    await delay(askAgainAfterMs);
  }
  throw new Error(`it took no connection within ${answersWithinMs / 1000} s after its restart: ${seen}`);
}

function connecting(address: { host: string; port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: answersWithinMs });
    const end = (fault?: string): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('timeout'));
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) => end(code ?? message));
  });
}

/** Waits until this process closes the pipe or is gone. Then resumes all groups. */
const waker = 'read -r _; for group; do kill -CONT "-$group" 2> /dev/null; done';

/** Stops groups of processes for a while, by the pid of each leader. They resume however this process ends. */
export class StoppableGroups {
  readonly #waker: ChildProcess;
  readonly #gone: Promise<unknown>;

  /** Before any group stops, starts a process that outlives this one. */
  constructor(leaders: readonly number[]) {
    this.#waker = spawn('sh', ['-c', waker, 'waker', ...leaders.map(String)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // A group of its own, so that a signal to the group of this process does not reach it.
      detached: true,
    });
    this.#gone = once(this.#waker, 'exit');
  }

  stop(leader: number): void {
    signal(leader, 'SIGSTOP');
  }

  goOn(leader: number): void {
    signal(leader, 'SIGCONT');
  }

  /** Resumes all groups. Call it before the groups end, as the system may reuse their numbers later. */
  async end(): Promise<void> {
    this.#waker.stdin?.end();
    await this.#gone;
  }
}

function signal(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Watches a process that we started, or several as one. Reports ends that we did not cause. */
export class Supervised {
  /** Resolves with the reason, only if the process ends by itself. */
  readonly gone: Promise<string>;
  #isEnding = false;
  #acting: Promise<unknown> = Promise.resolve();
  #tellGone: (how: string) => void = () => undefined;

  constructor(
    private readonly what: string,
    public running: RunningTarget,
  ) {
    this.gone = new Promise<string>((resolve) => {
      this.#tellGone = resolve;
    });
    this.#look();
  }

  /** Ends the process and starts it again. Returns the number of new processes. Rejects with a `TargetStartError`. */
  restart(signal: 'SIGTERM' | 'SIGKILL', away: Away): Promise<number> {
    const replaced = this.#restart(signal, away);
    this.#acting = replaced.catch(() => undefined);
    return replaced;
  }

  async #restart(signal: 'SIGTERM' | 'SIGKILL', away: Away): Promise<number> {
    const before = new Set(this.running.pids);
    this.#isEnding = true;
    this.running = await this.running.restart(signal, away);
    this.#isEnding = false;
    this.#look();
    return this.running.pids.filter((pid) => !before.has(pid)).length;
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    // A pending restart starts a process that must be stopped, too.
    await this.#acting;
    this.#isEnding = true;
    await this.running.stop();
  }

  #look(): void {
    const { pid, exited } = this.running;
    void exited.then(({ code, signal }) => {
      if (this.#isEnding) return;
      const how = signal ? `signal ${signal}` : `exit code ${code}`;
      this.#tellGone(`the ${this.what} process ${pid} ended by itself (${how})`);
    });
  }
}

/** Returns the number of processes of a plan's target: the number that the user gave, or the fewest possible. */
export function processesOf({ target, fleet }: Pick<Plan, 'target' | 'fleet'>): number {
  return fleet.targetProcesses ?? (target.isOurs ? fewestProcesses(target.target) : 1);
}
