import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

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
