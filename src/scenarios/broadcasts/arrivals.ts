import { broadcastState, type Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { DeliveryTimes, Seen } from '../roles/delivery-times.js';
import type { AudienceContext } from '../scenario.js';
import type { ClientPresence } from './presence.js';

type ArrivalsContext = Pick<
  AudienceContext<{ warmUp: number }>,
  'clientCount' | 'options' | 'board' | 'slice' | 'recorder'
>;

/** Describes the presence of clients that are cut off and come back. */
export type Presence = Pick<ClientPresence, 'isReplay' | 'cameLive' | 'wasAway'>;

/** Decides which broadcasts are owed to which client, for scenarios whose clients come and go. */
interface Owing {
  isOwed(client: number, sequence: number): boolean;
}

/** Optional parts of `Arrivals`. Without them every client is there all the time. */
export interface ArrivalsMore {
  /** False where all sends are only counted, as broadcasts of other shards are. */
  isTimed?: boolean;
  presence?: Presence;
  owing?: Owing;
}

/**
 * Counts the deliveries of one worker, and times those that this shard sent. With a `presence` it counts replays, and
 * losses while away, separately.
 */
export class Arrivals {
  readonly #context: ArrivalsContext;
  readonly #warmUp: number;
  readonly #isTimed: boolean;
  readonly #seen: Seen;
  /** The highest sequence number of this shard's own broadcasts that each client received. */
  readonly #highest: Int32Array;
  readonly #isMember: Uint8Array;
  readonly #delivered: Uint32Array;
  /** Per client: below this number it has every broadcast owed to it, as far as `hasAll` checked. */
  readonly #completeBelow: Uint32Array;
  readonly #times: DeliveryTimes;
  readonly #replays: Replays | undefined;
  readonly #owing: Owing | undefined;
  #received = 0;
  /** The broadcasts that can reach a member, once publishing is over. */
  #awaited: number | undefined;
  #lastOwnNs = 0;
  #isClosed = false;
  /** Deliveries to members of measured broadcasts that are not owed to them. */
  #unowed = 0;
  readonly #counts = { duplicate: 0, outOfOrder: 0, late: 0, stray: 0, clockFaults: 0 };

  constructor(context: ArrivalsContext, { isTimed = true, presence, owing }: ArrivalsMore = {}) {
    const { clientCount, board } = context;
    const recorder = (): Recorder => context.recorder();
    this.#context = context;
    this.#warmUp = context.options.warmUp;
    this.#isTimed = isTimed;
    this.#owing = owing;
    this.#seen = new Seen(clientCount, board.size);
    this.#highest = new Int32Array(clientCount).fill(-1);
    this.#isMember = new Uint8Array(clientCount);
    this.#delivered = new Uint32Array(board.size - this.#warmUp);
    this.#completeBelow = new Uint32Array(clientCount);
    this.#times = new DeliveryTimes(board, this.#delivered.length, recorder);
    this.#replays = presence && new Replays(presence, this.#delivered.length, this.#warmUp, recorder());
  }

  /** Adds a client to the members, to whom every broadcast is owed. */
  admit(client: number): void {
    this.#isMember[client] = 1;
  }

  /** Removes a client that left before the first broadcast from the members. */
  dismiss(client: number): void {
    this.#isMember[client] = 0;
  }

  /** Ends the drain. A delivery from now on counts as late, and its broadcast stays lost. */
  close(): void {
    this.#isClosed = true;
  }

  /** Deliveries that arrived in time, warm-up included. */
  get received(): number {
    return this.#received;
  }

  /** Instant of the last delivery in time of this shard's own broadcasts; 0 before the first. */
  get lastOwnNs(): number {
    return this.#lastOwnNs;
  }

  get deliveryBins(): Uint32Array {
    return this.#times.bins;
  }

  /**
   * Returns true if every broadcast owed to this client, warm-up included, reached it in time. Call it only once it is
   * settled which broadcasts are owed. It is called repeatedly, so it continues where it stopped.
   */
  hasAll(client: number): boolean {
    const { size } = this.#context.board;
    let sequence = this.#completeBelow[client] as number;
    while (sequence < size && !this.#isAwaited(client, sequence)) sequence++;
    this.#completeBelow[client] = sequence;
    return sequence === size;
  }

  #isAwaited(client: number, sequence: number): boolean {
    if (this.#seen.has(client, sequence) || this.#context.board.state[sequence] === broadcastState.never) return false;
    return this.#isOwed(client, sequence);
  }

  #isOwed(client: number, sequence: number): boolean {
    return this.#owing === undefined || this.#owing.isOwed(client, sequence);
  }

  /**
   * Returns true if every broadcast owed to any of the `members` reached it in time. The total is cheap to check first,
   * but also includes deliveries to former members.
   */
  haveAll(all: { readonly members: number; isMember(client: number): boolean }): boolean {
    this.#awaited ??= this.#context.board.state.reduce((sum, each) => sum + (each === broadcastState.never ? 0 : 1), 0);
    if (this.#received < all.members * this.#awaited) return false;
    for (let client = 0; client < this.#context.clientCount; client++) {
      if (all.isMember(client) && !this.hasAll(client)) return false;
    }
    return true;
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const { board, slice } = this.#context;
    const warmUp = this.#warmUp;
    const isTimed = this.#isTimed;
    const counts = this.#counts;
    const replays = this.#replays;
    const owing = this.#owing;
    let lastOwn = -1;
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      const sequence = batch.sequence[i] as number;
      if (this.#isMember[client] !== 1 || sequence >= board.size) {
        counts.stray++;
        continue;
      }
      const isMeasured = sequence >= warmUp;
      if (owing !== undefined && !owing.isOwed(client, sequence)) {
        if (isMeasured) this.#unowed++;
        continue;
      }
      if (this.#seen.has(client, sequence)) {
        if (isMeasured) counts.duplicate++;
        continue;
      }
      if (this.#isClosed) {
        if (isMeasured) counts.late++;
        continue;
      }
      this.#seen.mark(client, sequence);
      this.#received++;
      if (isMeasured) this.#delivered[sequence - warmUp] = (this.#delivered[sequence - warmUp] as number) + 1;
      const isReplay = replays?.take(client, sequence, batch, i) ?? false;
      if (!isTimed || sequence % slice.of !== slice.index) continue;
      lastOwn = i;
      const highest = this.#highest[client] as number;
      if (sequence > highest) this.#highest[client] = sequence;
      else if (isMeasured && this.#wasAnsweredBefore(sequence, highest)) counts.outOfOrder++;
      if (!isMeasured) continue;
      const replayed = isReplay ? replays?.latency : undefined;
      if (!this.#times.record(sequence, sequence - warmUp, batch, i, replayed)) counts.clockFaults++;
    }
    if (lastOwn >= 0) this.#lastOwnNs = batch.receivedAtNs[lastOwn] as number;
  }

  /**
   * Returns true if the target answered one broadcast before the other was sent. Overlapping publishes have no order to
   * break.
   */
  #wasAnsweredBefore(sequence: number, later: number): boolean {
    const { board } = this.#context;
    const isInFlight = board.state[sequence] === broadcastState.sent;
    return !isInFlight && (board.ackAtNs[sequence] as number) <= (board.sentAtNs[later] as number);
  }

  /**
   * Counts, per measured broadcast, the members that miss it. Reads the bits, an independent source, so that the ledger
   * can find a mismatch.
   */
  #missing(isCounted: (client: number, sequence: number) => boolean = () => true): Uint32Array {
    return this.owed(this.#warmUp, (client, sequence) => {
      return !this.#seen.has(client, sequence) && isCounted(client, sequence);
    });
  }

  /** Counts, per broadcast from number `first` on, the members to whom it is owed and for whom `isCounted` is true. */
  owed(first: number, isCounted: (client: number, sequence: number) => boolean = () => true): Uint32Array {
    const { board, clientCount } = this.#context;
    const owed = new Uint32Array(board.size - first);
    for (let client = 0; client < clientCount; client++) {
      if (this.#isMember[client] !== 1) continue;
      for (let sequence = first; sequence < board.size; sequence++) {
        if (!isCounted(client, sequence) || !this.#isOwed(client, sequence)) continue;
        owed[sequence - first] = (owed[sequence - first] as number) + 1;
      }
    }
    return owed;
  }

  report(): { counts: Record<string, number>; series: Record<string, Uint32Array>; samples: Record<string, Samples> } {
    const subscribers = this.#isMember.reduce((sum, each) => sum + each, 0);
    const replays = this.#replays;
    const times = this.#times.report();
    return {
      counts: {
        ...this.#counts,
        ...(this.#owing && { unowed: this.#unowed }),
        ...{ subscribers, received: this.#received },
      },
      series: {
        delivered: this.#delivered,
        missing: this.#missing(),
        ...(this.#owing && { owed: this.owed(this.#warmUp) }),
        ...(replays && {
          cameLive: replays.live,
          cameReplayed: replays.replayed,
          missedAway: this.#missing((client, sequence) => replays.presence.wasAway(client, sequence)),
          missedThere: this.#missing((client, sequence) => !replays.presence.wasAway(client, sequence)),
        }),
        ...times.series,
      },
      samples: { ...times.samples, ...(replays && { replayed: replays.latency.finish() }) },
    };
  }
}

/** Counts live and replayed deliveries separately. */
class Replays {
  readonly live: Uint32Array;
  readonly replayed: Uint32Array;

  constructor(
    readonly presence: Presence,
    broadcasts: number,
    private readonly warmUp: number,
    readonly latency: Recorder,
  ) {
    this.live = new Uint32Array(broadcasts);
    this.replayed = new Uint32Array(broadcasts);
  }

  /** Counts a delivery that arrived in time. Returns true if it is a replay. Hot path: allocates nothing. */
  take(client: number, sequence: number, batch: DeliveryBatch, index: number): boolean {
    const isReplay = this.presence.isReplay(client, sequence);
    if (!isReplay) this.presence.cameLive(sequence, batch, index);
    if (sequence < this.warmUp) return isReplay;
    const counts = isReplay ? this.replayed : this.live;
    counts[sequence - this.warmUp] = (counts[sequence - this.warmUp] as number) + 1;
    return isReplay;
  }
}
