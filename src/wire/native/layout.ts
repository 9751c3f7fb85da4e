import { type DeliveryBatch, deliveryFlag, type SendBatch } from '../wire.js';

export class StampCounts {
  exact = 0;
  bracketed = 0;
  unstamped = 0;

  count({ count, flags, receivedAtNs, notBeforeNs }: DeliveryBatch): void {
    let [exact, unstamped] = [0, 0];
    for (let i = 0; i < count; i++) {
      if (flags[i]! & deliveryFlag.unstamped) unstamped++;
      else if (receivedAtNs[i] === notBeforeNs[i]) exact++;
    }
    this.exact += exact;
    this.unstamped += unstamped;
    this.bracketed += count - exact - unstamped;
  }
}

/** Clients of one native thread, which has its own descriptors and fits a usual limit of 20,000. */
export const clientsPerTable = 19_000;

/** A ring of `DeliveryBatch` arrays that a native thread fills. */
export type DeliveryRing = Omit<DeliveryBatch, 'count'>;

/** A ring of `SendBatch` arrays that a native thread fills. */
export type ReportRing = Omit<SendBatch, 'count'>;

/** The ring of a thread's events, by columns. native/src/shared.h defines `a` to `e` for each kind. */
export interface EventRing {
  a: Float64Array;
  b: Float64Array;
  c: Float64Array;
  d: Float64Array;
  e: Float64Array;
  client: Int32Array;
  /** Place of an event's bytes in the arena, their length, and the number of them from earlier reads. */
  offset: Uint32Array;
  length: Uint32Array;
  cut: Uint32Array;
  generation: Uint32Array;
  /** Number of the thread's deliveries before the event, modulo 2^32. */
  behind: Uint32Array;
  kind: Uint8Array;
  flags: Uint8Array;
}

/** Places in `heads` and `tails`, as in `enum ring`. */
export const ringAt = { deliveries: 0, acknowledgements: 1, events: 2, reports: 3 } as const;

/** Places of a client's doubles and words in `accounts`, as in `struct account`. */
export const account = { doubles: 3, leftNs: 0, words: 6, waitingBytes: 2, unsent: 3, judged: 4, underWay: 5 } as const;

const sizes = { deliveries: 8192, events: 4096, reports: 16_384, arena: 4_194_304 } as const;

/** The memory that a native thread and JavaScript share. */
export type LoopMemory = ReturnType<typeof loopMemory>;

/** Returns the fields of `struct shared` of native/src/shared.h, in order. Throws for memory of another size. */
export function loopMemory(memory: ArrayBuffer, clients: number) {
  const fields = new Fields(memory);
  const loop = {
    /** Counts of published and of taken entries, modulo 2^32. */
    heads: fields.uint32(4),
    tails: fields.uint32(4),
    clockSteps: fields.uint32(1),
    tid: fields.uint32(1),
    reads: fields.double(1),
    heldUpNs: fields.double(1),
    /** For tests: the shift of the wall clock, and the time of its setting by that clock. */
    injectedNs: fields.double(1),
    injectedAtNs: fields.double(1),
    deliveries: deliveryRing(fields),
    acknowledgements: deliveryRing(fields),
    reports: reportRing(fields),
    events: eventRing(fields),
    arena: Buffer.from(memory, fields.place(sizes.arena), sizes.arena),
    accounts: accountArrays(fields, clients),
  };
  fields.end();
  return loop;
}

function deliveryRing(fields: Fields): DeliveryRing {
  const size = sizes.deliveries;
  return {
    receivedAtNs: fields.double(size),
    notBeforeNs: fields.double(size),
    client: fields.int32(size),
    sequence: fields.int32(size),
    flags: fields.uint8(size),
  };
}

function reportRing(fields: Fields): ReportRing {
  const size = sizes.reports;
  return {
    sentAtNs: fields.double(size),
    writtenAtNs: fields.double(size),
    client: fields.int32(size),
    token: fields.int32(size),
    fate: fields.uint8(size),
  };
}

function eventRing(fields: Fields): EventRing {
  const size = sizes.events;
  return {
    ...{ a: fields.double(size), b: fields.double(size), c: fields.double(size) },
    ...{ d: fields.double(size), e: fields.double(size) },
    client: fields.int32(size),
    offset: fields.uint32(size),
    length: fields.uint32(size),
    cut: fields.uint32(size),
    generation: fields.uint32(size),
    behind: fields.uint32(size),
    kind: fields.uint8(size),
    flags: fields.uint8(size),
  };
}

function otherVersion(): Error {
  return new Error(
    'ringside-native is of another version: its threads have other memory. Run npm ci, or npm run build',
  );
}

function accountArrays(fields: Fields, clients: number): { doubles: Float64Array; words: Uint32Array } {
  const doubles = fields.double(clients * account.doubles);
  return { doubles, words: new Uint32Array(doubles.buffer, doubles.byteOffset, clients * account.words) };
}

class Fields {
  private at = 0;

  constructor(private readonly memory: ArrayBuffer) {}

  /** Returns the offset at which the field begins. */
  place(bytes: number): number {
    this.at += bytes;
    if (this.at > this.memory.byteLength) throw otherVersion();
    return this.at - bytes;
  }

  end(): void {
    if (this.at < this.memory.byteLength) throw otherVersion();
  }

  double(length: number): Float64Array {
    return new Float64Array(this.memory, this.place(length * 8), length);
  }

  int32(length: number): Int32Array {
    return new Int32Array(this.memory, this.place(length * 4), length);
  }

  uint32(length: number): Uint32Array {
    return new Uint32Array(this.memory, this.place(length * 4), length);
  }

  uint8(length: number): Uint8Array {
    return new Uint8Array(this.memory, this.place(length), length);
  }
}
