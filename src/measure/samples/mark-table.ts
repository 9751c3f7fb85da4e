/** Bits of `MarkTable.kind`. The ledger leaves out what is not measured. An answer to an abandoned one is late. */
export const markKind = { begun: 1, toAll: 2, answered: 4, unsent: 8, unmeasured: 16, abandoned: 32 } as const;

/** Numbers that one client takes at a time, so that what others receive of it lies in few words of bits. */
export const blockSize = 32;

/** Numbers of all shards together: a mark has nine digits. */
export const numbersOfMarks = 1e9;

export const longestName = 60;
/** Names per shard. Sends with a further name have none. */
export const mostNames = 50;

const columnBytes = 4 * Float64Array.BYTES_PER_ELEMENT;
const bytesPerSend = columnBytes + Int32Array.BYTES_PER_ELEMENT + 2;
/** Two counters, the state of each name, and the texts. A name with number 0 is none. */
const counters = 2;
const headInts = counters + mostNames + 1;
const textBytes = (mostNames + 1) * longestName * Uint16Array.BYTES_PER_ELEMENT;
/** Columns of doubles begin at a whole double. */
const headBytes = Math.ceil((headInts * Int32Array.BYTES_PER_ELEMENT + textBytes) / 8) * 8;

/** States of a name: free, being written, or its length plus `written`. */
const [free, writing, written] = [0, 1, 2];

/** Sends by index: those of this shard, or those that another shard reported. */
export interface SendColumns {
  /** First number of the shard that sent them, which no other shard has. */
  readonly first: number;
  readonly count: number;
  /** In nanoseconds of this shard's clock; 0 for what never left. */
  readonly sentAtNs: Float64Array;
  /** Hash of the group that is owed a delivery; 0 if nobody is. */
  readonly group: Float64Array;
  readonly sender: Int32Array;
  readonly kind: Uint8Array;
  /** Largest error of `sentAtNs` against the clock of this shard. */
  readonly errorNs: number;
  numberAt(index: number): number;
  /** Returns the index of a number; -1 if it is not among these. */
  indexOf(number: number): number;
}

export function markTableBytes(size: number): number {
  return headBytes + size * bytesPerSend;
}

/** Holds the declared sends of a shard by number. Only the worker that took a number writes its row. */
export class MarkTable implements SendColumns {
  readonly buffer: SharedArrayBuffer;
  readonly intendedAtNs: Float64Array;
  readonly sentAtNs: Float64Array;
  readonly writtenAtNs: Float64Array;
  readonly group: Float64Array;
  readonly sender: Int32Array;
  readonly kind: Uint8Array;
  readonly name: Uint8Array;
  readonly errorNs = 0;
  readonly #head: Int32Array;
  readonly #texts: Uint16Array;

  /** `first`: the first number of the shard, which has `size` numbers. */
  constructor(
    readonly size: number,
    readonly first = 0,
    buffer = new SharedArrayBuffer(markTableBytes(size)),
  ) {
    this.buffer = buffer;
    this.#head = new Int32Array(buffer, 0, headInts);
    this.#texts = new Uint16Array(buffer, headInts * Int32Array.BYTES_PER_ELEMENT, (mostNames + 1) * longestName);
    const column = (place: number): Float64Array => new Float64Array(buffer, headBytes + place * 8 * size, size);
    this.intendedAtNs = column(0);
    this.sentAtNs = column(1);
    this.writtenAtNs = column(2);
    this.group = column(3);
    const narrow = headBytes + columnBytes * size;
    this.sender = new Int32Array(buffer, narrow, size);
    this.kind = new Uint8Array(buffer, narrow + 4 * size, size);
    this.name = new Uint8Array(buffer, narrow + 5 * size, size);
  }

  get count(): number {
    return Math.min(Atomics.load(this.#head, 0) * blockSize, this.#whole);
  }

  get #whole(): number {
    return this.size - (this.size % blockSize);
  }

  numberAt(index: number): number {
    return this.first + index;
  }

  indexOf(number: number): number {
    const index = number - this.first;
    return index >= 0 && index < this.size ? index : -1;
  }

  /** Takes a block of rows for one client. Returns its first row; undefined if the table is full. */
  takeBlock(): number | undefined {
    if (this.count === this.#whole) return undefined;
    const row = Atomics.add(this.#head, 0, 1) * blockSize;
    return row < this.#whole ? row : undefined;
  }

  /** Counts a send that left, or that never will. */
  settled(): void {
    Atomics.add(this.#head, 1, 1);
  }

  get settledCount(): number {
    return Atomics.load(this.#head, 1);
  }

  /** Returns the index of a name, the same in all workers of the shard; 0 if there are too many. */
  indexOfName(text: string): number {
    for (let index = 1; index <= mostNames; index++) {
      const at = counters + index;
      const state = Atomics.compareExchange(this.#head, at, free, writing);
      if (state === free) {
        for (let n = 0; n < text.length; n++) this.#texts[index * longestName + n] = text.charCodeAt(n);
        Atomics.store(this.#head, at, written + text.length);
        return index;
      }
      // Another worker writes it, which takes microseconds.
      while (Atomics.load(this.#head, at) === writing);
      if (this.nameOf(index) === text) return index;
    }
    return 0;
  }

  nameOf(index: number): string {
    const length = Math.max(0, Atomics.load(this.#head, counters + index) - written);
    return String.fromCharCode(...this.#texts.subarray(index * longestName, index * longestName + length));
  }
}

const logMark = 0x52_53_4c_32;
/** A word that names the format, the number of sends, the origin of the clock, and the first number of the shard. */
const logHeadBytes = 24;
const logBytesPerSend = 2 * Float64Array.BYTES_PER_ELEMENT + 2 * Int32Array.BYTES_PER_ELEMENT + 1;

/** A shard tells the others at most so many sends: 420 MB. */
export const mostSendsInLog = 2 ** 24;

export function sendLogBytes(sends: number): number {
  return logHeadBytes + sends * logBytesPerSend;
}

/** Largest share by which the clocks of two machines run apart. */
const driftShare = 2e-4;

export interface ClockRelation {
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
  head.setUint32(0, logMark, true);
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
    sentAtNs: new Float64Array(buffer, logHeadBytes, count),
    group: new Float64Array(buffer, logHeadBytes + 8 * count, count),
    number: new Int32Array(buffer, logHeadBytes + 16 * count, count),
    sender: new Int32Array(buffer, logHeadBytes + 20 * count, count),
    kind: new Uint8Array(buffer, logHeadBytes + 24 * count, count),
  };
}

/** Checks a log, and copies it into memory that threads share. Throws a RangeError for other bytes. */
export function sharedSends(bytes: Uint8Array): { buffer: SharedArrayBuffer; originNs: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLog = bytes.length >= logHeadBytes && view.getUint32(0, true) === logMark;
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
