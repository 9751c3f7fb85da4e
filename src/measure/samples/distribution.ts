import type { JsHistogram } from 'hdr-histogram-js';
import { binsPerBlock, nearEdge } from './blocks.js';
import { createHistogram, eachValue, type Samples, sampleCount } from './samples.js';

export const percentiles = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999 } as const;

const spellings: Readonly<Record<string, string>> = { p999: 'p99.9' };

/** Returns the name of a figure: `p99.9` for `p999`. */
export function spelled(figure: string): string {
  return spellings[figure] ?? figure;
}

/** A percentile with fewer independent samples beyond it is not printed: one or two chance values would set it. */
export const minSamplesBeyond = 5;

type Figure = number | null;

/** Holds a distribution in `unit`. Null: too few samples, or the figure falls on `unfinished` ones, which rank last. */
export type Summary = Record<keyof typeof percentiles | 'min' | 'max' | 'mean', Figure> & {
  unit: string;
  count: number;
  unfinished?: number | undefined;
  /** Number of independent samples. Left out if all are independent. */
  independent?: number | undefined;
};

// Shares become integers first: 0.07 * 100 is more than 7, and its rank would be one too high.
const whole = 1_000_000;

/** Summarizes samples. Of a histogram, figures are far edges of buckets (0.1 %), and min is the near edge. */
export function summarize(samples: Samples, unit = 'us', unfinished = 0, independent?: number): Summary {
  const count = sampleCount(samples);
  const carrying = carryingOf({ count, unfinished, independent });
  const figures = Object.fromEntries(
    Object.entries(percentiles).map(([name, p]) => {
      return [name, carrying >= samplesFor(p) ? percentile(samples, p, unfinished) : null];
    }),
  ) as Record<keyof typeof percentiles, Figure>;
  return {
    ...{ unit, count, ...(unfinished > 0 && { unfinished }), ...(independent !== undefined && { independent }) },
    min: minOf(samples),
    ...figures,
    ...{ max: percentile(samples, 1, unfinished), mean: unfinished > 0 ? null : meanOf(samples) },
  };
}

export function samplesFor(p: number): number {
  return Math.ceil((minSamplesBeyond * whole) / (whole - millionths(p)));
}

/** Returns the number of independent samples behind the percentiles of a distribution. */
export function carryingOf({
  count,
  unfinished = 0,
  independent,
}: Pick<Summary, 'count' | 'unfinished' | 'independent'>) {
  return independent ?? count + unfinished;
}

/** Returns a percentile by nearest rank, with `unfinished` samples last. Null on one of them. Throws RangeError. */
export function percentile(samples: Samples, p: number, unfinished = 0): number | null {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`no percentile: ${p}`);
  const count = sampleCount(samples);
  if (count === 0) return null;
  const share = millionths(p);
  // ceil(count * share / whole), exact for any count.
  const all = count + unfinished;
  const rank = Math.floor(all / whole) * share + Math.ceil(((all % whole) * share) / whole);
  const place = Math.max(rank, 1);
  if (place > count) return null;
  if (samples.kind === 'raw') return samples.values[place - 1]!;
  if (samples.kind === 'histogram') return valueAtRank(samples.histogram, place);
  const { values, times } = samples.tally;
  let at = 0;
  for (let seen = times[0]!; seen < place; ) seen += times[++at]!;
  return values[at]!;
}

function millionths(p: number): number {
  return Math.round(p * whole);
}

function valueAtRank(histogram: JsHistogram, rank: number): number {
  let index = 0;
  for (let seen = histogram.getCountAtIndex(0); seen < rank; ) seen += histogram.getCountAtIndex(++index);
  return histogram.highestEquivalentValue(histogram.valueFromIndex(index));
}

function minOf(samples: Samples): Figure {
  const first = percentile(samples, 0);
  return samples.kind !== 'histogram' || first === null ? first : samples.histogram.lowestEquivalentValue(first);
}

function meanOf(samples: Samples): Figure {
  const count = sampleCount(samples);
  if (count === 0) return null;
  if (samples.kind === 'histogram') return samples.histogram.mean;
  let sum = 0;
  eachValue(samples, (value, times) => {
    sum += value * times;
  });
  return sum / count;
}

/** Spans are joined until they last this long. */
const leastSpanMs = 1000;

/** Says when the units of a series of blocks were due. A unit is a broadcast or a slice of the schedule. */
export interface BlockTimes {
  stage: string;
  /** Milliseconds to unit 0, and from each unit to the next. */
  firstMs: number;
  everyMs: number;
  units: number;
  /** Returns the milliseconds to a unit, if they are not due evenly. */
  atMs?: (unit: number) => number;
  /** Maximum of independent samples of a unit: 1 for a broadcast. Left out if each sample is one. */
  independentEach?: number;
}

/** Holds samples of sends due in a span, in microseconds. A percentile without enough samples is null. */
export interface Span {
  fromMs: number;
  toMs: number;
  count: number;
  p50: number | null;
  p99: number | null;
  max: number | null;
}

/** Returns a metric over time from its blocks, in spans of at least a second. `startMs` is the start of the stage. */
export function spansOf(counts: Uint32Array, times: BlockTimes, startMs: number): Span[] {
  const blocks = counts.length / binsPerBlock;
  const unitAt = (block: number): number => Math.ceil((block * times.units) / blocks);
  const atMs = times.atMs ?? ((unit: number): number => times.firstMs + unit * times.everyMs);
  const edgeMs = (block: number): number => startMs + atMs(unitAt(block));
  const spans: Span[] = [];
  for (let block = 0, first = 0; block < blocks; block++) {
    const [fromMs, toMs] = [edgeMs(first), edgeMs(block + 1)];
    if (toMs - fromMs < leastSpanMs && block + 1 < blocks) continue;
    const bins = counts.subarray(first * binsPerBlock, (block + 1) * binsPerBlock);
    const units = unitAt(block + 1) - unitAt(first);
    const { p95: _, ...figures } = figuresOf(bins, (count) => independentIn(times, units, count));
    spans.push({ fromMs, toMs, ...figures });
    first = block + 1;
  }
  return spans;
}

export function independentIn({ independentEach }: Pick<BlockTimes, 'independentEach'>, units: number, count: number) {
  return independentEach === undefined ? count : Math.min(count, units * independentEach);
}

/** Returns count, percentiles and maximum of binned samples, of all blocks together. */
export function figuresOf(
  blocks: Uint32Array,
  independentOf: (count: number) => number = (count) => count,
): Pick<Span, 'count' | 'p50' | 'p99' | 'max'> & { p95: number | null } {
  const histogram = createHistogram();
  blocks.forEach((count, at) => {
    const bin = at % binsPerBlock;
    if (count > 0) histogram.recordValueWithCount((nearEdge(bin) + nearEdge(bin + 1)) / 2, count);
  });
  // Does not use `summarize`: its mean reads every bucket, 20 ms for each second of a run.
  const count = histogram.totalCount;
  const independent = independentOf(count);
  const at = (p: number): number | null =>
    independent < samplesFor(p) ? null : percentile({ kind: 'histogram', histogram }, p);
  const max = percentile({ kind: 'histogram', histogram }, 1);
  return { count, p50: at(percentiles.p50), p95: at(percentiles.p95), p99: at(percentiles.p99), max };
}
