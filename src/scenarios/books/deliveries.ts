import { broadcastState, type Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import type { Presence } from './presence.js';
import { DeliveryTimes, Seen } from './times.js';

type BookContext = Pick<
  AudienceContext<{ warmUp: number }>,
  'clientCount' | 'options' | 'board' | 'slice' | 'recorder' | 'streams'
>;

/** Optional parts of `Deliveries`. Without them every client is there all the time. */
export interface DeliveriesMore {
  /** Returns true for a broadcast that is timed here. By default those of this shard are. */
  isTimed?(sequence: number): boolean;
  timed?(sequence: number, batch: DeliveryBatch, index: number): void;
  /** Number of measured broadcasts, from the first on, whose times are `deliveryBefore`. None by default. */
  before?: number;
  presence?: Presence;
  /** Decides which broadcasts are owed to which client, for scenarios whose clients come and go. */
  isOwed?(client: number, sequence: number): boolean;
}

/** Counts the deliveries of one worker, and times those of this shard. With a `presence` it counts replays apart. */
export class Deliveries {
  readonly #context: BookContext;
  readonly #warmUp: number;
  readonly #more: DeliveriesMore;
  readonly #seen: Seen;
  /** The highest sequence number of this shard's own broadcasts that each client received. */
  readonly #highest: Int32Array;
  readonly #isMember: Uint8Array;
  readonly #delivered: Uint32Array;
  /** Per client: below this number it has every broadcast owed to it, as far as `hasAll` checked. */
  readonly #completeBelow: Uint32Array;
  #complete = 0;
  readonly #times: DeliveryTimes;
  readonly #before: number;
  readonly #timesBefore: DeliveryTimes | undefined;
  readonly #presence: Presence | undefined;
  /** Times replayed deliveries, if clients come back. */
  readonly #replayed: Recorder | undefined;
  /** Per measured broadcast, if clients come back: live and replayed deliveries. */
  readonly #came: Record<'live' | 'replayed', Uint32Array>;
  readonly #isOwed: DeliveriesMore['isOwed'];
  #received = 0;
  #lastOwnNs = 0;
  /** Broadcasts below these numbers are expected so far, and are late. */
  #end: number;
  #closedBelow = 0;
  #unowed = 0;
  readonly #counts = { duplicate: 0, outOfOrder: 0, late: 0, stray: 0, clockFaults: 0 };
  #wrongStream = 0;

  constructor(context: BookContext, more: DeliveriesMore = {}) {
    const { before = 0, presence, isOwed } = more;
    const { clientCount, board } = context;
    this.#context = context;
    this.#warmUp = context.options.warmUp;
    this.#more = more;
    this.#end = board.size;
    this.#isOwed = isOwed;
    this.#seen = new Seen(clientCount, board.size);
    this.#highest = new Int32Array(clientCount).fill(-1);
    this.#isMember = new Uint8Array(clientCount);
    this.#delivered = new Uint32Array(board.size - this.#warmUp);
    this.#completeBelow = new Uint32Array(clientCount);
    this.#times = new DeliveryTimes(board, this.#delivered.length - before, context.recorder);
    this.#before = before;
    if (before > 0) this.#timesBefore = new DeliveryTimes(board, before, context.recorder, 'deliveryBefore');
    this.#presence = presence;
    this.#replayed = presence && context.recorder();
    this.#came = { live: new Uint32Array(this.#delivered.length), replayed: new Uint32Array(this.#delivered.length) };
  }

  admit(client: number): void {
    this.#isMember[client] = 1;
  }

  dismiss(client: number): void {
    this.#isMember[client] = 0;
  }

  /** Sets how many broadcasts are expected so far, in a run that sends in steps. */
  expect(end: number): void {
    this.#end = end;
    this.#complete = 0;
  }

  /** Ends the drain. What was expected counts as late from now on, and stays lost. */
  close(): void {
    this.#closedBelow = this.#end;
  }

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

  /** Returns true if all that is owed to this client, and is settled by now, has come. Goes on where it stopped. */
  hasAll(client: number): boolean {
    let sequence = this.#completeBelow[client] as number;
    while (sequence < this.#end && !this.#isAwaited(client, sequence)) sequence++;
    this.#completeBelow[client] = sequence;
    return sequence === this.#end;
  }

  #isAwaited(client: number, sequence: number): boolean {
    if (this.#seen.has(client, sequence) || this.#context.board.state[sequence] === broadcastState.never) return false;
    return this.#isDue(client, sequence);
  }

  #isDue(client: number, sequence: number): boolean {
    if (this.#context.streams?.has(client, sequence) === false) return false;
    return this.#isOwed?.(client, sequence) ?? true;
  }

  /** Returns true if every client that `isMember` names has all. It continues where it stopped, too. */
  haveAll(isMember: (client: number) => boolean): boolean {
    const { clientCount } = this.#context;
    while (this.#complete < clientCount && this.hasAll(this.#complete)) this.#complete++;
    for (let client = this.#complete; client < clientCount; client++) {
      if (isMember(client) && !this.hasAll(client)) return false;
    }
    return true;
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const { board, slice, streams } = this.#context;
    const warmUp = this.#warmUp;
    const { isTimed, timed } = this.#more;
    const counts = this.#counts;
    const presence = this.#presence;
    const isOwed = this.#isOwed;
    let lastOwn = -1;
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      const sequence = batch.sequence[i] as number;
      if (this.#isMember[client] !== 1 || sequence >= board.size) {
        counts.stray++;
        continue;
      }
      const isMeasured = sequence >= warmUp;
      if (streams !== undefined && !streams.has(client, sequence)) {
        if (isMeasured) this.#wrongStream++;
        continue;
      }
      if (isOwed !== undefined && !isOwed(client, sequence)) {
        if (isMeasured) this.#unowed++;
        continue;
      }
      if (this.#seen.has(client, sequence)) {
        if (isMeasured) counts.duplicate++;
        continue;
      }
      if (sequence < this.#closedBelow) {
        if (isMeasured) counts.late++;
        continue;
      }
      this.#seen.mark(client, sequence);
      this.#received++;
      if (isMeasured) this.#delivered[sequence - warmUp] = (this.#delivered[sequence - warmUp] as number) + 1;
      let isReplay = false;
      if (presence !== undefined) {
        isReplay = presence.isReplay(client, sequence);
        if (!isReplay) presence.cameLive(sequence, batch, i);
        const came = isReplay ? this.#came.replayed : this.#came.live;
        if (isMeasured) came[sequence - warmUp] = (came[sequence - warmUp] as number) + 1;
      }
      if (isTimed === undefined ? sequence % slice.of !== slice.index : !isTimed(sequence)) continue;
      lastOwn = i;
      const highest = this.#highest[client] as number;
      if (sequence > highest) this.#highest[client] = sequence;
      else if (isMeasured && this.#wasAnsweredBefore(sequence, highest)) counts.outOfOrder++;
      if (!isMeasured) continue;
      const replayed = isReplay ? this.#replayed : undefined;
      const unit = sequence - warmUp - this.#before;
      const isTaken =
        unit < 0
          ? this.#timesBefore!.record(sequence, sequence - warmUp, batch, i)
          : this.#times.record(sequence, unit, batch, i, replayed);
      if (!isTaken) counts.clockFaults++;
      else timed?.(sequence, batch, i);
    }
    if (lastOwn >= 0) this.#lastOwnNs = batch.receivedAtNs[lastOwn] as number;
  }

  /** Returns true if one broadcast was answered before the other was sent. Overlapping ones have no order to break. */
  #wasAnsweredBefore(sequence: number, later: number): boolean {
    const { board } = this.#context;
    const isInFlight = board.state[sequence] === broadcastState.sent;
    return !isInFlight && (board.ackAtNs[sequence] as number) <= (board.sentAtNs[later] as number);
  }

  /** Counts, per measured broadcast, the members that miss it: by the bits, so that the ledger can find a mismatch. */
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
        if (!isCounted(client, sequence) || !this.#isDue(client, sequence)) continue;
        owed[sequence - first] = (owed[sequence - first] as number) + 1;
      }
    }
    return owed;
  }

  report() {
    const presence = this.#presence;
    const { streams } = this.#context;
    const [times, before] = [this.#times.report(), this.#timesBefore?.report()];
    const samples: RoleReport['samples'] = {
      ...{ ...times.samples, ...before?.samples },
      ...(this.#replayed && { replayed: this.#replayed.finish() }),
    };
    const series: RoleReport['series'] = {
      delivered: this.#delivered,
      missing: this.#missing(),
      ...((this.#isOwed || streams) && { owed: this.owed(this.#warmUp) }),
      ...(presence && {
        cameLive: this.#came.live,
        cameReplayed: this.#came.replayed,
        missedAway: this.#missing((client, sequence) => presence.wasAway(client, sequence)),
        missedThere: this.#missing((client, sequence) => !presence.wasAway(client, sequence)),
      }),
      ...{ ...times.series, ...before?.series },
    };
    const counts = {
      ...this.#counts,
      ...(this.#isOwed && { unowed: this.#unowed }),
      ...(streams && { wrongStream: this.#wrongStream }),
      ...{ subscribers: this.#isMember.reduce((sum, each) => sum + each, 0), received: this.#received },
    };
    return { counts, series, samples };
  }
}
