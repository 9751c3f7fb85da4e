import { eventLoop, type LoopSource } from '../../../src/wire/turns.js';

/** Describes the event loop on which a metronome keeps time. Tests inject their own. */
export interface Loop extends Omit<LoopSource, 'coreWaitNs'> {
  /** Runs `callback` after at least about `ms`. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export const loop: Loop = {
  ...eventLoop,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Describes when bytes were read, and the earliest time at which they can have been readable. */
export interface Read {
  atNs: number;
  readableFromNs: number;
}

/** Stamps reads and bounds the time that bytes waited before: the sleep of this poll, or the previous poll. */
export class Reads {
  /** A moment between two polls, and the total sleep of the loop until then. */
  #markNs: number;
  #markIdleNs: number;
  /** The previous mark. A poll lies between the two. */
  #markBeforeNs: number;
  #isMarking = false;

  constructor(private readonly loop: Loop) {
    this.#markNs = loop.nowNs();
    this.#markBeforeNs = this.#markNs;
    this.#markIdleNs = loop.idleNs();
  }

  /** Marks a turn of the loop. Call it in many turns: the last mark before a sleep bounds the next reads. */
  markTurn(): void {
    if (this.#isMarking) return;
    this.#isMarking = true;
    this.loop.afterPoll(this.#mark);
  }

  /** Returns the times of a read. Call it immediately after the read. */
  stamp(): Read {
    const atNs = this.loop.nowNs();
    const sleptNs = this.loop.idleNs() - this.#markIdleNs;
    this.markTurn();
    return { atNs, readableFromNs: sleptNs > 0 ? this.#markNs + sleptNs : this.#markBeforeNs };
  }

  // It runs at most once a turn: without a poll between them, two marks would bound too tightly.
  readonly #mark = (): void => {
    this.#isMarking = false;
    this.#markBeforeNs = this.#markNs;
    this.#markNs = this.loop.nowNs();
    this.#markIdleNs = this.loop.idleNs();
  };
}
