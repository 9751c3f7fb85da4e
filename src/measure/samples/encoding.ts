import { promisify } from 'node:util';
import { crc32, deflate, inflateSync } from 'node:zlib';
import {
  decodeHistogram,
  emptyTally,
  encodeHistogram,
  maxSample,
  type Samples,
  sampleCount,
  type Tally,
  withMore,
} from './samples.js';

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

/** Encodes values as varints: base 128, least digits first, the high bit set on all bytes but the last. */
export function packVarints(values: Uint32Array): Uint8Array {
  let size = 0;
  for (const value of values) size += widthOf(value);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (let value of values) {
    for (; value > 0x7f; value >>>= 7) bytes[at++] = (value & 0x7f) | 0x80;
    bytes[at++] = value;
  }
  return bytes;
}

/** Decodes the `count` values of such bytes. Throws an Error if there are more or fewer. */
export function unpackVarints(bytes: Uint8Array, count: number): Uint32Array {
  if (count > bytes.length) throw new Error(`${count} values are announced in ${bytes.length} bytes`);
  const values = new Uint32Array(count);
  let at = 0;
  for (let index = 0; index < count; index++) {
    let value = 0;
    let shift = 0;
    let byte = bytes[at++]!;
    for (; byte > 0x7f; byte = bytes[at++]!) {
      value |= (byte & 0x7f) << shift;
      shift += 7;
    }
    values[index] = value | (byte << shift);
  }
  if (at !== bytes.length)
    throw new Error(`${count} values are announced in ${bytes.length} bytes, but end at byte ${at}`);
  return values;
}

export function varintsIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! <= 0x7f) count++;
  return count;
}

export function deltasOf(sorted: Uint32Array): Uint32Array {
  const deltas = new Uint32Array(sorted.length);
  let previous = 0;
  for (let index = 0; index < sorted.length; index++) {
    const value = sorted[index]!;
    deltas[index] = value - previous;
    previous = value;
  }
  return deltas;
}

export function accumulate(deltas: Uint32Array): Uint32Array {
  for (let index = 1; index < deltas.length; index++) {
    deltas[index]! += deltas[index - 1]!;
  }
  return deltas;
}

function widthOf(value: number): number {
  return Math.ceil((32 - Math.clz32(value | 1)) / 7);
}
