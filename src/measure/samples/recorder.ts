import type { Samples } from './samples.js';
import { createHistogram, maxSample } from './samples.js';

/** States of a broadcast. `never`: the run ended before it was due. */
export const broadcastState = { unsent: 0, sent: 1, acked: 2, refused: 3, failed: 4, never: 5 } as const;

const bytesPerBroadcast = 4 * Float64Array.BYTES_PER_ELEMENT + 1;

/** Holds stamps by sequence number, in ns of `nowNs`. All workers of a shard share it. Only the publisher writes. */
export class StampTable {
  readonly buffer: SharedArrayBuffer;
  readonly size: number;
  readonly intendedAtNs: Float64Array;
  readonly sentAtNs: Float64Array;
  /** 0 until the kernel took the whole publish. It stays 0 if that instant cannot be known. */
  readonly writtenAtNs: Float64Array;
  readonly ackAtNs: Float64Array;
  readonly state: Uint8Array;

  constructor(size: number, buffer = new SharedArrayBuffer(size * bytesPerBroadcast)) {
    const column = size * Float64Array.BYTES_PER_ELEMENT;
    this.buffer = buffer;
    this.size = size;
    this.intendedAtNs = new Float64Array(buffer, 0, size);
    this.sentAtNs = new Float64Array(buffer, column, size);
    this.writtenAtNs = new Float64Array(buffer, 2 * column, size);
    this.ackAtNs = new Float64Array(buffer, 3 * column, size);
    this.state = new Uint8Array(buffer, 4 * column, size);
  }
}

const chunkLength = 65_536;
/** The default for raw samples: 80 MB. */
export const defaultMaxRawSamples = 20_000_000;

/** Takes samples on a hot path. Up to `maxRawSamples` it keeps each sample; beyond that, a histogram of all. */
export class Recorder {
  // Uses chunks, so that no sample waits until millions of others are copied. For the same reason, raw samples join the
  // histogram only at the end.
  readonly #overflow = createHistogram();
  readonly #chunks: Uint32Array[] = [];
  #chunk = new Uint32Array(0);
  #used = 0;
  #rawCount = 0;

  constructor(private readonly maxRawSamples = defaultMaxRawSamples) {}

  get count(): number {
    return this.#rawCount + this.#overflow.totalCount;
  }

  /** Keeps a sample in whole microseconds. Throws RangeError below 0 and above 2^32 - 1. */
  record(microseconds: number): void {
    if (!(microseconds >= 0 && microseconds <= maxSample)) throw new RangeError(`no sample: ${microseconds} us`);
    if (this.#rawCount >= this.maxRawSamples) {
      this.#overflow.recordValue(Math.floor(microseconds));
      return;
    }
    if (this.#used === this.#chunk.length) {
      this.#chunk = new Uint32Array(chunkLength);
      this.#chunks.push(this.#chunk);
      this.#used = 0;
    }
    this.#chunk[this.#used++] = microseconds;
    this.#rawCount++;
  }

  /** Returns all samples so far, sorted. Recording may go on. */
  finish(): Samples {
    if (this.#overflow.totalCount === 0) {
      const values = new Uint32Array(this.#rawCount);
      this.#eachChunk((chunk, offset) => values.set(chunk, offset));
      return { kind: 'raw', values: values.sort() };
    }
    const histogram = createHistogram();
    histogram.add(this.#overflow);
    this.#eachChunk((chunk) => {
      for (const value of chunk) histogram.recordValue(value);
    });
    return { kind: 'histogram', histogram };
  }

  #eachChunk(visit: (chunk: Uint32Array, offset: number) => void): void {
    for (const [index, chunk] of this.#chunks.entries()) {
      const offset = index * chunkLength;
      visit(chunk.subarray(0, this.#rawCount - offset), offset);
    }
  }
}

export function recordersOf<N extends string>(recorder: () => Recorder, ...names: readonly N[]): Record<N, Recorder> {
  return Object.fromEntries(names.map((name) => [name, recorder()])) as Record<N, Recorder>;
}

export function finished<N extends string>(recorders: Record<N, Recorder>): Record<N, Samples> {
  const each = Object.entries<Recorder>(recorders);
  return Object.fromEntries(each.map(([name, recorder]) => [name, recorder.finish()])) as Record<N, Samples>;
}

/** Holds when each send was scheduled, began and had left, in nanoseconds; 0 before that, or if unknown. */
export type SendStamps = Pick<StampTable, 'intendedAtNs' | 'sentAtNs' | 'writtenAtNs'>;

/** Holds between which two instants each message arrived. */
export interface ArrivalStamps {
  readonly receivedAtNs: Float64Array;
  readonly notBeforeNs: Float64Array;
}

/** Holds the stamps of one send. */
export type SendTimes = Record<keyof SendStamps, number>;

/**
 * Returns the shortest time that a delivery can have taken, in microseconds. It runs from when its send had surely left
 * to when its frame can have been readable. A send still being written, or written at an unknown time, bounds nothing.
 */
export function atLeastUs(notBeforeNs: number, writtenAtNs: number): number {
  return writtenAtNs > 0 ? Math.max(0, notBeforeNs - writtenAtNs) / 1000 : 0;
}
