import type { JsHistogram } from 'hdr-histogram-js';
import { createHistogram, recordSorted, recordTally } from './histogram.js';
import type { Samples } from './samples.js';
import { pagesAtMost, Tally } from './tally.js';

/** Up to so many samples stay a list: 16 MB. */
const listedAtMost = 4_000_000;

/**
 * Sums distributions in any order. The sum is a list or, for many samples, a tally. It is a histogram as soon as an
 * input is one, or if the tally would be too large. Inputs are never changed.
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

  /** Returns a tally. Undefined if the listed values are too far apart. */
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

type Counts = Record<string, number>;

/** Merges records. `add` joins the values of a name; the first value joins undefined. */
function joined<T>(
  list: readonly Readonly<Record<string, T>>[],
  add: (sum: T | undefined, each: T, name: string) => T,
): Record<string, T> {
  const total: Record<string, T> = {};
  for (const record of list) {
    for (const [name, each] of Object.entries(record)) total[name] = add(total[name], each, name);
  }
  return total;
}

export function sumCounts(list: readonly Counts[]): Counts {
  return joined<number>(list, (sum = 0, each) => sum + each);
}

/** Returns the longest time of each span, by name. */
export function longestOf(list: readonly Counts[]): Counts {
  return joined<number>(list, (longest = 0, ms) => Math.max(longest, ms));
}

export function sumCauses(list: readonly Record<string, Counts>[]): Record<string, Counts> {
  return joined<Counts>(list, (sum = {}, counts) => sumCounts([sum, counts]));
}

/** Adds series element by element. Throws RangeError if their lengths differ. */
export function sumSeries(list: readonly Record<string, Uint32Array>[]): Record<string, Uint32Array> {
  return joined<Uint32Array>(list, (sum, values, name) => {
    if (!sum) return values.slice();
    return addSeries(sum, values, name);
  });
}

/** Adds a series to a sum, element by element, and returns the sum. Throws RangeError if their lengths differ. */
export function addSeries(sum: Uint32Array, values: Uint32Array, name: string): Uint32Array {
  if (sum.length !== values.length)
    throw new RangeError(`series ${name}: ${values.length} values beside ${sum.length}`);
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (values[at] as number);
  return sum;
}

/** Adds events per second. A shorter timeline continues with zeros. */
export function sumTimelines(list: readonly Record<string, number[]>[]): Record<string, number[]> {
  return joined<number[]>(list, (sum = [], seconds) => {
    while (sum.length < seconds.length) sum.push(0);
    for (const [at, value] of seconds.entries()) sum[at] = (sum[at] as number) + value;
    return sum;
  });
}
