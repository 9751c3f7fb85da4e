import { type Loop, loop as ownLoop } from './loop.js';

/** When bytes were read, and the earliest time at which they can have been readable. */
export interface Read {
  atNs: number;
  readableFromNs: number;
}

/**
 * Stamps reads, and bounds how long what is read can have waited for this loop: whatever was readable at a poll is read in that poll's turn. What is
 * read after a sleep became readable after the sleep began, and the loop woke for it; what is read without one was not there at the poll before.
 */
export class Reads {
  readonly #loop: Loop;
  /** A moment between two polls, and how long the loop had slept until then. */
  #markNs: number;
  #markIdleNs: number;
  /** The mark before; a poll lies between the two. */
  #markBeforeNs: number;
  #isMarking = false;

  constructor(loop: Loop = ownLoop) {
    this.#loop = loop;
    this.#markNs = loop.nowNs();
    this.#markBeforeNs = this.#markNs;
    this.#markIdleNs = loop.idleNs();
  }

  /** To be called in as many turns as can be: the last mark before a sleep bounds what is read after it. */
  markTurn(): void {
    if (this.#isMarking) return;
    this.#isMarking = true;
    this.#loop.afterPoll(this.#mark);
  }

  /** To be called first thing when bytes were read. */
  stamp(): Read {
    const atNs = this.#loop.nowNs();
    const sleptNs = this.#loop.idleNs() - this.#markIdleNs;
    this.markTurn();
    return { atNs, readableFromNs: sleptNs > 0 ? this.#markNs + sleptNs : this.#markBeforeNs };
  }

  // At most once a turn: two marks with no poll between them would bound too tightly.
  readonly #mark = (): void => {
    this.#isMarking = false;
    this.#markBeforeNs = this.#markNs;
    this.#markNs = this.#loop.nowNs();
    this.#markIdleNs = this.#loop.idleNs();
  };
}
