import type { DeliveryBatch } from '../wire.js';
import { type DeliveryRing, type EventRing, eventFlag, eventKind, type NativeAddon, type NativeLoop } from './addon.js';
import { Candidates } from './candidates.js';
import { eachPiece } from './pieces.js';

/** What native threads report, in the order of one client. `at` is the event's place in its ring. */
export interface InboxReader {
  /** False once nothing may be reported any more. */
  isListening(): boolean;
  opened(events: EventRing, at: number, subprotocol: string): void;
  message(events: EventRing, at: number, bytes: Uint8Array): void;
  /** A message with a sequence number. True if it is a delivery, to be handed over among the others. */
  candidate(events: EventRing, at: number, bytes: Uint8Array): boolean;
  position(client: number, bytes: Uint8Array): void;
  /** `cause` is empty where the event has the number of a system's error. */
  closed(events: EventRing, at: number, cause: string): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements(batch: DeliveryBatch): void;
}

/** Reads the rings of one thread. Places are counts modulo 2^32, which their sizes divide. */
export class LoopInbox {
  readonly #texts: Buffer;
  readonly #candidates = new Candidates();

  constructor(
    private readonly addon: NativeAddon,
    private readonly loop: NativeLoop,
    private readonly reader: InboxReader,
  ) {
    const { arena } = loop.events;
    this.#texts = Buffer.from(arena.buffer, arena.byteOffset, arena.length);
  }

  events(tail: number, head: number): void {
    const size = this.loop.events.kind.length;
    for (let count = tail; count !== head; count = (count + 1) >>> 0) {
      if (!this.reader.isListening()) return;
      this.#event(this.loop.events, count % size);
    }
  }

  #event(events: EventRing, at: number): void {
    const kind = events.kind[at] as number;
    const start = events.offset[at] as number;
    const end = start + (events.length[at] as number);
    if (kind === eventKind.opened)
      this.reader.opened(events, at, start === end ? '' : this.#texts.toString('utf8', start, end));
    else if (kind === eventKind.closed) this.reader.closed(events, at, this.#texts.toString('latin1', start, end));
    else this.#bytes(kind, events, at, this.#bytesOf(events, at, start, end));
  }

  #bytesOf(events: EventRing, at: number, start: number, end: number): Uint8Array {
    const isLarge = ((events.flags[at] as number) & eventFlag.large) !== 0;
    return isLarge ? this.addon.large(events.address[at] as number, end - start) : events.arena.subarray(start, end);
  }

  #bytes(kind: number, events: EventRing, at: number, bytes: Uint8Array): void {
    if (kind === eventKind.position) this.reader.position(events.client[at] as number, bytes);
    else if (kind !== eventKind.candidate) this.reader.message(events, at, bytes);
    else if (this.reader.candidate(events, at, bytes)) this.#candidates.add(events, at);
  }

  acknowledgements(tail: number, head: number): void {
    eachBatch(this.loop.acknowledgements, tail, head, (batch) => {
      if (this.reader.isListening()) this.reader.acknowledgements(batch);
    });
  }

  deliveries(tail: number, head: number): void {
    const hand = (batch: DeliveryBatch): void => {
      if (this.reader.isListening()) this.reader.deliveries(batch);
    };
    let from = tail;
    for (let next = this.#candidates.next(from, head); next !== undefined; next = this.#candidates.next(from, head)) {
      eachBatch(this.loop.deliveries, from, next.behind, hand);
      hand(next.batch);
      from = next.behind;
    }
    eachBatch(this.loop.deliveries, from, head, hand);
  }
}

function eachBatch(ring: DeliveryRing, tail: number, head: number, hand: (batch: DeliveryBatch) => void): void {
  eachPiece(ring.client.length, tail, head, (start, end) => hand(batchOf(ring, start, end)));
}

function batchOf(ring: DeliveryRing, start: number, end: number): DeliveryBatch {
  return {
    count: end - start,
    client: ring.client.subarray(start, end),
    sequence: ring.sequence.subarray(start, end),
    receivedAtNs: ring.receivedAtNs.subarray(start, end),
    notBeforeNs: ring.notBeforeNs.subarray(start, end),
    flags: ring.flags.subarray(start, end),
  };
}
