import type { MarkTable } from '../../measure/samples/mark-table.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { Clients, SendBatch } from '../../protocols/protocol.js';
import { MarkBook } from '../books/mark-book.js';
import type { BegunSend } from '../books/marks/declarations.js';
import type { Slices } from '../books/marks/mark-times.js';
import type { SendTimes } from '../books/times.js';
import { dueAtNs } from '../pace.js';
import type { Roster } from '../roster/roster.js';
import type { AudienceContext } from '../scenario.js';
import { type PlannedSends, SendClock, type SendOutlet, type SendPlan, type WakeAfter } from './send-clock.js';
import { offsetOf, RateMeter, spreadShare } from './send-schedule.js';

/** Has a client send the data of a number: now, or at `dueNs`. The engine reports that with `token`. */
export type Say = (clients: Clients, client: number, number: number, dueNs?: number, token?: number) => boolean;

class ClientOutlet implements SendOutlet<number> {
  constructor(
    private readonly roster: Roster,
    private readonly client: number,
    private readonly say: Say,
  ) {}

  get sendsAhead(): boolean {
    return this.roster.clients?.sendsAhead === true;
  }

  send(number: number): boolean {
    const { clients } = this.roster;
    return clients !== undefined && this.say(clients, this.client, number);
  }

  sendAt(number: number, dueNs: number, token: number): boolean {
    const { clients } = this.roster;
    return clients !== undefined && this.say(clients, this.client, number, dueNs, token);
  }

  get buffered(): number {
    return this.roster.clients?.unsent?.(this.client) ?? 0;
  }
}

/** Describes sends of one client on an open schedule: `count` of them, one in each period. */
export interface EvenSends extends Pick<SendPlan<number>, 'owed' | 'isAnswered'> {
  ratePerSecond: number;
  count: number;
  warmUp: number;
  fromNs?: number | undefined;
  untilNs?: number | undefined;
}

type SendsContext = Pick<
  AudienceContext<unknown>,
  'clientCount' | 'firstClient' | 'marks' | 'nowNs' | 'recorder' | 'seed' | 'sleep' | 'slice' | 'slots' | 'totalClients'
>;

type Sent = Pick<SendPlan<number>, 'client' | 'isUnmeasured'>;

/** Handles what single sends need beyond the book. */
export interface SendHooks {
  sent(client: number): void;
  arrived(client: number, row: number, isAnswer: boolean): void;
}

/** The declared sends of one worker's clients in the protocol of the target: their clock, their book, their rates. */
export class Sends {
  readonly book: MarkBook;
  readonly table: MarkTable;
  readonly #context: SendsContext;
  readonly #roster: Roster;
  readonly #clock: SendClock<number>;
  readonly #under = new Set<PlannedSends<number>>();
  readonly #rates = { offered: new RateMeter(), achieved: new RateMeter(), received: new RateMeter() };
  readonly #lag: Recorder;
  readonly #hooks: SendHooks;
  readonly #say: Say;
  #startAtNs = 0;

  constructor(context: SendsContext, roster: Roster, slices: Slices, say: Say, hooks: SendHooks) {
    const { clientCount, firstClient, marks, nowNs, recorder, sleep, slice } = context;
    if (marks === undefined) throw new Error('no table of declared sends: the pool makes one by `mostMarks`');
    this.#context = context;
    this.#roster = roster;
    this.table = marks;
    this.#hooks = hooks;
    this.#say = say;
    this.#lag = recorder();
    this.book = new MarkBook({
      ...{ clientCount, firstClient, recorder, slice, slices, table: marks },
      leftAtNs: (client) => leftLaterAtNs(roster.clients, client),
      isThere: (client) => roster.isThere(client),
      arrived: (client, row, isAnswer, batch, index) => {
        if (row < 0 || this.book.isMeasured(row)) {
          this.#rates.received.count(batch.receivedAtNs[index] as number);
          roster.timeline.count(isAnswer ? 'answered' : 'received', batch.receivedAtNs[index] as number);
        }
        hooks.arrived(client, row, isAnswer);
      },
    });
    const wait: WakeAfter = (then, ms) => {
      const end = new AbortController();
      void sleep(ms, end.signal).then(() => end.signal.aborted || then());
      return () => end.abort();
    };
    this.#clock = new SendClock(nowNs, this.book, (times, plan) => this.#left(times, plan), wait);
  }

  take(batch: SendBatch): void {
    this.#clock.take(batch);
  }

  /** Sets the start of all schedules. `warmUpMs` after it the measured part begins. */
  startAt(startAtNs: number, warmUpMs: number): void {
    this.#startAtNs = startAtNs;
    this.book.startAt(startAtNs + warmUpMs * 1e6);
  }

  #start(plan: Omit<SendPlan<number>, 'isExact' | 'message' | 'socket'>): void {
    const outlet = new ClientOutlet(this.#roster, plan.client, this.#say);
    const sends = this.#clock.start({
      ...plan,
      isExact: false,
      message: (_n, number) => number,
      socket: () => (this.#roster.isSubscribed(plan.client) ? outlet : undefined),
    });
    this.#under.add(sends);
    void sends.done.then(() => this.#under.delete(sends));
  }

  /**
   * Sends at once, without a schedule. A client that is not there sends only what is unmeasured, which proves it.
   * Returns the row of the send; undefined if it did not leave.
   */
  now(client: number, send: BegunSend): number | undefined {
    const { clients } = this.#roster;
    const isAllowed = send.isUnmeasured || this.#roster.isSubscribed(client);
    const number = clients && isAllowed ? this.book.begin(client, this.book.declare(send)) : undefined;
    if (clients === undefined || number === undefined) return undefined;
    const sentAtNs = this.#context.nowNs();
    if (!this.#say(clients, client, number)) {
      this.book.unsent(number, 'unread');
      return undefined;
    }
    const writtenAtNs = isHandedOver(clients, client) ? this.#context.nowNs() : 0;
    const times = { intendedAtNs: sentAtNs, sentAtNs, writtenAtNs };
    this.book.sent(number, times);
    if (!send.isUnmeasured) this.#left(times, { client });
    return this.table.indexOf(number);
  }

  #left(times: SendTimes, send: Sent): void {
    this.#hooks.sent(send.client);
    if (send.isUnmeasured) return;
    const { intendedAtNs, sentAtNs } = times;
    this.#lag.record((sentAtNs - intendedAtNs) / 1000);
    this.#rates.offered.count(intendedAtNs);
    this.#rates.achieved.count(sentAtNs);
    this.#roster.timeline.count('sent', sentAtNs);
  }

  /** Begins the sends of a client at its own offset within each period or slot. */
  every(client: number, { ratePerSecond, count, warmUp, fromNs = 0, untilNs, ...owing }: EvenSends): void {
    const { firstClient, seed, slots } = this.#context;
    const spreadNs = slots ? slots.slotMs * 1e6 * spreadShare : 1e9 / ratePerSecond;
    const offsetNs = this.#startAtNs + Math.floor(offsetOf(seed, firstClient + client) * spreadNs);
    const instant = (number: number): number => offsetNs + (slots?.beginNs[number] ?? dueAtNs(number, ratePerSecond));
    let passed = 0;
    while (passed < count && instant(passed) < fromNs) passed++;
    const from = (first: number, end: number) => (n: number) => {
      const dueNs = instant(first + n);
      return first + n < end && dueNs < (untilNs ?? Number.POSITIVE_INFINITY) ? dueNs : undefined;
    };
    if (passed < warmUp) this.#start({ client, ...owing, isUnmeasured: true, dueNs: from(passed, warmUp) });
    this.#start({ client, ...owing, dueNs: from(Math.max(passed, warmUp), count) });
  }

  get areOver(): boolean {
    return this.#under.size === 0;
  }

  /** Resolves when the outcome of every send is known. On abort no further one leaves. */
  async settled(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      for (const sends of this.#under) sends.stop();
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    while (this.#under.size > 0) await Promise.all([...this.#under].map(({ done }) => done));
    signal.removeEventListener('abort', stop);
  }

  /** Takes back what a target never read, and takes nothing from now on as in time. */
  close(): void {
    this.book.withdraw((client) => this.#roster.clients?.unsent?.(client) ?? 0);
    this.book.close();
  }

  report() {
    const { offered, achieved, received } = this.#rates;
    const { counts, samples, ...rest } = this.book.report();
    return {
      ...rest,
      samples: { ...samples, sendLag: this.#lag.finish() },
      counts: { ...counts, offeredPerSecond: offered.perSecond, achievedPerSecond: achieved.perSecond },
      lastsMs: (intervalMs: number) => received.lastsMsFrom(achieved, intervalMs),
    };
  }

  dispose(): void {
    this.#clock.dispose();
  }
}

/** Returns true if the kernel has everything this client sent, as far as its engine or library shows. */
export function isHandedOver(clients: Clients | undefined, client: number): boolean {
  return (clients?.unsent?.(client) ?? 0) === 0;
}

/**
 * Returns when a send of the client had left that the kernel did not have within the call. An engine with threads
 * writes a moment later. Later sends move the instant on, so that it bounds later arrivals from below. Returns 0 while
 * it is unknown.
 */
export function leftLaterAtNs(clients: Clients | undefined, client: number): number {
  const atNs = clients?.leftAtNs?.(client) ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(atNs) ? atNs : 0;
}
