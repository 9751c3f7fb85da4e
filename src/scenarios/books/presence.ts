import type { DeliveryBatch } from '../../protocols/protocol.js';
import { dueAtNs, plannedNs } from '../pace.js';
import type { AudienceContext, RoleContext } from '../scenario.js';

/** The largest difference between the starts of shards: each knows the schedule of the others only by its own. */
const startSkewNs = 500e6;

type AttendanceContext = Pick<
  AudienceContext<{ ratePerSecond: number }>,
  'board' | 'slice' | 'options' | 'clientCount' | 'dueMs'
>;

/** Decides which broadcasts a visitor is owed: those between its confirmed subscription and its planned end. */
export class Attendance {
  readonly #context: AttendanceContext;
  readonly #first: number;
  readonly #fromNs: Float64Array;
  readonly #toNs: Float64Array;
  #startAtNs = 0;

  /** Clients from number `first` on are visitors. Every broadcast is owed to those before them. */
  constructor(context: AttendanceContext, first: number) {
    const visitors = context.clientCount - first;
    this.#context = context;
    this.#first = first;
    this.#fromNs = new Float64Array(visitors).fill(never);
    this.#toNs = new Float64Array(visitors);
  }

  begin(startAtNs: number): void {
    this.#startAtNs = startAtNs;
  }

  admit(client: number, fromNs: number, toNs: number): void {
    this.#fromNs[client - this.#first] = fromNs;
    this.#toNs[client - this.#first] = toNs;
  }

  /** Allocates nothing. */
  isOwed(client: number, sequence: number): boolean {
    if (client < this.#first) return true;
    const fromNs = this.#fromNs[client - this.#first] as number;
    const toNs = this.#toNs[client - this.#first] as number;
    const { board, slice, options } = this.#context;
    if (sequence % slice.of === slice.index) {
      const sentAtNs = board.sentAtNs[sequence] as number;
      return sentAtNs > 0 && fromNs <= sentAtNs && sentAtNs <= toNs;
    }
    // The stamps of another shard are not in this table. So only its broadcasts that were surely sent within the visit
    // are owed.
    const intendedNs = this.#startAtNs + plannedNs(this.#context, sequence, options.ratePerSecond);
    return fromNs + startSkewNs <= intendedNs && intendedNs <= toNs - startSkewNs;
  }
}

/** A broadcast that others received this shortly before a client left counts as sent while it was away. */
const underWayNs = 50e6;
const mostWindows = 256;
const never = Number.POSITIVE_INFINITY;

/** Describes when clients that are cut off and come back were there. */
export type Presence = Pick<ClientPresence, 'isReplay' | 'cameLive' | 'wasAway'>;

type PresenceContext = Pick<RoleContext<{ ratePerSecond: number }>, 'board' | 'slice' | 'options'>;

/** Records when the clients of a worker were there, and when broadcasts were sent. */
export class ClientPresence {
  readonly #context: PresenceContext;
  /** When each client was away: begins and ends in turn. The last one grows to hold what is beyond the most. */
  readonly #windows: number[][];
  /** Start of the attempt that opened each client's connection, as live frames may come before the confirmation. */
  readonly #liveFromNs: Float64Array;
  readonly #intendedNs: Float64Array;
  /** Instants when each broadcast first and last reached a client of this worker live; 0 before it did. */
  readonly #firstLiveNs: Float64Array;
  readonly #lastLiveNs: Float64Array;
  /** Per shard, the longest time that its broadcasts arrived before they were due here: it may have started earlier. */
  readonly #aheadNs: Float64Array;
  /** The shortest delivery time of this shard's own broadcasts. */
  #shortestNs = never;

  constructor(context: PresenceContext, clients: number) {
    this.#context = context;
    this.#windows = Array.from({ length: clients }, () => []);
    this.#liveFromNs = new Float64Array(clients);
    this.#intendedNs = new Float64Array(context.board.size);
    this.#firstLiveNs = new Float64Array(context.board.size);
    this.#lastLiveNs = new Float64Array(context.board.size);
    this.#aheadNs = new Float64Array(context.slice.of).fill(Number.NEGATIVE_INFINITY);
  }

  begin(startAtNs: number): void {
    const { ratePerSecond } = this.#context.options;
    this.#intendedNs.forEach((_, sequence) => {
      this.#intendedNs[sequence] = startAtNs + dueAtNs(sequence, ratePerSecond);
    });
  }

  /** Begins an absence. A busy machine may not have read frames that came after `readNs` before the client left. */
  left(client: number, atNs: number, readNs = atNs): void {
    const windows = this.#windows[client] as number[];
    if (windows.length < 2 * mostWindows) windows.push(Math.min(atNs, readNs + underWayNs), never);
    else windows[windows.length - 1] = never;
  }

  returning(client: number, sinceNs: number): void {
    this.#liveFromNs[client] = sinceNs;
  }

  back(client: number, atNs: number): void {
    const windows = this.#windows[client] as number[];
    if (windows.length > 0) windows[windows.length - 1] = atNs;
  }

  /** Returns true if the target took the broadcast before the client began its last return. Allocates nothing. */
  isReplay(client: number, sequence: number): boolean {
    const { board, slice } = this.#context;
    const liveFromNs = this.#liveFromNs[client] as number;
    if (sequence % slice.of === slice.index) {
      // A busy target may take a broadcast after the client subscribed. So only an answered broadcast is surely a
      // replay.
      const ackAtNs = board.ackAtNs[sequence] as number;
      return ackAtNs > 0 && ackAtNs < liveFromNs;
    }
    // The stamps of another shard are not in this table. A broadcast that others here received live before an instant
    // was sent before it.
    const firstLiveNs = this.#firstLiveNs[sequence] as number;
    if (firstLiveNs > 0) return firstLiveNs < liveFromNs;
    return (this.#intendedNs[sequence] as number) + startSkewNs < liveFromNs;
  }

  /** Notes a live delivery of the broadcast: number `index` of the batch. Allocates nothing. */
  cameLive(sequence: number, batch: DeliveryBatch, index: number): void {
    const receivedAtNs = batch.receivedAtNs[index] as number;
    if (this.#firstLiveNs[sequence] === 0) {
      this.#firstLiveNs[sequence] = receivedAtNs;
      this.#learn(sequence, receivedAtNs);
    }
    this.#lastLiveNs[sequence] = receivedAtNs;
  }

  #learn(sequence: number, firstNs: number): void {
    const { board, slice } = this.#context;
    const shard = sequence % slice.of;
    if (shard === slice.index) {
      this.#shortestNs = Math.min(this.#shortestNs, Math.max(0, firstNs - (board.sentAtNs[sequence] as number)));
    } else {
      const aheadNs = (this.#intendedNs[sequence] as number) - firstNs;
      this.#aheadNs[shard] = Math.max(this.#aheadNs[shard] as number, aheadNs);
    }
  }

  /** Returns true if the client was away between the broadcast's send and its answer or last live delivery here. */
  wasAway(client: number, sequence: number): boolean {
    const { board, slice } = this.#context;
    const stampNs = sequence % slice.of === slice.index ? (board.sentAtNs[sequence] as number) : 0;
    const sentNs = stampNs > 0 ? stampNs : (this.#intendedNs[sequence] as number);
    const fromNs = stampNs > 0 ? stampNs : sentNs - this.#headStartNs(sequence % slice.of);
    const answeredNs = stampNs > 0 ? (board.ackAtNs[sequence] as number) : 0;
    const toNs = Math.max(sentNs, answeredNs, this.#lastLiveNs[sequence] as number);
    const windows = this.#windows[client] as number[];
    return windows.some((beginNs, at) => {
      return at % 2 === 0 && beginNs <= toNs + underWayNs && (windows[at + 1] as number) >= fromNs;
    });
  }

  /** Returns how much earlier another shard may have started, if its deliveries took no less than our own. */
  #headStartNs(shard: number): number {
    const shortestNs = Number.isFinite(this.#shortestNs) ? this.#shortestNs : 0;
    return Math.max(0, (this.#aheadNs[shard] as number) + shortestNs);
  }
}
