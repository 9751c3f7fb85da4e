import type { DeliveryBatch } from '../wire.js';
import { eventKind } from './addon.js';
import { Candidates } from './candidates.js';
import { type DeliveryRing, type EventRing, type LoopMemory, ringAt } from './layout.js';
import { eachPiece } from './pieces.js';

/** What native threads report, in the order of one client: events by their place in the ring, bytes in the arena. */
export interface InboxReader {
  /** False once nothing may be reported any more. */
  isListening(): boolean;
  opened(events: EventRing, at: number, arena: Buffer, start: number, end: number): void;
  talk(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean): void;
  ponged(events: EventRing, at: number, payload: Uint8Array): void;
  /** `candidates` takes the deliveries that are in it, to be handed over among the others. */
  raw(events: EventRing, at: number, arena: Buffer, start: number, end: number, candidates: Candidates): void;
  position(client: number, bytes: Buffer, start: number, end: number): void;
  closed(events: EventRing, at: number): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements(batch: DeliveryBatch): void;
}

/** Reads the rings of one thread. Places are counts modulo 2^32, which their sizes divide. */
export class LoopInbox {
  readonly #candidates = new Candidates();
  /** By `ringAt`: how far this look goes. */
  readonly #heads = new Uint32Array(3);

  constructor(
    private readonly loop: LoopMemory,
    private readonly reader: InboxReader,
  ) {}

  /** Looks how much was published, against the order in which it is: a delivery's client was opened before. */
  look(): void {
    for (const at of [ringAt.deliveries, ringAt.acknowledgements, ringAt.events])
      this.#heads[at] = Atomics.load(this.loop.heads, at);
  }

  /** Hands over all until the last look. */
  take(): void {
    const [deliveries, acknowledgements, events] = this.#heads as unknown as [number, number, number];
    const { tails } = this.loop;
    this.#takeEvents(tails[ringAt.events] as number, events);
    eachBatch(this.loop.acknowledgements, tails[ringAt.acknowledgements] as number, acknowledgements, (batch) => {
      if (this.reader.isListening()) this.reader.acknowledgements(batch);
    });
    this.#takeDeliveries(tails[ringAt.deliveries] as number, deliveries);
    for (const at of [ringAt.deliveries, ringAt.acknowledgements, ringAt.events])
      Atomics.store(tails, at, this.#heads[at] as number);
  }

  #takeEvents(tail: number, head: number): void {
    const { events } = this.loop;
    const size = events.kind.length;
    for (let count = tail; count !== head; count = (count + 1) >>> 0) {
      if (!this.reader.isListening()) return;
      this.#takeEvent(events, count % size);
    }
  }

  #takeEvent(events: EventRing, at: number): void {
    const { loop, reader } = this;
    const kind = events.kind[at] as number;
    const start = events.offset[at] as number;
    const end = start + (events.length[at] as number);
    if (kind === eventKind.opened) reader.opened(events, at, loop.arena, start, end);
    else if (kind === eventKind.closed) reader.closed(events, at);
    else if (kind === eventKind.position) reader.position(events.client[at] as number, loop.arena, start, end);
    else if (kind === eventKind.raw) reader.raw(events, at, loop.arena, start, end, this.#candidates);
    else if (kind === eventKind.pong) reader.ponged(events, at, loop.arena.subarray(start, end));
    else reader.talk(events, at, loop.arena.subarray(start, end), kind === eventKind.binary);
  }

  #takeDeliveries(tail: number, head: number): void {
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
