import { createRequire } from 'node:module';
import type { JsHistogram } from 'hdr-histogram-js';

/** Holds the samples of a metric in microseconds: a sorted list, a tally of many, or a histogram of three digits. */
export type Samples =
  | { kind: 'raw'; values: Uint32Array }
  | { kind: 'tally'; tally: Tally }
  | { kind: 'histogram'; histogram: JsHistogram };

export function sampleCount(samples: Samples): number {
  if (samples.kind === 'raw') return samples.values.length;
  return samples.kind === 'tally' ? samples.tally.count : samples.histogram.totalCount;
}

/** Returns the name of the kind in results: `raw` if every sample is exact. */
export function keptKind({ kind }: Samples): 'raw' | 'histogram' {
  return kind === 'histogram' ? kind : 'raw';
}

/** Visits each value in order, with its number. Of a histogram, the value is the far edge of its bucket. */
export function eachValue(samples: Samples, visit: (us: number, times: number) => void): void {
  if (samples.kind === 'raw') for (const us of samples.values) visit(us, 1);
  else if (samples.kind === 'tally') samples.tally.values.forEach((us, at) => void visit(us, samples.tally.times[at]!));
  else eachBucket(samples.histogram, visit);
}

function eachBucket(histogram: JsHistogram, visit: (us: number, times: number) => void): void {
  for (let index = 0, left = histogram.totalCount; left > 0; index++) {
    const times = histogram.getCountAtIndex(index);
    if (times === 0) continue;
    left -= times;
    visit(histogram.highestEquivalentValue(histogram.valueFromIndex(index)), times);
  }
}

type Library = typeof import('hdr-histogram-js');

// Loads only the parts in use. The whole library costs every process and worker 30 ms of CPU at its start.
const load = createRequire(import.meta.url);
const { default: Float64Histogram }: { default: Library['Float64Histogram'] } = load(
  'hdr-histogram-js/dist/Float64Histogram.js',
);
const encoding = (): Pick<Library, 'decodeFromCompressedBase64' | 'encodeIntoCompressedBase64'> =>
  load('hdr-histogram-js/dist/encoding.js');

/** The largest sample: 2^32 - 1 microseconds, or 71 minutes. */
export const maxSample = 0xffff_ffff;

/** Creates a histogram of microseconds that never resizes. Counts are doubles: 32-bit counts overflow silently. */
export function createHistogram(digits: 2 | 3 = 3): JsHistogram {
  return new Float64Histogram(1, maxSample, digits);
}

/** Records sorted values, equal ones at once. Without `times`, each occurs once. */
export function recordSorted(histogram: JsHistogram, values: Uint32Array, times?: Float64Array): void {
  for (let at = 0; at < values.length; ) {
    const value = values[at]!;
    let count = 0;
    do count += times?.[at] ?? 1;
    while (values[++at] === value);
    histogram.recordValueWithCount(value, count);
  }
}

export function encodeHistogram(histogram: JsHistogram): Uint8Array {
  return Buffer.from(encoding().encodeIntoCompressedBase64(histogram), 'base64');
}

export function decodeHistogram(bytes: Uint8Array): JsHistogram {
  const base64 = Buffer.from(bytes).toString('base64');
  // Without its WebAssembly engine, the library makes no other kind.
  return encoding().decodeFromCompressedBase64(base64, 64) as JsHistogram;
}

/** At most so many different values, in 201 MB. A sum of more becomes a histogram. */
export const distinctAtMost = 2 ** 24;

/** Ascending values in microseconds, and how often each occurs among `count` samples. It is exact. */
export interface Tally {
  readonly values: Uint32Array;
  readonly times: Float64Array;
  readonly count: number;
}

export function tallyOf(timesByValue: ReadonlyMap<number, number>): Tally {
  const values = Uint32Array.from(timesByValue.keys()).sort();
  const times = Float64Array.from(values, (value) => timesByValue.get(value)!);
  return { values, times, count: times.reduce((sum, each) => sum + each, 0) };
}

/** Adds sorted samples, or those of another tally. Allocates nothing per sample. */
export function withMore(tally: Tally, { values: more, times: moreTimes, count }: MoreSamples): Tally {
  const { values: known, times: knownTimes } = tally;
  const most = known.length + distinctIn(more);
  const [values, times] = [new Uint32Array(most), new Float64Array(most)];
  let [length, at] = [0, 0];
  for (let place = 0; place < known.length || at < more.length; length++) {
    const value = at === more.length || known[place]! <= more[at]! ? known[place]! : more[at]!;
    values[length] = value;
    if (known[place] === value) times[length]! += knownTimes[place++]!;
    for (; more[at] === value; at++) times[length]! += moreTimes?.[at] ?? 1;
  }
  return { values: values.slice(0, length), times: times.slice(0, length), count: tally.count + count };
}

/** Sorted samples. Without `times`, each value stands for one sample. */
export type MoreSamples = Pick<Tally, 'values' | 'count'> & { times?: Float64Array };

export const emptyTally: Tally = tallyOf(new Map());

function distinctIn(sorted: Uint32Array): number {
  let distinct = 0;
  for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) distinct++;
  return distinct;
}
