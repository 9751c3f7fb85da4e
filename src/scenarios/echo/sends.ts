import { Blocks, binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import type { BlockTimes } from '../../measure/samples/over-time.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { SendBatch } from '../../protocols/protocol.js';
import { atLeastUs, finished, recordersOf } from '../books/times.js';
import { lastsMs } from '../pace.js';
import type { Roster } from '../roster/roster.js';
import type { AudienceContext } from '../scenario.js';
import { RateMeter, sendsIn } from '../traffic/send-schedule.js';
import { Sends } from '../traffic/sends.js';
import { type EchoBook, firstSend } from './book.js';
import type { EchoOptions } from './options.js';

/** Parts of the schedule over which intervals are drawn. Round trips in one slice depend on each other. */
const slices = 256;

/** The unit of a send that is not measured. */
export const ofWarmUp = -1;

/**
 * Returns the measured time of a run, in milliseconds: all periods of each client's schedule, or the duration of a
 * closed loop.
 */
export function scheduleMs({ loop, ...options }: Pick<EchoOptions, 'loop' | 'ratePerSecond' | 'durationMs'>): number {
  return loop === 'open' ? (sendsIn(options) * 1000) / options.ratePerSecond : options.durationMs;
}

/** Returns when the slices of a run's schedule lie, for every metric whose blocks `RoundTrips` keeps. */
export function sliceTimes(options: EchoOptions): Record<string, BlockTimes> {
  const firstMs = lastsMs(options.warmUp, options.ratePerSecond);
  const times = { stage: 'echo', firstMs, everyMs: scheduleMs(options) / slices, units: slices };
  return options.loop === 'open' ? { roundTrip: times, roundTripFromIntended: times } : { roundTrip: times };
}

/** Holds the instants of a send and of its echo, in nanoseconds; `writtenAtNs` is 0 if unknown. */
interface RoundTrip {
  intendedAtNs: number;
  sentAtNs: number;
  writtenAtNs: number;
  receivedAtNs: number;
  notBeforeNs: number;
}

/**
 * Times the round trips of one worker: from the send and, on an open schedule, also from the scheduled instant. They
 * are counted by unit: a slice of the schedule, or a round of a paired comparison.
 */
export class RoundTrips {
  /** Number of units. */
  readonly units: number;
  readonly #isOpen: boolean;
  readonly #isBySlot: boolean;
  readonly #warmUp: number;
  readonly #warmUpNs: number;
  readonly #durationNs: number;
  readonly #times: Record<'roundTrip' | 'roundTripFromIntended' | 'roundTripAtLeast' | 'sendLag', Recorder>;
  readonly #blocks: Record<'roundTrip' | 'roundTripFromIntended' | 'roundTripAtLeast', Blocks>;
  readonly roundTripBins = new Uint32Array(binsPerBlock);
  #startNs = 0;

  constructor({ options, slots, recorder }: Pick<AudienceContext<EchoOptions>, 'options' | 'slots' | 'recorder'>) {
    const blocks = (): Blocks => new Blocks(this.units);
    this.#isOpen = options.loop === 'open';
    this.#isBySlot = slots !== undefined;
    this.units = slots ? sendsIn(options) : slices;
    this.#warmUp = options.warmUp;
    this.#warmUpNs = lastsMs(options.warmUp, options.ratePerSecond) * 1e6;
    this.#durationNs = scheduleMs(options) * 1e6;
    this.#blocks = { roundTrip: blocks(), roundTripFromIntended: blocks(), roundTripAtLeast: blocks() };
    this.#times = recordersOf(recorder, 'roundTrip', 'roundTripFromIntended', 'roundTripAtLeast', 'sendLag');
  }

  begin(startNs: number): void {
    this.#startNs = startNs + this.#warmUpNs;
  }

  /** Returns the unit of a client's send of that number, or `ofWarmUp` for one that is not measured. */
  unitOf(number: number, intendedAtNs: number): number {
    if (number < this.#warmUp) return ofWarmUp;
    if (this.#isBySlot) return number - this.#warmUp;
    const share = (intendedAtNs - this.#startNs) / this.#durationNs;
    return Math.min(slices - 1, Math.max(0, Math.floor(share * slices)));
  }

  sent(intendedAtNs: number, sentAtNs: number): void {
    this.#times.sendLag.record((sentAtNs - intendedAtNs) / 1000);
  }

  answered(unit: number, { intendedAtNs, sentAtNs, writtenAtNs, receivedAtNs, notBeforeNs }: RoundTrip): void {
    const us = (receivedAtNs - sentAtNs) / 1000;
    const fromIntendedUs = (receivedAtNs - intendedAtNs) / 1000;
    this.#times.roundTrip.record(us);
    const bin = this.#blocks.roundTrip.record(unit, us);
    this.roundTripBins[bin] = (this.roundTripBins[bin] as number) + 1;
    this.#times.roundTripFromIntended.record(fromIntendedUs);
    this.#blocks.roundTripFromIntended.record(unit, fromIntendedUs);
    const leastUs = atLeastUs(notBeforeNs, writtenAtNs);
    this.#times.roundTripAtLeast.record(leastUs);
    this.#blocks.roundTripAtLeast.record(unit, leastUs);
  }

  /** Returns samples and blocks. A closed loop has none of a schedule. Call it once, as it finishes the recorders. */
  report(): { samples: Record<string, Samples>; series: Record<string, Uint32Array> } {
    const samples = finished(this.#times);
    const series = {
      [blocksOf('roundTrip')]: this.#blocks.roundTrip.finish(),
      [blocksOf('roundTripAtLeast')]: this.#blocks.roundTripAtLeast.finish(),
    };
    const { roundTrip, roundTripAtLeast } = samples;
    if (!this.#isOpen) return { samples: { roundTrip, roundTripAtLeast }, series };
    const fromIntended = this.#blocks.roundTripFromIntended.finish();
    return { samples, series: { ...series, [blocksOf('roundTripFromIntended')]: fromIntended } };
  }
}

const nothing = -1;

/** Sends the messages of one worker's clients, from their entry in the book on, and counts the awaited echoes. */
export class EchoSends {
  readonly rates = { offered: new RateMeter(), achieved: new RateMeter() };
  readonly #sends: Sends;
  readonly #isOpenLoop: boolean;
  /** Sequence number of number 0 of the book. */
  readonly #first: number;
  /** Per client: the sends under way or awaited, and the last of them. */
  readonly #awaited: Int32Array;
  readonly #last: Int32Array;
  readonly #unsent = { gone: 0, unread: 0 };

  constructor(
    context: AudienceContext<EchoOptions>,
    private readonly book: EchoBook,
    private readonly times: RoundTrips,
    private readonly roster: Roster,
  ) {
    const { clientCount, nowNs } = context;
    this.#first = firstSend(clientCount);
    this.#isOpenLoop = context.options.loop === 'open';
    this.#awaited = new Int32Array(clientCount);
    this.#last = new Int32Array(clientCount).fill(nothing);
    this.#sends = new Sends(nowNs, {
      say: (clients, client, sequence, dueNs) => clients.echo?.(client, sequence, dueNs),
      sent: (_client, sequence, sentAtNs, writtenAtNs) => this.#sent(sequence - this.#first, sentAtNs, writtenAtNs),
      unsent: (client, sequence, why) => this.#notSent(client, sequence - this.#first, why),
    });
  }

  /** Takes the engine's reports of sends that were handed over ahead. */
  take(batch: SendBatch): void {
    this.#sends.take(batch);
  }

  get isSettled(): boolean {
    return this.#sends.isSettled;
  }

  now(client: number, unit: number, intendedAtNs: number): void {
    const number = this.#enter(client, unit, intendedAtNs);
    this.#sends.now(this.roster.clients, client, this.#first + number);
  }

  /** Hands over a send that leaves at its instant. Returns true if it was accepted. */
  ahead(client: number, unit: number, dueNs: number): boolean {
    const number = this.#enter(client, unit, dueNs);
    const isTaken = this.#sends.ahead(this.roster.clients, client, this.#first + number, dueNs);
    if (!isTaken) this.#leaveOut(client, number);
    return isTaken;
  }

  /** Counts a due send of a client that is not there. */
  missed(unit: number): void {
    if (unit >= 0) this.#unsent.gone++;
  }

  #enter(client: number, unit: number, intendedAtNs: number): number {
    const number = this.book.enter(client, unit, intendedAtNs);
    this.#last[client] = number;
    this.#awaited[client] = this.awaitedOf(client) + 1;
    return number;
  }

  #leaveOut(client: number, number: number): void {
    this.book.unsent(number);
    this.answered(client);
  }

  #sent(number: number, sentAtNs: number, writtenAtNs: number): void {
    this.book.sent(number, sentAtNs, writtenAtNs);
    if (this.book.unit(number) < 0) return;
    const { intendedAtNs } = this.book.stamps(number);
    this.rates.offered.count(intendedAtNs);
    if (this.#isOpenLoop) this.times.sent(intendedAtNs, sentAtNs);
    this.rates.achieved.count(sentAtNs);
    this.roster.timeline.count('sent', sentAtNs);
  }

  #notSent(client: number, number: number, why: 'gone' | 'unread'): void {
    this.#leaveOut(client, number);
    if (this.book.unit(number) >= 0) this.#unsent[why]++;
  }

  awaitedOf(client: number): number {
    return this.#awaited[client] as number;
  }

  answered(client: number): void {
    this.#awaited[client] = this.awaitedOf(client) - 1;
  }

  isAwaited(isThere: (client: number) => boolean): boolean {
    return this.#awaited.some((awaited, client) => awaited > 0 && isThere(client));
  }

  /**
   * Stops waiting for the echo of a client in a closed loop if its send left before that instant. Returns false if none
   * is abandoned.
   */
  abandonBefore(client: number, sentBeforeNs: number): boolean {
    const last = this.#last[client] as number;
    if (this.#awaited[client] === 0 || this.book.sentAtNs(last) > sentBeforeNs) return false;
    this.book.abandon(last);
    this.#awaited[client] = 0;
    return true;
  }

  /** Counts sends that did not leave, by cause. Takes sends that a target never read back from the book. */
  unsent(): Record<'gone' | 'unread', number> {
    const { clients } = this.roster;
    this.book.withdraw(Int32Array.from(this.#last, (_, client) => clients?.unsent?.(client) ?? 0));
    return { ...this.#unsent, unread: this.#unsent.unread + this.book.withdrawn };
  }
}
