import { type MarkTable, markKind, type SendColumns } from './mark-table.js';

const mark = 0x52_53_4c_32;
/** A word that names the format, the number of sends, the origin of the clock, and the first number of the shard. */
const headBytes = 24;
const bytesPerSend = 2 * Float64Array.BYTES_PER_ELEMENT + 2 * Int32Array.BYTES_PER_ELEMENT + 1;

/** A shard tells the others at most so many sends: 420 MB. */
export const mostSendsInLog = 2 ** 24;

/** Size of a log of so many sends. */
export function sendLogBytes(sends: number): number {
  return headBytes + sends * bytesPerSend;
}

/** Largest share by which the clocks of two machines run apart. */
const driftShare = 2e-4;

/** Relates the clock of a log to that of its reader. */
export interface ClockRelation {
  /** To be added to a stamp of the log. */
  shiftNs: number;
  /** Largest error of the shift at `atNs` by the reader's clock. */
  errorNs: number;
  atNs: number;
}

/**
 * Encodes the sends of a shard that owe deliveries, in the order of their numbers: stamps, groups, numbers, senders and
 * kinds, one column after the other. `originNs`: zero of the shard's stamps on CLOCK_MONOTONIC of its host.
 */
export function encodeSends(table: MarkTable, originNs: number): Uint8Array {
  const rows: number[] = [];
  for (let row = 0; row < table.count; row++) if (table.sentAtNs[row] !== 0 && table.group[row] !== 0) rows.push(row);
  const bytes = new Uint8Array(sendLogBytes(rows.length));
  const head = new DataView(bytes.buffer);
  head.setUint32(0, mark, true);
  head.setUint32(4, rows.length, true);
  head.setFloat64(8, originNs, true);
  head.setUint32(16, table.first, true);
  const columns = columnsOf(bytes.buffer, rows.length);
  for (const [at, row] of rows.entries()) {
    columns.sentAtNs[at] = table.sentAtNs[row] as number;
    columns.group[at] = table.group[row] as number;
    columns.number[at] = table.numberAt(row);
    columns.sender[at] = table.sender[row] as number;
    columns.kind[at] = (table.kind[row] as number) & (markKind.toAll | markKind.unmeasured);
  }
  return bytes;
}

function columnsOf(buffer: ArrayBufferLike, count: number) {
  return {
    sentAtNs: new Float64Array(buffer, headBytes, count),
    group: new Float64Array(buffer, headBytes + 8 * count, count),
    number: new Int32Array(buffer, headBytes + 16 * count, count),
    sender: new Int32Array(buffer, headBytes + 20 * count, count),
    kind: new Uint8Array(buffer, headBytes + 24 * count, count),
  };
}

/** Checks a log, and copies it into memory that threads share. Throws a RangeError for other bytes. */
export function sharedSends(bytes: Uint8Array): { buffer: SharedArrayBuffer; originNs: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLog = bytes.length >= headBytes && view.getUint32(0, true) === mark;
  const count = isLog ? view.getUint32(4, true) : 0;
  if (!isLog || bytes.length !== sendLogBytes(count))
    throw new RangeError(`expected a log of sends, received ${bytes.length} other bytes`);
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  const { number } = columnsOf(buffer, count);
  for (let at = 1; at < count; at++)
    if ((number[at] as number) <= (number[at - 1] as number))
      throw new RangeError(`expected sends in the order of their numbers, received ${number[at]} at ${at}`);
  return { buffer, originNs: view.getFloat64(8, true) };
}

/** Holds the sends of another shard, on the clock of this one. */
export class SendLog implements SendColumns {
  readonly first: number;
  readonly count: number;
  readonly sentAtNs: Float64Array;
  readonly group: Float64Array;
  readonly sender: Int32Array;
  readonly kind: Uint8Array;
  readonly errorNs: number;
  readonly #number: Int32Array;

  constructor(buffer: SharedArrayBuffer, { shiftNs, errorNs, atNs }: ClockRelation) {
    const head = new DataView(buffer);
    this.first = head.getUint32(16, true);
    this.count = head.getUint32(4, true);
    const { sentAtNs, group, number, sender, kind } = columnsOf(buffer, this.count);
    this.sentAtNs = sentAtNs.map((sentNs) => sentNs + shiftNs);
    this.group = group;
    this.sender = sender;
    this.kind = kind;
    this.#number = number;
    const firstNs = this.sentAtNs.reduce((first, sentNs) => Math.min(first, sentNs), atNs);
    this.errorNs = errorNs === 0 ? 0 : errorNs + (atNs - firstNs) * driftShare;
  }

  numberAt(index: number): number {
    return this.#number[index] as number;
  }

  indexOf(number: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#number[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    return this.#number[low] === number ? low : -1;
  }
}
