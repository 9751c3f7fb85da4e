import type { Inflaters } from '../deflate.js';
import { type FrameHandler, FrameReceiver } from '../frames/frame-receiver.js';
import { largestMessage } from '../frames/masked-frame.js';
import type { SequenceScan } from '../frames/sequence-scan.js';
import type { Cause, DeliveryBatch } from '../wire.js';
import { deliveryShift, dropMode, eventFlag } from './addon.js';
import type { EventRing } from './layout.js';

/** A delivery that JavaScript found. */
export interface Candidate {
  client: number;
  sequence: number;
  receivedAtNs: number;
  notBeforeNs: number;
  flags: number;
  /** Number of the loop's deliveries before it, modulo 2^32. */
  behind: number;
}

/** Holds deliveries of a loop that only JavaScript recognized, between those that the thread recognized. */
export class Candidates {
  #waiting: Candidate[] = [];

  add(candidate: Candidate): void {
    this.#waiting.push(candidate);
  }

  /** Returns the next ones to hand over among deliveries `tail` to `head` of the loop, and their place. */
  next(tail: number, head: number): { behind: number; batch: DeliveryBatch } | undefined {
    const behind = this.#waiting[0]?.behind;
    if (behind === undefined || (behind - tail) >>> 0 > (head - tail) >>> 0) return undefined;
    const more = this.#waiting.findIndex((each) => each.behind !== behind);
    const next = this.#waiting.splice(0, more === -1 ? this.#waiting.length : more);
    return { behind, batch: batchOf(next) };
  }
}

export function batchOf(list: readonly Candidate[]): DeliveryBatch {
  return {
    count: list.length,
    client: Int32Array.from(list, (each) => each.client),
    sequence: Int32Array.from(list, (each) => each.sequence),
    receivedAtNs: Float64Array.from(list, (each) => each.receivedAtNs),
    notBeforeNs: Float64Array.from(list, (each) => each.notBeforeNs),
    flags: Uint8Array.from(list, (each) => each.flags),
  };
}

/** Receives the content of raw bytes. Buffers and views are valid only during the call. */
export interface RawReader {
  /** Reports that the message `bytes[start, end)` is a delivery or an acknowledgement. */
  found(candidate: Candidate, bytes: Buffer, start: number, end: number, isBinary: boolean): void;
  /** Reports a message of the protocol. `at` is the place of the event that brought it. */
  talk(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean): void;
  /** Answers a text that sessions need not see. Returns false for any other text. */
  replied(client: number, text: Uint8Array): boolean;
  pinged(client: number, payload: Uint8Array): void;
  ponged(events: EventRing, at: number, payload: Uint8Array): void;
  /** Reports the target's close frame, with `closeCode.none` if it has no code. */
  goodbye(client: number, code: number, reason: string): void;
  /** Reports that the client must be dropped with this close code. */
  over(client: number, mode: number, code: number, cause: Cause): void;
}

/** Reads the bytes that threads leave to JavaScript: fragments, close frames, violations, and non-ASCII messages. */
export class RawFrames implements FrameHandler {
  /** Receivers by client, for clients with an incomplete message. */
  readonly #unfinished = new Map<number, FrameReceiver>();
  /** Receiver for the next client without one. */
  #fresh: FrameReceiver;
  #receiver: FrameReceiver;
  #client = -1;
  #events!: EventRing;
  #at = 0;

  constructor(
    private readonly scan: SequenceScan,
    private readonly reader: RawReader,
    private readonly inflaters?: Inflaters,
  ) {
    this.#fresh = this.#create();
    this.#receiver = this.#fresh;
  }

  #create(): FrameReceiver {
    return new FrameReceiver(this, this.scan, largestMessage);
  }

  /** Takes the bytes of an event, `arena[start, end)`. Returns true if they are valid and complete. */
  take(events: EventRing, at: number, arena: Buffer, start: number, end: number): boolean {
    const client = events.client[at]!;
    const kept = this.#unfinished.get(client);
    const receiver = kept ?? this.#fresh;
    [this.#receiver, this.#client, this.#events, this.#at] = [receiver, client, events, at];
    const readAt = start + events.cut[at]!;
    receiver.inflater = this.inflaters?.of(client);
    receiver.receive(arena, start, readAt);
    receiver.receive(arena, readAt, end, (events.flags[at]! & eventFlag.behind) !== 0);
    this.#client = -1;
    const { isIdle } = receiver;
    if (kept === undefined && !isIdle) {
      if (!receiver.isEnded) this.#unfinished.set(client, receiver);
      this.#fresh = this.#create();
    } else if (isIdle || receiver.isEnded) this.#unfinished.delete(client);
    return isIdle;
  }

  /** Frees the state of a client whose connection ended. */
  forget(client: number): void {
    this.#unfinished.delete(client);
    if (client === this.#client) this.#receiver.stop();
  }

  /** Frees the state of all clients. All connections ended. */
  stop(): void {
    this.#unfinished.clear();
    this.#receiver.stop();
  }

  delivery(sequence: number, flags: number, bytes: Buffer, start: number, end: number, isBinary: boolean): void {
    const [events, at] = [this.#events, this.#at];
    const eventFlags = events.flags[at]!;
    const receivedAtNs = events.b[at]!;
    const isExact = (eventFlags & eventFlag.exact) !== 0 && this.#receiver.endsRead;
    const notBeforeNs = isExact ? receivedAtNs : events.a[at]!;
    const behind = events.behind[at]!;
    const all = flags | (eventFlags >> deliveryShift);
    this.reader.found(
      { client: this.#client, sequence, receivedAtNs, notBeforeNs, flags: all, behind },
      bytes,
      start,
      end,
      isBinary,
    );
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    if (isBinary || !this.reader.replied(this.#client, bytes))
      this.reader.talk(this.#events, this.#at, bytes, isBinary);
  }

  ping(payload: Uint8Array): void {
    this.reader.pinged(this.#client, payload);
  }

  pong(payload: Uint8Array): void {
    this.reader.ponged(this.#events, this.#at, payload);
  }

  closeReceived(code: number, reason: string): void {
    this.reader.goodbye(this.#client, code, reason);
  }

  failed(code: number, why: string): void {
    this.reader.over(this.#client, dropMode.fail, code, `protocol-error:${why}`);
  }
}

/**
 * Calls `take` with the places from `tail` to `head` of a ring, in two pieces if they wrap around. Both are counts
 * modulo 2^32, which the ring's size divides.
 */
export function eachPiece(size: number, tail: number, head: number, take: (start: number, end: number) => void): void {
  const count = (head - tail) >>> 0;
  const start = tail % size;
  const first = Math.min(count, size - start);
  if (first > 0) take(start, start + first);
  if (count > first) take(0, count - first);
}
