/** `never`: the run ended before it was due. */
export const broadcastState = { unsent: 0, sent: 1, acked: 2, refused: 3, failed: 4, never: 5 } as const;

const bytesPerBroadcast = 4 * Float64Array.BYTES_PER_ELEMENT + 1;

/** Stamps by sequence number, in ns of `nowNs`, shared by all workers of a shard. Only the publisher writes. */
export class Board {
  readonly buffer: SharedArrayBuffer;
  readonly size: number;
  readonly intendedAtNs: Float64Array;
  readonly sentAtNs: Float64Array;
  /** 0 until the kernel took the whole publish, and for ever where nobody can tell when it did. */
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
