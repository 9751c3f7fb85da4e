import type { DeliveryBatch } from '../../protocols/protocol.js';
import { dueAtNs } from '../pace.js';
import type { RoleContext } from '../scenario.js';

/** How far apart shards may start: each knows the others' schedule by its own start alone. */
const startSkewNs = 500e6;
/** A frame may still be unread: a broadcast sent this shortly before a client left counts as sent while away. */
const unreadNs = 50e6;

type PresenceContext = Pick<RoleContext<{ ratePerSecond: number }>, 'board' | 'slice' | 'options'>;

/** When the clients of a worker were there, beside when broadcasts were sent. */
export class ClientPresence {
  readonly #context: PresenceContext;
  readonly #windows: Windows;
  /** When the attempt for its connection began. The confirmation is too late: live frames may come before it. */
  readonly #liveFromNs: Float64Array;
  readonly #intendedNs: Float64Array;
  /** When each broadcast first and last reached a client of this worker live; 0 before it did. */
  readonly #firstLiveNs: Float64Array;
  readonly #lastLiveNs: Float64Array;

  constructor(context: PresenceContext, clients: number) {
    this.#context = context;
    this.#windows = new Windows(clients);
    this.#liveFromNs = new Float64Array(clients);
    this.#intendedNs = new Float64Array(context.board.size);
    this.#firstLiveNs = new Float64Array(context.board.size);
    this.#lastLiveNs = new Float64Array(context.board.size);
  }

  begin(startAtNs: number): void {
    const { ratePerSecond } = this.#context.options;
    this.#intendedNs.forEach((_, sequence) => {
      this.#intendedNs[sequence] = startAtNs + dueAtNs(sequence, ratePerSecond);
    });
  }

  left(client: number, atNs: number): void {
    this.#windows.begin(client, atNs);
  }

  /** A new connection of the client is open, by an attempt that began at `sinceNs`. */
  returning(client: number, sinceNs: number): void {
    this.#liveFromNs[client] = sinceNs;
  }

  back(client: number, atNs: number): void {
    this.#windows.end(client, atNs);
  }

  /** Whether the target took that broadcast before the client began its last return. Allocates nothing. */
  isReplay(client: number, sequence: number): boolean {
    const { board, slice } = this.#context;
    const liveFromNs = this.#liveFromNs[client] as number;
    if (sequence % slice.of === slice.index) {
      // A busy target may take a broadcast after the client subscribed: only an answered one is surely a replay.
      const ackAtNs = board.ackAtNs[sequence] as number;
      return ackAtNs > 0 && ackAtNs < liveFromNs;
    }
    // Another shard's stamps are not on this board. What reached others here live before that was sent before that.
    const firstLiveNs = this.#firstLiveNs[sequence] as number;
    if (firstLiveNs > 0) return firstLiveNs < liveFromNs;
    return (this.#intendedNs[sequence] as number) + startSkewNs < liveFromNs;
  }

  /** A live delivery of that broadcast arrived: number `index` of the batch. Allocates nothing. */
  cameLive(sequence: number, batch: DeliveryBatch, index: number): void {
    if (this.#firstLiveNs[sequence] === 0) this.#firstLiveNs[sequence] = batch.receivedAtNs[index] as number;
    this.#lastLiveNs[sequence] = batch.receivedAtNs[index] as number;
  }

  /** Whether the client was away between that broadcast's send and its last live delivery in this worker. */
  wasAway(client: number, sequence: number): boolean {
    const { board, slice } = this.#context;
    const stampNs = sequence % slice.of === slice.index ? (board.sentAtNs[sequence] as number) : 0;
    const sentNs = stampNs > 0 ? stampNs : (this.#intendedNs[sequence] as number);
    const arrivedNs = (this.#lastLiveNs[sequence] as number) || sentNs;
    // By another shard's schedule an arrival can seem to come before its send.
    return this.#windows.touches(client, Math.min(sentNs, arrivedNs), Math.max(sentNs, arrivedNs) + unreadNs);
  }
}

/** Windows per client; after that the last one grows to hold the rest. */
const windowsAtMost = 256;

interface Window {
  fromNs: number;
  /** Infinite while the client is away. */
  toNs: number;
}

/** When each client was away: from a lost connection until its confirmed subscription. */
export class Windows {
  readonly #ofClient: Window[][];

  constructor(clients: number) {
    this.#ofClient = Array.from({ length: clients }, () => []);
  }

  begin(client: number, fromNs: number): void {
    const windows = this.#ofClient[client] as Window[];
    const last = windows.at(-1);
    if (last !== undefined && windows.length === windowsAtMost) last.toNs = Number.POSITIVE_INFINITY;
    else windows.push({ fromNs, toNs: Number.POSITIVE_INFINITY });
  }

  end(client: number, toNs: number): void {
    const last = this.#ofClient[client]?.at(-1);
    if (last !== undefined) last.toNs = toNs;
  }

  touches(client: number, fromNs: number, toNs: number): boolean {
    return (this.#ofClient[client] as Window[]).some((window) => window.fromNs <= toNs && window.toNs >= fromNs);
  }
}
