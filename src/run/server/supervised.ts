import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Away, RunningTarget } from '../../targets/launch/process.js';
import { fewestProcesses } from '../../targets/target.js';
import type { Plan } from '../plan/plan.js';

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
