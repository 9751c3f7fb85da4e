import type { DeliveryBatch } from '../wire.js';
import {
  type DeliveryRing,
  type EventRing,
  eventFlag,
  eventKind,
  type Handle,
  type NativeAddon,
  type NativeLoop,
} from './addon.js';

/** What native threads report, in the order of one client. `at` is the event's place in its ring. */
export interface InboxReader {
  /** False once nothing may be reported any more. */
  isListening(): boolean;
  opened(events: EventRing, at: number, subprotocol: string): void;
  message(events: EventRing, at: number, bytes: Uint8Array): void;
  /** A message with a sequence number that may be a delivery. */
  candidate(events: EventRing, at: number, bytes: Uint8Array): void;
  position(client: number, bytes: Uint8Array): void;
  /** `cause` is empty where the event has the number of a system's error. */
  closed(events: EventRing, at: number, cause: string): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements(batch: DeliveryBatch): void;
}

/** Numbers of a loop in `heads` and `tails`. */
const columns = 3;

/** Reads the rings of an engine's threads: all events of a wake, then its deliveries. */
export class Inbox {
  readonly #heads: Uint32Array;
  readonly #tails: Uint32Array;
  readonly #texts: Buffer[];

  constructor(
    private readonly addon: NativeAddon,
    private readonly handle: Handle,
    private readonly loops: readonly NativeLoop[],
    private readonly reader: InboxReader,
  ) {
    this.#heads = new Uint32Array(loops.length * columns);
    this.#tails = new Uint32Array(loops.length * columns);
    this.#texts = loops.map(({ events: { arena } }) => Buffer.from(arena.buffer, arena.byteOffset, arena.length));
  }

  take(): void {
    const [heads, tails] = [this.#heads, this.#tails];
    this.addon.take(this.handle, heads);
    for (let loop = 0; loop < this.loops.length; loop++) {
      const { events, deliveries, acknowledgements } = this.loops[loop] as NativeLoop;
      const at = loop * columns;
      this.#events(events, this.#texts[loop] as Buffer, tails[at + 2] as number, heads[at + 2] as number);
      this.#batches(acknowledgements, tails[at + 1] as number, heads[at + 1] as number, false);
      this.#batches(deliveries, tails[at] as number, heads[at] as number, true);
    }
    tails.set(heads);
    if (this.reader.isListening()) this.addon.done(this.handle, tails);
  }

  #events(events: EventRing, texts: Buffer, tail: number, head: number): void {
    const size = events.kind.length;
    for (let count = tail; count !== head; count = (count + 1) >>> 0) {
      if (!this.reader.isListening()) return;
      this.#event(events, texts, count % size);
    }
  }

  #event(events: EventRing, texts: Buffer, at: number): void {
    const kind = events.kind[at] as number;
    const start = events.offset[at] as number;
    const end = start + (events.length[at] as number);
    if (kind === eventKind.opened)
      this.reader.opened(events, at, start === end ? '' : texts.toString('utf8', start, end));
    else if (kind === eventKind.closed) this.reader.closed(events, at, texts.toString('latin1', start, end));
    else this.#bytes(kind, events, at, this.#bytesOf(events, at, start, end));
  }

  #bytesOf(events: EventRing, at: number, start: number, end: number): Uint8Array {
    const isLarge = ((events.flags[at] as number) & eventFlag.large) !== 0;
    return isLarge ? this.addon.large(events.c[at] as number, end - start) : events.arena.subarray(start, end);
  }

  #bytes(kind: number, events: EventRing, at: number, bytes: Uint8Array): void {
    if (kind === eventKind.candidate) this.reader.candidate(events, at, bytes);
    else if (kind === eventKind.position) this.reader.position(events.client[at] as number, bytes);
    else this.reader.message(events, at, bytes);
  }

  /** In two pieces where the ring begins anew. */
  #batches(ring: DeliveryRing, tail: number, head: number, areDeliveries: boolean): void {
    const size = ring.client.length;
    const count = (head - tail) >>> 0;
    const start = tail % size;
    const first = Math.min(count, size - start);
    if (first > 0) this.#batch(ring, start, first, areDeliveries);
    if (count > first) this.#batch(ring, 0, count - first, areDeliveries);
  }

  #batch(ring: DeliveryRing, start: number, count: number, areDeliveries: boolean): void {
    if (!this.reader.isListening()) return;
    const end = start + count;
    const batch: DeliveryBatch = {
      count,
      client: ring.client.subarray(start, end),
      sequence: ring.sequence.subarray(start, end),
      receivedAtNs: ring.receivedAtNs.subarray(start, end),
      notBeforeNs: ring.notBeforeNs.subarray(start, end),
      flags: ring.flags.subarray(start, end),
    };
    if (areDeliveries) this.reader.deliveries(batch);
    else this.reader.acknowledgements(batch);
  }
}
