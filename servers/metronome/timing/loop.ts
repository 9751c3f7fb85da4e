import { eventLoop, type LoopSource } from '../../../src/wire/turns.js';

/** The event loop that a metronome keeps its time on; a test injects its own. */
export interface Loop extends Omit<LoopSource, 'coreWaitNs'> {
  /** Runs `callback` after at least about `ms`; gives what calls it off. */
  after(ms: number, callback: () => void): () => void;
}

/** The loop of this process. */
export const loop: Loop = {
  ...eventLoop,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** When bytes were read, and the earliest time at which they can have been readable. */
export interface Read {
  atNs: number;
  readableFromNs: number;
}

/** Stamps reads, and bounds how long what is read can have waited: since the sleep of its poll, or the poll before. */
export class Reads {
  /** A moment between two polls, and how long the loop had slept until then. */
  #markNs: number;
  #markIdleNs: number;
  /** The mark before; a poll lies between the two. */
  #markBeforeNs: number;
  #isMarking = false;

  constructor(private readonly loop: Loop) {
    this.#markNs = loop.nowNs();
    this.#markBeforeNs = this.#markNs;
    this.#markIdleNs = loop.idleNs();
  }

  /** Call it in as many turns as possible: the last mark before a sleep bounds what is read after it. */
  markTurn(): void {
    if (this.#isMarking) return;
    this.#isMarking = true;
    this.loop.afterPoll(this.#mark);
  }

  /** Call it first thing after a read. */
  stamp(): Read {
    const atNs = this.loop.nowNs();
    const sleptNs = this.loop.idleNs() - this.#markIdleNs;
    this.markTurn();
    return { atNs, readableFromNs: sleptNs > 0 ? this.#markNs + sleptNs : this.#markBeforeNs };
  }

  // At most once a turn: without a poll between them two marks bound too tightly.
  readonly #mark = (): void => {
    this.#isMarking = false;
    this.#markBeforeNs = this.#markNs;
    this.#markNs = this.loop.nowNs();
    this.#markIdleNs = this.loop.idleNs();
  };
}
