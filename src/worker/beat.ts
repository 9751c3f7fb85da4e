import { loopTickMs } from './self.js';

const beatsPerSecond = 4;
const beatMs = 1000 / beatsPerSecond;

interface BeatEvents {
  /** Called every `tickMs`, or later on a busy loop. */
  tick(nowMs: number): void;
  /** Receives the worst delay of the current second, or of one that ended since the last beat (`isSecond`). */
  beat(loopDelayMs: number, isSecond: boolean): void;
}

/** Calls `beat` four times a second since `startedNs`, in step with all workers of the same start. */
export class Beat {
  readonly #startedMs: number;
  readonly #ticks: NodeJS.Timeout;
  #tickedMs = performance.now();
  #worstMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #number = 0;
  #seconds = 0;

  constructor(
    startedNs: number,
    private readonly events: BeatEvents,
  ) {
    this.#startedMs = startedNs / 1e6;
    this.#ticks = setInterval(() => this.#tick(), loopTickMs);
    this.#await();
  }

  #tick(): void {
    this.#worstMs = this.loopDelayMs;
    this.#tickedMs = performance.now();
    this.events.tick(this.#tickedMs);
  }

  #await(): void {
    this.#number = Math.floor((performance.now() - this.#startedMs) / beatMs) + 1;
    const dueMs = this.#startedMs + this.#number * beatMs;
    this.#timer = setTimeout(() => this.#due(), Math.max(1, Math.ceil(dueMs - performance.now())));
  }

  #due(): void {
    // A blocked loop skips beats, and one of them may end a second.
    const seconds = Math.floor(this.#number / beatsPerSecond);
    const isSecond = seconds > this.#seconds;
    this.#seconds = seconds;
    this.events.beat(this.loopDelayMs, isSecond);
    if (isSecond) this.#worstMs = 0;
    this.#await();
  }

  /** Returns the worst delay of the current second, an overdue tick included. */
  get loopDelayMs(): number {
    return Math.max(this.#worstMs, performance.now() - this.#tickedMs - loopTickMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#ticks);
  }
}
