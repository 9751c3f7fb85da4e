import type { Loop } from '../../servers/metronome/pacer.js';

/** What a turn of the fake loop takes. */
const turnNs = 3_000;

/** The test double of the event loop: time passes where a test says so, and a turn that does not sleep takes 3 µs. */
export class FakeLoop implements Loop {
  /** Turns that did not sleep. */
  turns = 0;
  #nowNs = 0;
  #checks: (() => void)[] = [];
  #timers: { atNs: number; callback: () => void }[] = [];

  /** Timers fire late by `latenessNs`. */
  constructor(private readonly latenessNs = 0) {}

  nowNs(): number {
    return this.#nowNs;
  }

  afterPoll(callback: () => void): void {
    this.#checks.push(callback);
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { atNs: this.#nowNs + Math.max(1, ms) * 1e6 + this.latenessNs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Lets time pass in which callbacks keep the loop busy. */
  work(ms: number): void {
    this.#nowNs += ms * 1e6;
  }

  /** Runs the loop for so long. */
  run(ms: number): void {
    const endNs = this.#nowNs + ms * 1e6;
    while (this.#nowNs < endNs) {
      if (this.#checks.length > 0) {
        const checks = this.#checks;
        this.#checks = [];
        this.turns++;
        this.#nowNs += turnNs;
        for (const check of checks) check();
        continue;
      }
      const next = this.#timers.reduce((first, each) => Math.min(first, each.atNs), endNs);
      this.#nowNs = Math.max(this.#nowNs, next);
      const due = this.#timers.filter(({ atNs }) => atNs <= this.#nowNs);
      this.#timers = this.#timers.filter(({ atNs }) => atNs > this.#nowNs);
      for (const { callback } of due) callback();
    }
  }
}
