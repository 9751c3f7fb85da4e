import type { LoopSource } from '../../src/wire/turns.js';

/** An event loop told what to do: time passes asleep or at work, and the check phase comes when the test says so. */
export class ScriptedLoop implements LoopSource {
  private now = 1009;
  private idle = 0;
  private waited = 0;
  private callbacks: (() => void)[] = [];

  nowNs = () => this.now;
  idleNs = () => this.idle;
  coreWaitNs = () => this.waited;
  afterPoll = (callback: () => void) => {
    this.callbacks.push(callback);
  };

  sleep(ns: number): void {
    this.now += ns;
    this.idle += ns;
  }

  work(ns: number): void {
    this.now += ns;
  }

  /** The process is stopped in a sleep: nothing counts it as a wait. */
  stop(ns: number): void {
    this.sleep(ns);
  }

  /** The loop is woken, and gets no core: libuv counts it as sleep. */
  waitForCore(ns: number): void {
    this.sleep(ns);
    this.waited += ns;
  }

  /** Awake, the thread loses its core. */
  starve(ns: number): void {
    this.work(ns);
    this.waited += ns;
  }

  checkPhase(): void {
    const callbacks = this.callbacks;
    this.callbacks = [];
    for (const callback of callbacks) callback();
  }
}
