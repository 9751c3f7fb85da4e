import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const beatsPerSecond = 4;
const beatMs = 1000 / beatsPerSecond;
const resolutionMs = 10;

/** Calls `beat` four times in every second since `startedNs`, in step with all others of the same start, until it is stopped. */
export class Beat {
  readonly #startedMs: number;
  readonly #beat: (loopDelayMs: number, isSecond: boolean) => void;
  /** Beside that of the verdict's figures, which no look may disturb. */
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  #timer: NodeJS.Timeout | undefined;
  #number = 0;
  #seconds = 0;
  #worstLateMs = 0;

  /** `beat` is told the worst delay of this loop in the second that goes on, or has just ended, and whether one has ended since the beat before. */
  constructor(startedNs: number, beat: (loopDelayMs: number, isSecond: boolean) => void) {
    this.#startedMs = startedNs / 1e6;
    this.#beat = beat;
    this.#delay.enable();
    this.#await();
  }

  #await(): void {
    this.#number = Math.floor((performance.now() - this.#startedMs) / beatMs) + 1;
    const dueMs = this.#startedMs + this.#number * beatMs;
    this.#timer = setTimeout(() => this.#due(dueMs), Math.max(1, Math.ceil(dueMs - performance.now())));
  }

  #due(dueMs: number): void {
    // A timer has whole milliseconds.
    this.#worstLateMs = Math.max(this.#worstLateMs, performance.now() - dueMs - 1);
    // A loop that was held up leaves beats out, and one that ends a second may be among them.
    const seconds = Math.floor(this.#number / beatsPerSecond);
    const isSecond = seconds > this.#seconds;
    this.#seconds = seconds;
    this.#beat(this.loopDelayMs, isSecond);
    if (isSecond) {
      this.#worstLateMs = 0;
      this.#delay.reset();
    }
    this.#await();
  }

  /** The worst so far in the second that goes on. */
  get loopDelayMs(): number {
    const worstMs = this.#delay.count > 0 ? this.#delay.max / 1e6 - resolutionMs : 0;
    return Math.max(0, worstMs, this.#worstLateMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#delay.disable();
  }
}
