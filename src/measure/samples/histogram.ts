import { createRequire } from 'node:module';
import type { JsHistogram } from 'hdr-histogram-js';

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

/** Returns the HdrHistogram V2 compressed encoding. */
export function encodeHistogram(histogram: JsHistogram): Uint8Array {
  return Buffer.from(encoding().encodeIntoCompressedBase64(histogram), 'base64');
}

/** Decodes a histogram from such bytes. Throws on any others. */
export function decodeHistogram(bytes: Uint8Array): JsHistogram {
  const base64 = Buffer.from(bytes).toString('base64');
  // Without its WebAssembly engine, the library makes no other kind.
  return encoding().decodeFromCompressedBase64(base64, 64) as JsHistogram;
}
