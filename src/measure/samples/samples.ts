import { promisify } from 'node:util';
import { crc32, deflate, inflateSync } from 'node:zlib';
import type { JsHistogram } from 'hdr-histogram-js';
import { decodeHistogram, encodeHistogram, maxSample } from './histogram.js';
import { accumulate, deltasOf, packVarints, unpackVarints, varintsIn } from './payload.js';
import { emptyTally, type Tally, withMore } from './tally.js';

/**
 * Holds the samples of a metric in microseconds: a sorted list, or a tally if they are many. If they are too many or
 * too far apart for that, it is a histogram of three digits.
 */
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

/*
 * Layout of a body, big-endian:
 *
 *     0 magic "RSSB"   4 version   5 kind   6 count, 64 bit   14 payload   end - 4 CRC-32 of all before it
 */
const magic = 0x52_53_53_42;
const version = 1;
const kinds = { raw: 1, histogram: 2, counts: 3, tally: 4 } as const;
const headerBytes = 14;
const checksumBytes = 4;

// Higher levels take several times as long and save little.
const deflateLevel = 4;

const deflateAsync = promisify(deflate);

/** Encodes samples: deflated deltas, a tally's with counts, or a histogram's own encoding. */
export async function encodeSamples(samples: Samples): Promise<Uint8Array> {
  const count = sampleCount(samples);
  if (samples.kind === 'histogram') return wrap(kinds.histogram, count, encodeHistogram(samples.histogram));
  const isTally = samples.kind === 'tally';
  const numbers = isTally ? pairsOf(samples.tally) : deltasOf(samples.values);
  const payload = await deflateAsync(packVarints(numbers), { level: deflateLevel });
  return wrap(isTally ? kinds.tally : kinds.raw, count, payload);
}

/** Decodes the samples of a body. Throws an Error for a foreign, truncated or corrupt one. */
export function decodeSamples(body: Uint8Array): Samples {
  const { kind, count, payload } = unwrap(body);
  if (kind === kinds.raw) return { kind: 'raw', values: accumulate(unpackVarints(inflateSync(payload), count)) };
  if (kind === kinds.tally) return { kind: 'tally', tally: readTally(inflateSync(payload), count) };
  if (kind !== kinds.histogram) throw new Error(`a body of kind ${kind} holds no samples`);
  const histogram = decodeHistogram(payload);
  if (histogram.totalCount !== count)
    throw new Error(`a histogram of ${histogram.totalCount} samples where ${count} were announced`);
  return { kind: 'histogram', histogram };
}

const largestTimes = 2 ** 32 - 1;

/** Returns each value of a tally less the one before, and its number. It repeats if that exceeds 32 bits. */
function pairsOf({ values, times }: Tally): Uint32Array {
  const pairs: number[] = [];
  let previous = 0;
  values.forEach((value, at) => {
    for (let left = times[at]!; left > 0; left -= largestTimes) {
      pairs.push(value - previous, Math.min(left, largestTimes));
      previous = value;
    }
  });
  return Uint32Array.from(pairs);
}

function readTally(bytes: Uint8Array, count: number): Tally {
  const pairs = unpackVarints(bytes, varintsIn(bytes));
  if (pairs.length % 2 !== 0) throw new Error(`a tally of ${pairs.length} numbers, which are no pairs`);
  const times = Float64Array.from({ length: pairs.length / 2 }, (_, at) => pairs[2 * at + 1]!);
  let value = 0;
  const values = Uint32Array.from(times, (_, at) => {
    value += pairs[2 * at]!;
    if (value > maxSample) throw new Error(`a tally with a sample of ${value} us`);
    return value;
  });
  const sum = times.reduce((all, each) => all + each, 0);
  if (sum !== count) throw new Error(`a tally of ${sum} samples where ${count} were announced`);
  return withMore(emptyTally, { values, times, count });
}

/** Encodes one count per broadcast, in the order of the broadcasts. */
export async function encodeCounts(counts: Uint32Array): Promise<Uint8Array> {
  return wrap(kinds.counts, counts.length, await deflateAsync(packVarints(counts), { level: deflateLevel }));
}

/** Decodes the counts of a body. Throws an Error for a foreign, truncated or corrupt one. */
export function decodeCounts(body: Uint8Array): Uint32Array {
  const { kind, count, payload } = unwrap(body);
  if (kind !== kinds.counts) throw new Error(`a body of kind ${kind} holds no counts`);
  return unpackVarints(inflateSync(payload), count);
}

function wrap(kind: number, count: number, payload: Uint8Array): Uint8Array {
  const body = new Uint8Array(headerBytes + payload.length + checksumBytes);
  const view = new DataView(body.buffer);
  view.setUint32(0, magic);
  view.setUint8(4, version);
  view.setUint8(5, kind);
  view.setBigUint64(6, BigInt(count));
  body.set(payload, headerBytes);
  const end = headerBytes + payload.length;
  view.setUint32(end, crc32(body.subarray(0, end)));
  return body;
}

function unwrap(body: Uint8Array): { kind: number; count: number; payload: Uint8Array } {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  if (body.length < 4 || view.getUint32(0) !== magic) throw new Error('no sample body: it does not begin with RSSB');
  if (body.length < headerBytes + checksumBytes) throw new Error(`a sample body cut off after ${body.length} bytes`);
  if (view.getUint8(4) !== version)
    throw new Error(`a sample body of version ${view.getUint8(4)}, where ${version} is understood`);
  const end = body.length - checksumBytes;
  if (view.getUint32(end) !== crc32(body.subarray(0, end)))
    throw new Error('a sample body that is cut off or damaged: its checksum is wrong');
  return { kind: view.getUint8(5), count: Number(view.getBigUint64(6)), payload: body.subarray(headerBytes, end) };
}
