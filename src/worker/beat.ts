import { tickMs } from './loop-delays.js';

const beatsPerSecond = 4;
const beatMs = 1000 / beatsPerSecond;

interface BeatEvents {
  /** Every `tickMs`, as the loop allows. */
  tick(nowMs: number): void;
  /** Told the worst delay of this loop in the second that goes on, or has just ended, and whether one has ended since the beat before. */
  beat(loopDelayMs: number, isSecond: boolean): void;
}

/** Calls `beat` four times in every second since `startedNs`, in step with all others of the same start, until it is stopped. */
export class Beat {
  readonly #startedMs: number;
  readonly #events: BeatEvents;
  readonly #ticks: NodeJS.Timeout;
  #tickedMs = performance.now();
  #worstMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #number = 0;
  #seconds = 0;

  constructor(startedNs: number, events: BeatEvents) {
    this.#startedMs = startedNs / 1e6;
    this.#events = events;
    this.#ticks = setInterval(() => this.#tick(), tickMs);
    this.#await();
  }

  #tick(): void {
    this.#worstMs = this.loopDelayMs;
    this.#tickedMs = performance.now();
    this.#events.tick(this.#tickedMs);
  }

  #await(): void {
    this.#number = Math.floor((performance.now() - this.#startedMs) / beatMs) + 1;
    const dueMs = this.#startedMs + this.#number * beatMs;
    this.#timer = setTimeout(() => this.#due(), Math.max(1, Math.ceil(dueMs - performance.now())));
  }

  #due(): void {
    // A loop that was held up leaves beats out, and one that ends a second may be among them.
    const seconds = Math.floor(this.#number / beatsPerSecond);
    const isSecond = seconds > this.#seconds;
    this.#seconds = seconds;
    this.#events.beat(this.loopDelayMs, isSecond);
    if (isSecond) this.#worstMs = 0;
    this.#await();
  }

  /** The worst so far in the second that goes on, with a tick that is overdue. */
  get loopDelayMs(): number {
    return Math.max(this.#worstMs, performance.now() - this.#tickedMs - tickMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#ticks);
  }
}
