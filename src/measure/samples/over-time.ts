import { binsPerBlock, nearEdge } from './blocks.js';
import { percentile, percentiles, samplesFor } from './distribution.js';
import { createHistogram } from './histogram.js';

/** Spans are put together until they last this long. */
const leastSpanMs = 1000;

/** When the units were intended that a series of blocks counts by: broadcasts of a schedule, or slices of it. */
export interface BlockTimes {
  /** The stage whose start they are counted from. */
  stage: string;
  /** From there to unit 0, and from each unit to the next. */
  firstMs: number;
  everyMs: number;
  units: number;
}

/** Samples of the sends that were intended in a span of time, in microseconds; a percentile that their count can't carry is null. */
export interface Span {
  fromMs: number;
  toMs: number;
  count: number;
  p50: number | null;
  p99: number | null;
}

/** The course of a metric out of its blocks, in spans of a second of the schedule at least; `startMs` is when the stage began. */
export function spansOf(counts: Uint32Array, times: BlockTimes, startMs: number): Span[] {
  const blocks = counts.length / binsPerBlock;
  const edgeMs = (block: number): number =>
    startMs + times.firstMs + Math.ceil((block * times.units) / blocks) * times.everyMs;
  const spans: Span[] = [];
  for (let block = 0, first = 0; block < blocks; block++) {
    const [fromMs, toMs] = [edgeMs(first), edgeMs(block + 1)];
    if (toMs - fromMs < leastSpanMs && block + 1 < blocks) continue;
    spans.push({ fromMs, toMs, ...figuresOf(counts.subarray(first * binsPerBlock, (block + 1) * binsPerBlock)) });
    first = block + 1;
  }
  return spans;
}

/** Count and percentiles of samples in bins; of several blocks together. */
export function figuresOf(blocks: Uint32Array): Pick<Span, 'count' | 'p50' | 'p99'> {
  const histogram = createHistogram();
  blocks.forEach((count, at) => {
    const bin = at % binsPerBlock;
    if (count > 0) histogram.recordValueWithCount((nearEdge(bin) + nearEdge(bin + 1)) / 2, count);
  });
  // Not `summarize`: its mean walks through every bucket, 20 ms for each second of a run.
  const count = histogram.totalCount;
  const at = (p: number): number | null =>
    count < samplesFor(p) ? null : percentile({ kind: 'histogram', histogram }, p);
  return { count, p50: at(percentiles.p50), p99: at(percentiles.p99) };
}
