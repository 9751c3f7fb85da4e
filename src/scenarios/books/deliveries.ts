import { Blocks, binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import {
  type ArrivalStamps,
  atLeastUs,
  broadcastState,
  type Recorder,
  recordersOf,
  type SendStamps,
} from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import type { Presence } from './presence.js';

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
  readonly #warmUp: number;
  readonly #seen: Seen;
  /** The highest sequence number of this shard's own broadcasts that each client received. */
  readonly #highest: Int32Array;
  readonly #isMember: Uint8Array;
  readonly #delivered: Uint32Array;
  /** Per client: below this number it has every broadcast owed to it, as far as `hasAll` checked. */
  readonly #completeBelow: Uint32Array;
  #complete = 0;
  readonly times: DeliveryTimes;
  readonly #timesBefore: DeliveryTimes | undefined;
  /** Times replayed deliveries, if clients come back. */
  readonly #replayed: Recorder | undefined;
  /** Per measured broadcast, if clients come back: live and replayed deliveries. */
  readonly #came: Record<'live' | 'replayed', Uint32Array>;
  received = 0;
  /** Instant of the last delivery in time of this shard's own broadcasts; 0 before the first. */
  lastOwnNs = 0;
  /** Broadcasts below these numbers are expected so far, and are late. */
  #end: number;
  #closedBelow = 0;
  readonly #counts = { duplicate: 0, outOfOrder: 0, late: 0, stray: 0, clockFaults: 0, unowed: 0, wrongStream: 0 };

  constructor(
    private readonly context: BookContext,
    private readonly more: DeliveriesMore = {},
  ) {
    const { clientCount, board, recorder } = context;
    const { before = 0, presence } = more;
    this.#warmUp = context.options.warmUp;
    this.#end = board.size;
    this.#seen = new Seen(clientCount, board.size);
    this.#highest = new Int32Array(clientCount).fill(-1);
    this.#isMember = new Uint8Array(clientCount);
    this.#delivered = new Uint32Array(board.size - this.#warmUp);
    this.#completeBelow = new Uint32Array(clientCount);
    this.times = new DeliveryTimes(board, this.#delivered.length - before, recorder);
    if (before > 0) this.#timesBefore = new DeliveryTimes(board, before, recorder, 'deliveryBefore');
    this.#replayed = presence && recorder();
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

  /** Returns true if all that is owed to this client, and is settled by now, has come. Goes on where it stopped. */
  hasAll(client: number): boolean {
    const { state } = this.context.board;
    const isSettled = (sequence: number): boolean =>
      this.#seen.has(client, sequence) || state[sequence] === broadcastState.never || !this.#isDue(client, sequence);
    let sequence = this.#completeBelow[client] as number;
    while (sequence < this.#end && isSettled(sequence)) sequence++;
    this.#completeBelow[client] = sequence;
    return sequence === this.#end;
  }

  #isDue(client: number, sequence: number): boolean {
    if (this.context.streams?.has(client, sequence) === false) return false;
    return this.more.isOwed?.(client, sequence) ?? true;
  }

  /** Returns true if every client that `isMember` names has all. It continues where it stopped, too. */
  haveAll(isMember: (client: number) => boolean): boolean {
    const { clientCount } = this.context;
    while (this.#complete < clientCount && this.hasAll(this.#complete)) this.#complete++;
    for (let client = this.#complete; client < clientCount; client++)
      if (isMember(client) && !this.hasAll(client)) return false;
    return true;
  }

  /** Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const { board, slice, streams } = this.context;
    const warmUp = this.#warmUp;
    const { isTimed, timed, presence, isOwed, before = 0 } = this.more;
    const counts = this.#counts;
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
        if (isMeasured) counts.wrongStream++;
        continue;
      }
      if (isOwed !== undefined && !isOwed(client, sequence)) {
        if (isMeasured) counts.unowed++;
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
      this.received++;
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
      const unit = sequence - warmUp - before;
      const isTaken =
        unit < 0
          ? this.#timesBefore!.record(sequence, sequence - warmUp, batch, i)
          : this.times.record(sequence, unit, batch, i, isReplay ? this.#replayed : undefined);
      if (!isTaken) counts.clockFaults++;
      else timed?.(sequence, batch, i);
    }
    if (lastOwn >= 0) this.lastOwnNs = batch.receivedAtNs[lastOwn] as number;
  }

  /** Returns true if one broadcast was answered before the other was sent. Overlapping ones have no order to break. */
  #wasAnsweredBefore(sequence: number, later: number): boolean {
    const { board } = this.context;
    const isInFlight = board.state[sequence] === broadcastState.sent;
    return !isInFlight && (board.ackAtNs[sequence] as number) <= (board.sentAtNs[later] as number);
  }

  /** Counts, per measured broadcast, the members that miss it: by the bits, so that the ledger can find a mismatch. */
  #missing(isCounted: (client: number, sequence: number) => boolean = () => true): Uint32Array {
    return this.owed(
      this.#warmUp,
      (client, sequence) => !this.#seen.has(client, sequence) && isCounted(client, sequence),
    );
  }

  /** Counts, per broadcast from number `first` on, the members to whom it is owed and for whom `isCounted` is true. */
  owed(first: number, isCounted: (client: number, sequence: number) => boolean = () => true): Uint32Array {
    const { board, clientCount } = this.context;
    const owed = new Uint32Array(board.size - first);
    for (let client = 0; client < clientCount; client++) {
      if (this.#isMember[client] !== 1) continue;
      for (let sequence = first; sequence < board.size; sequence++)
        if (isCounted(client, sequence) && this.#isDue(client, sequence)) owed[sequence - first]!++;
    }
    return owed;
  }

  report() {
    const { presence, isOwed } = this.more;
    const { streams } = this.context;
    const { unowed, wrongStream, ...counts } = this.#counts;
    const [times, before] = [this.times.report(), this.#timesBefore?.report()];
    const replayed = this.#replayed && { replayed: this.#replayed.finish() };
    const samples: RoleReport['samples'] = { ...times.samples, ...before?.samples, ...replayed };
    const series: RoleReport['series'] = {
      delivered: this.#delivered,
      missing: this.#missing(),
      ...((isOwed || streams) && { owed: this.owed(this.#warmUp) }),
      ...(presence && {
        cameLive: this.#came.live,
        cameReplayed: this.#came.replayed,
        missedAway: this.#missing((client, sequence) => presence.wasAway(client, sequence)),
        missedThere: this.#missing((client, sequence) => !presence.wasAway(client, sequence)),
      }),
      ...{ ...times.series, ...before?.series },
    };
    const subscribers = this.#isMember.reduce((sum, each) => sum + each, 0);
    const ofOwed = { ...(isOwed && { unowed }), ...(streams && { wrongStream }) };
    return { counts: { ...counts, ...ofOwed, subscribers, received: this.received }, series, samples };
  }
}

/** Holds one bit for every pair of a client of a worker and a broadcast of the run. */
class Seen {
  readonly #stride: number;
  readonly #bits: Uint8Array;

  constructor(clients: number, broadcasts: number) {
    this.#stride = Math.ceil(broadcasts / 8);
    this.#bits = new Uint8Array(clients * this.#stride);
  }

  has(client: number, broadcast: number): boolean {
    return ((this.#bits[client * this.#stride + (broadcast >>> 3)] as number) & (1 << (broadcast & 7))) !== 0;
  }

  mark(client: number, broadcast: number): void {
    const at = client * this.#stride + (broadcast >>> 3);
    this.#bits[at] = (this.#bits[at] as number) | (1 << (broadcast & 7));
  }
}

/** Times the deliveries of one worker, or its answers: from the send, from the schedule, and at least. */
export class DeliveryTimes {
  readonly #recorders: Record<'sent' | 'intended' | 'least', Recorder>;
  readonly #blocks: Record<'sent' | 'intended' | 'least', Blocks>;
  readonly bins = new Uint32Array(binsPerBlock);

  /** `metric`: name of the times from the send. The names of the others begin with it. */
  constructor(
    private readonly stamps: SendStamps,
    units: number,
    recorder: () => Recorder,
    private readonly metric = 'delivery',
  ) {
    this.#recorders = recordersOf(recorder, 'sent', 'intended', 'least');
    this.#blocks = { sent: new Blocks(units), intended: new Blocks(units), least: new Blocks(units) };
  }

  /**
   * Times delivery `index` of a batch by its send and its block's unit. A replayed one goes into `replayed` only.
   * Returns false if the stamps contradict each other. It reads doubles itself, because arguments may be boxed.
   */
  record(send: number, unit: number, batch: ArrivalStamps, index: number, replayed?: Recorder): boolean {
    const receivedAtNs = batch.receivedAtNs[index] as number;
    const stamps = this.stamps;
    const sentAtNs = stamps.sentAtNs[send] as number;
    if (sentAtNs === 0 || receivedAtNs < sentAtNs) return false;
    const us = (receivedAtNs - sentAtNs) / 1000;
    if (replayed) {
      replayed.record(us);
      return true;
    }
    const fromIntendedUs = (receivedAtNs - (stamps.intendedAtNs[send] as number)) / 1000;
    this.#recorders.sent.record(us);
    const bin = this.#blocks.sent.record(unit, us);
    this.bins[bin] = (this.bins[bin] as number) + 1;
    this.#recorders.intended.record(fromIntendedUs);
    this.#blocks.intended.record(unit, fromIntendedUs);
    const leastUs = atLeastUs(batch.notBeforeNs[index] as number, stamps.writtenAtNs[send] as number);
    this.#recorders.least.record(leastUs);
    this.#blocks.least.record(unit, leastUs);
    return true;
  }

  report() {
    const names = { sent: this.metric, intended: `${this.metric}FromIntended`, least: `${this.metric}AtLeast` };
    const ways = ['sent', 'intended', 'least'] as const;
    return {
      samples: Object.fromEntries(ways.map((way) => [names[way], this.#recorders[way].finish()])),
      series: Object.fromEntries(ways.map((way) => [blocksOf(names[way]), this.#blocks[way].finish()])),
    };
  }
}
