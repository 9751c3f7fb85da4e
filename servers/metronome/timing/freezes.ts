import type { Freeze } from '../../../src/targets/metronome/orders.js';

/** When the target stands still: one window for each stream, counted from its first broadcast. Times in nanoseconds of `nowNs()`. */
export class Freezes {
  readonly #order: Freeze | undefined;
  readonly #windows: { fromNs: number; untilNs: number }[] = [];

  constructor(order: Freeze | undefined) {
    this.#order = order;
  }

  /** Tells that a stream had its first broadcast. */
  begin(firstNs: number): void {
    if (this.#order === undefined) return;
    const fromNs = firstNs + this.#order.atMs * 1e6;
    this.#windows.push({ fromNs, untilNs: fromNs + this.#order.forMs * 1e6 });
  }

  /** When the freeze that holds at `nowNs` ends; `nowNs` itself where none does. */
  untilNs(nowNs: number): number {
    let until = nowNs;
    for (const window of this.#windows) {
      if (window.fromNs <= nowNs && window.untilNs > until) until = window.untilNs;
    }
    return until;
  }

  /** When the last freeze before `nowNs` ended: what is written now and was due before that has waited for it. -Infinity where none was. */
  thawedNs(nowNs: number): number {
    let thawed = Number.NEGATIVE_INFINITY;
    for (const { untilNs } of this.#windows) if (untilNs <= nowNs && untilNs > thawed) thawed = untilNs;
    return thawed;
  }
}
