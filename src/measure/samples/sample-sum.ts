import type { JsHistogram } from 'hdr-histogram-js';
import type { Samples } from './samples.js';
import {
  createHistogram,
  distinctAtMost,
  emptyTally,
  type MoreSamples,
  recordSorted,
  type Tally,
  withMore,
} from './samples.js';

/** Up to so many samples stay a list: 16 MB. */
const listedAtMost = 4_000_000;

/** Sums distributions in any order: as a list, for many samples as a tally, else as a histogram. Keeps its inputs. */
export class SampleSum {
  #lists: Uint32Array[] = [];
  #listed = 0;
  #tally: Tally | undefined;
  #histogram: JsHistogram | undefined;

  constructor(
    private readonly listed = listedAtMost,
    private readonly distinct = distinctAtMost,
  ) {}

  add(samples: Samples): void {
    if (samples.kind === 'histogram') this.#asHistogram().add(samples.histogram);
    else if (samples.kind === 'tally') this.#count(samples.tally);
    else if (this.#histogram) recordSorted(this.#histogram, samples.values);
    else if (this.#tally) this.#count({ values: samples.values, count: samples.values.length });
    else this.#list(samples.values);
  }

  #list(values: Uint32Array): void {
    this.#lists.push(values);
    this.#listed += values.length;
    if (this.#listed > this.listed) this.#count(emptyTally);
  }

  #count(samples: MoreSamples): void {
    const lists = this.#lists.splice(0).map((values): MoreSamples => ({ values, count: values.length }));
    for (const each of [...lists, samples]) {
      const more = this.#histogram ? undefined : withMore(this.#tally ?? emptyTally, each);
      if (more && more.values.length <= this.distinct) this.#tally = more;
      else recordSorted(this.#asHistogram(), each.values, each.times);
    }
  }

  #asHistogram(): JsHistogram {
    if (this.#histogram) return this.#histogram;
    this.#histogram = createHistogram();
    for (const values of this.#lists) recordSorted(this.#histogram, values);
    if (this.#tally) recordSorted(this.#histogram, this.#tally.values, this.#tally.times);
    [this.#lists, this.#tally] = [[], undefined];
    return this.#histogram;
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

export function mergeSamples(list: readonly Samples[]): Samples {
  const sum = new SampleSum();
  for (const samples of list) sum.add(samples);
  return sum.finish();
}

export type Counts = Record<string, number>;

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
  for (let at = 0; at < sum.length; at++) sum[at]! += values[at]!;
  return sum;
}

export function sumTimelines(list: readonly Record<string, number[]>[]): Record<string, number[]> {
  return joined<number[]>(list, (sum = [], seconds) => {
    while (sum.length < seconds.length) sum.push(0);
    for (const [at, value] of seconds.entries()) sum[at]! += value;
    return sum;
  });
}
