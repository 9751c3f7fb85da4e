import type { Away, RunningTarget } from '../../targets/launch/process.js';

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
