import { type DeliveryBatch, deliveryFlag, type SendBatch } from '../wire.js';

/** Counts what is handed over by the kind of its stamp. */
export class StampCounts {
  exact = 0;
  bracketed = 0;
  unstamped = 0;

  count({ count, flags, receivedAtNs, notBeforeNs }: DeliveryBatch): void {
    let [exact, unstamped] = [0, 0];
    for (let i = 0; i < count; i++) {
      if ((flags[i] as number) & deliveryFlag.unstamped) unstamped++;
      else if (receivedAtNs[i] === notBeforeNs[i]) exact++;
    }
    this.exact += exact;
    this.unstamped += unstamped;
    this.bracketed += count - exact - unstamped;
  }
}

/** Clients of one native thread, whose descriptor table is its own: so many fit a usual limit of 20,000 descriptors. */
export const clientsPerTable = 19_000;

/** A ring of `DeliveryBatch` arrays that a native thread fills. */
export type DeliveryRing = Omit<DeliveryBatch, 'count'>;

/** The same of `SendBatch` arrays. */
export type ReportRing = Omit<SendBatch, 'count'>;

/** The ring of a thread's events, by columns. native/src/shared.h tells what `a` to `e` are of each kind. */
export interface EventRing {
  a: Float64Array;
  b: Float64Array;
  c: Float64Array;
  d: Float64Array;
  e: Float64Array;
  client: Int32Array;
  /** Where the bytes of an event are in the arena, and how many of them came in earlier reads. */
  offset: Uint32Array;
  length: Uint32Array;
  cut: Uint32Array;
  generation: Uint32Array;
  /** How many deliveries of the thread came before it, modulo 2^32. */
  behind: Uint32Array;
  kind: Uint8Array;
  flags: Uint8Array;
}

/** Places in `heads` and `tails`: `enum ring`. */
export const ringAt = { deliveries: 0, acknowledgements: 1, events: 2, reports: 3 } as const;

/** Doubles and words of a client in `accounts`: `struct account`. */
export const account = { doubles: 3, leftNs: 0, words: 6, waitingBytes: 2, unsent: 3, judged: 4 } as const;

const sizes = { deliveries: 8192, events: 4096, reports: 16_384, arena: 4_194_304 } as const;

/** What a native thread and JavaScript share. */
export type LoopMemory = ReturnType<typeof loopMemory>;

/** The fields of `struct shared` in native/src/shared.h, in their order. Throws if the memory has another size. */
export function loopMemory(memory: ArrayBuffer, clients: number) {
  const fields = new Fields(memory);
  const loop = {
    /** How much was published, and how much was taken of it, as counts modulo 2^32. */
    heads: fields.uint32(4),
    tails: fields.uint32(4),
    clockSteps: fields.uint32(1),
    tid: fields.uint32(1),
    reads: fields.double(1),
    /** For tests: how far the wall clock seems to be set, and when that was by its own time. */
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

/** Both over the same memory. */
function accountArrays(fields: Fields, clients: number): { doubles: Float64Array; words: Uint32Array } {
  const doubles = fields.double(clients * account.doubles);
  return { doubles, words: new Uint32Array(doubles.buffer, doubles.byteOffset, clients * account.words) };
}

/** Gives one field behind the other. */
class Fields {
  private at = 0;

  constructor(private readonly memory: ArrayBuffer) {}

  /** Gives where the field begins. */
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
