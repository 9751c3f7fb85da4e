import { binsPerBlock, nearEdge } from './blocks.js';
import { percentile, percentiles, samplesFor } from './distribution.js';
import { createHistogram } from './histogram.js';

/** Spans are joined until they last this long. */
const leastSpanMs = 1000;

/** When the units of a series of blocks were due: broadcasts, or slices of the schedule. */
export interface BlockTimes {
  /** Times count from the start of this stage. */
  stage: string;
  /** To unit 0, and from each unit to the next. */
  firstMs: number;
  everyMs: number;
  units: number;
  /** Independent samples of a unit at most: 1 for a broadcast; left out where each sample is one. */
  independentEach?: number;
}

/** Samples of sends due in a span, in microseconds; a percentile without enough samples is null. */
export interface Span {
  fromMs: number;
  toMs: number;
  count: number;
  p50: number | null;
  p99: number | null;
  /** The slowest sample; null without any. */
  max: number | null;
}

/** A metric over time from its blocks, in spans of at least a second; `startMs` is the start of the stage. */
export function spansOf(counts: Uint32Array, times: BlockTimes, startMs: number): Span[] {
  const blocks = counts.length / binsPerBlock;
  const unitAt = (block: number): number => Math.ceil((block * times.units) / blocks);
  const edgeMs = (block: number): number => startMs + times.firstMs + unitAt(block) * times.everyMs;
  const spans: Span[] = [];
  for (let block = 0, first = 0; block < blocks; block++) {
    const [fromMs, toMs] = [edgeMs(first), edgeMs(block + 1)];
    if (toMs - fromMs < leastSpanMs && block + 1 < blocks) continue;
    const bins = counts.subarray(first * binsPerBlock, (block + 1) * binsPerBlock);
    const units = unitAt(block + 1) - unitAt(first);
    spans.push({ fromMs, toMs, ...figuresOf(bins, (count) => independentIn(times, units, count)) });
    first = block + 1;
  }
  return spans;
}

/** How many of a count of samples are independent, in so many units. */
export function independentIn({ independentEach }: Pick<BlockTimes, 'independentEach'>, units: number, count: number) {
  return independentEach === undefined ? count : Math.min(count, units * independentEach);
}

/** Count, percentiles and maximum of binned samples, of all blocks together. */
export function figuresOf(
  blocks: Uint32Array,
  independentOf: (count: number) => number = (count) => count,
): Pick<Span, 'count' | 'p50' | 'p99' | 'max'> {
  const histogram = createHistogram();
  blocks.forEach((count, at) => {
    const bin = at % binsPerBlock;
    if (count > 0) histogram.recordValueWithCount((nearEdge(bin) + nearEdge(bin + 1)) / 2, count);
  });
  // Not `summarize`: its mean walks through every bucket, 20 ms for each second of a run.
  const count = histogram.totalCount;
  const independent = independentOf(count);
  const at = (p: number): number | null =>
    independent < samplesFor(p) ? null : percentile({ kind: 'histogram', histogram }, p);
  const max = percentile({ kind: 'histogram', histogram }, 1);
  return { count, p50: at(percentiles.p50), p99: at(percentiles.p99), max };
}
