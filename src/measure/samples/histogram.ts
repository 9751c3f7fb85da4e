import {
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  Float64Histogram,
  JsHistogram,
} from 'hdr-histogram-js';

/** The largest sample: 2^32 - 1 microseconds, or 71 minutes. */
export const maxSample = 0xffff_ffff;

/**
 * A histogram of microseconds over the whole range of a sample, so that it never resizes on the hot path. Counts are
 * doubles: the library's 32-bit counts wrap silently.
 */
export function createHistogram(digits: 2 | 3 = 3): JsHistogram {
  return new Float64Histogram(1, maxSample, digits);
}

/** Records sorted values, equal ones at once. */
export function recordSorted(histogram: JsHistogram, values: Uint32Array): void {
  for (let at = 0; at < values.length; ) {
    const value = values[at] as number;
    const first = at;
    do at++;
    while (at < values.length && values[at] === value);
    histogram.recordValueWithCount(value, at - first);
  }
}

/** Bytes of the HdrHistogram V2 compressed encoding. */
export function encodeHistogram(histogram: JsHistogram): Uint8Array {
  return Buffer.from(encodeIntoCompressedBase64(histogram), 'base64');
}

/** The histogram of such bytes. Throws on any others. */
export function decodeHistogram(bytes: Uint8Array): JsHistogram {
  const histogram = decodeFromCompressedBase64(Buffer.from(bytes).toString('base64'), 64);
  if (!(histogram instanceof JsHistogram))
    throw new Error('the histogram library gave an engine that was not asked for');
  return histogram;
}
