import { binsPerBlock, nearEdge } from './blocks.js';
import { percentile, percentiles, samplesFor } from './distribution.js';
import { createHistogram } from './histogram.js';

/** Spans are joined until they last this long. */
const leastSpanMs = 1000;

/** Says when the units of a series of blocks were due. A unit is a broadcast or a slice of the schedule. */
export interface BlockTimes {
  /** Times count from the start of this stage. */
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
  /** The slowest sample. Null if there are none. */
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

/** Returns how many of `count` samples in `units` units are independent. */
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
