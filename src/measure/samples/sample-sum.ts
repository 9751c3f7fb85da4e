import type { JsHistogram } from 'hdr-histogram-js';
import { createHistogram, recordSorted, recordTally } from './histogram.js';
import type { Samples } from './samples.js';
import { pagesAtMost, Tally } from './tally.js';

/** Up to so many samples stay a list: 16 MB. */
const listedAtMost = 4_000_000;

/**
 * Distributions added one after another, in any order: a list, a tally of many samples, or a histogram as soon as one
 * of them is one, or if a tally would be too large. Inputs are never changed.
 */
export class SampleSum {
  readonly #listedAtMost: number;
  readonly #pagesAtMost: number;
  #lists: Uint32Array[] = [];
  #listed = 0;
  #tally: Tally | undefined;
  #histogram: JsHistogram | undefined;

  constructor(listed = listedAtMost, pages = pagesAtMost) {
    this.#listedAtMost = listed;
    this.#pagesAtMost = pages;
  }

  add(samples: Samples): void {
    if (samples.kind === 'raw') this.#addList(samples.values);
    else if (samples.kind === 'tally') this.#addTally(samples.tally);
    else this.#asHistogram().add(samples.histogram);
  }

  #addList(values: Uint32Array): void {
    if (this.#histogram) recordSorted(this.#histogram, values);
    else if (this.#tally) this.#intoTally(this.#tally, values);
    else this.#list(values);
  }

  #list(values: Uint32Array): void {
    this.#lists.push(values);
    this.#listed += values.length;
    if (this.#listed > this.#listedAtMost) this.#asTally();
  }

  #addTally(more: Tally): void {
    const tally = this.#histogram ? undefined : this.#asTally();
    if (tally && tally.pagesWithAll(more) <= this.#pagesAtMost) tally.addAll(more);
    else recordTally(this.#asHistogram(), more);
  }

  #intoTally(tally: Tally, values: Uint32Array): void {
    if (tally.pagesWith(values) <= this.#pagesAtMost) tally.add(values);
    else recordSorted(this.#asHistogram(), values);
  }

  /** Undefined if what was listed is too far apart. */
  #asTally(): Tally | undefined {
    if (this.#tally) return this.#tally;
    const lists = this.#lists;
    this.#lists = [];
    this.#tally = new Tally();
    for (const values of lists) this.#addList(values);
    return this.#tally;
  }

  #asHistogram(): JsHistogram {
    if (this.#histogram) return this.#histogram;
    const histogram = createHistogram();
    for (const values of this.#lists) recordSorted(histogram, values);
    if (this.#tally) recordTally(histogram, this.#tally);
    this.#lists = [];
    this.#tally = undefined;
    this.#histogram = histogram;
    return histogram;
  }

  /** All that was added. */
  finish(): Samples {
    if (this.#histogram) return { kind: 'histogram', histogram: this.#histogram };
    if (this.#tally) return { kind: 'tally', tally: this.#tally };
    const values = new Uint32Array(this.#listed);
    let at = 0;
    for (const list of this.#lists) {
      values.set(list, at);
      at += list.length;
    }
    return { kind: 'raw', values: values.sort() };
  }
}

/** Merges distributions in any order. */
export function mergeSamples(list: readonly Samples[]): Samples {
  const sum = new SampleSum();
  for (const samples of list) sum.add(samples);
  return sum.finish();
}
