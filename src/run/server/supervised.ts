import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import type { Away, RunningTarget } from '../../targets/launch/process.js';
import { fewestProcesses } from '../../targets/target.js';
import type { Plan } from '../plan/plan.js';
import type { PlannedTarget } from './planned.js';
import { restartExternal } from './restart-external.js';

/** For the command, and for the first connection after it. */
const restartWithinMs = 60_000;
const answersWithinMs = 30_000;
const askAgainAfterMs = 50;

/** Whether each start of a target has processes of its own: a managed one has, an external one if it is restarted. */
export function hasFreshProcesses(target: PlannedTarget): boolean {
  return target.isOurs || target.restart !== undefined;
}

/**
 * Restarts an external target that names how, and waits until it takes connections again; leaves every other one alone.
 * Gives the fault of a target that did not come back.
 */
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
  const { protocol, hostname, port } = new URL(wsUrl);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'wss:' ? 443 : 80) };
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

/** Undefined once a connection is open. */
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

/** Waits until this process closes the pipe or is gone, then lets all groups go on. */
const waker = 'read -r _; for group; do kill -CONT "-$group" 2> /dev/null; done';

/** Groups of processes, by the pid that leads each, to stop for a while. However this process ends, they go on. */
export class StoppableGroups {
  readonly #waker: ChildProcess;
  readonly #gone: Promise<unknown>;

  /** Before any group stops, a process starts that outlives this one. */
  constructor(leaders: readonly number[]) {
    this.#waker = spawn('sh', ['-c', waker, 'waker', ...leaders.map(String)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Its own group: what kills that of this process must not reach it.
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

  /** Lets all go on. Call it before they end: later their numbers may be those of others. */
  async end(): Promise<void> {
    this.#waker.stdin?.end();
    await this.#gone;
  }
}

/** A group that is gone needs no signal. */
function signal(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A process that we started, or several as one. Ends that we did not cause are reported. */
export class Supervised {
  /** Resolves, with how it ended, only if it ends by itself. */
  readonly gone: Promise<string>;
  readonly #what: string;
  #running: RunningTarget;
  #isEnding = false;
  #acting: Promise<unknown> = Promise.resolve();
  #tellGone: (how: string) => void = () => undefined;

  /** `what` names it in messages: `target`. */
  constructor(what: string, running: RunningTarget) {
    this.#what = what;
    this.#running = running;
    this.gone = new Promise<string>((resolve) => {
      this.#tellGone = resolve;
    });
    this.#look();
  }

  get running(): RunningTarget {
    return this.#running;
  }

  /** Ends it and starts it again; gives how many processes are new. Rejects with a `TargetStartError`. */
  restart(signal: 'SIGTERM' | 'SIGKILL', away: Away): Promise<number> {
    const replaced = this.#restart(signal, away);
    this.#acting = replaced.catch(() => undefined);
    return replaced;
  }

  async #restart(signal: 'SIGTERM' | 'SIGKILL', away: Away): Promise<number> {
    const before = new Set(this.#running.pids);
    this.#isEnding = true;
    this.#running = await this.#running.restart(signal, away);
    this.#isEnding = false;
    this.#look();
    return this.#running.pids.filter((pid) => !before.has(pid)).length;
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    // A pending restart starts a process that must be stopped, too.
    await this.#acting;
    this.#isEnding = true;
    await this.#running.stop();
  }

  #look(): void {
    const { pid, exited } = this.#running;
    void exited.then(({ code, signal }) => {
      if (this.#isEnding) return;
      const how = signal ? `signal ${signal}` : `exit code ${code}`;
      this.#tellGone(`the ${this.#what} process ${pid} ended by itself (${how})`);
    });
  }
}

/** How many processes the target of a plan is: as many as were asked for, or as few as it can be. */
export function processesOf({ target, fleet }: Pick<Plan, 'target' | 'fleet'>): number {
  return fleet.targetProcesses ?? (target.isOurs ? fewestProcesses(target.target) : 1);
}
