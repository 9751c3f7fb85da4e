import type { SendTimes } from '../../measure/samples/recorder.js';
import type { Clients, SendBatch } from '../../protocols/protocol.js';
import { MarkBook } from '../books/mark-book.js';
import type { BegunSend, Slices } from '../books/marks/declarations.js';
import type { Roster } from '../roster/roster.js';
import type { AudienceContext } from '../scenario.js';
import { dueAtNs } from './schedule.js';
import { type PlannedSends, SendClock, type SendOutlet, type SendPlan, type WakeAfter } from './send-clock.js';
import { offsetOf, RateMeter, spreadShare } from './send-schedule.js';

const never = Number.POSITIVE_INFINITY;

/** Has a client send the data of a number: now, or at `dueNs`. The engine reports that with `token`. */
export type Say = (clients: Clients, client: number, number: number, dueNs?: number, token?: number) => boolean;

/** Returns a client in the protocol of the target as the outlet of its declared sends. */
function outletOf(roster: Roster, client: number, say: Say): SendOutlet<number> {
  const send = (number: number, ...planned: [dueNs?: number, token?: number]): boolean =>
    roster.clients !== undefined && say(roster.clients, client, number, ...planned);
  return {
    get sendsAhead() {
      return roster.clients?.sendsAhead === true;
    },
    send,
    sendAt: send,
    get buffered() {
      return roster.clients?.unsent?.(client) ?? 0;
    },
  };
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

export type Sends = ReturnType<typeof declareSends>;

/** Keeps the declared sends of one worker's clients in the protocol of the target: clock, book and rates. */
export function declareSends(context: SendsContext, roster: Roster, slices: Slices, say: Say, hooks: SendHooks) {
  const { clientCount, firstClient, marks: table, nowNs, recorder, seed, slice, slots } = context;
  if (table === undefined) throw new Error('no table of declared sends: the pool makes one by `mostMarks`');
  const underWay = new Set<PlannedSends<number>>();
  const [offered, achieved, received] = [new RateMeter(), new RateMeter(), new RateMeter()];
  const lag = recorder();
  let beginsAtNs = 0;
  const book = new MarkBook({
    ...{ clientCount, firstClient, recorder, slice, slices, table },
    leftAtNs: (client) => leftLaterAtNs(roster.clients, client),
    isThere: (client) => roster.isThere(client),
    arrived(client, row, isAnswer, batch, index) {
      if (row < 0 || book.isMeasured(row)) {
        received.count(batch.receivedAtNs[index] as number);
        roster.timeline.count(isAnswer ? 'answered' : 'received', batch.receivedAtNs[index] as number);
      }
      hooks.arrived(client, row, isAnswer);
    },
  });
  const wait: WakeAfter = (then, ms) => {
    const end = new AbortController();
    void context.sleep(ms, end.signal).then(() => end.signal.aborted || then());
    return () => end.abort();
  };

  const left = ({ intendedAtNs, sentAtNs }: SendTimes, { client, isUnmeasured }: Sent): void => {
    hooks.sent(client);
    if (isUnmeasured) return;
    lag.record((sentAtNs - intendedAtNs) / 1000);
    offered.count(intendedAtNs);
    achieved.count(sentAtNs);
    roster.timeline.count('sent', sentAtNs);
  };
  const clock = new SendClock<number>(nowNs, book, left, wait);

  const start = (plan: Omit<SendPlan<number>, 'isExact' | 'message' | 'socket'>): void => {
    const outlet = outletOf(roster, plan.client, say);
    const sends = clock.start({
      ...plan,
      isExact: false,
      message: (_n, number) => number,
      socket: () => (roster.isSubscribed(plan.client) ? outlet : undefined),
    });
    underWay.add(sends);
    void sends.done.then(() => underWay.delete(sends));
  };

  return {
    book,
    /** Takes the engine's reports of sends that were handed over ahead. */
    take: (batch: SendBatch) => clock.take(batch),
    /** Sets the start of all schedules. `warmUpMs` after it the measured part begins. */
    startAt(startAtNs: number, warmUpMs: number): void {
      beginsAtNs = startAtNs;
      book.startAt(startAtNs + warmUpMs * 1e6);
    },
    /**
     * Sends at once, without a schedule. A client that is not there sends only what is unmeasured, which proves it.
     * Returns the row of the send; undefined if it did not leave.
     */
    now(client: number, send: BegunSend): number | undefined {
      const { clients } = roster;
      const isAllowed = send.isUnmeasured || roster.isSubscribed(client);
      const number = clients && isAllowed ? book.begin(client, book.declare(send)) : undefined;
      if (clients === undefined || number === undefined) return undefined;
      const sentAtNs = nowNs();
      if (!say(clients, client, number)) {
        book.unsent(number, 'unread');
        return undefined;
      }
      const writtenAtNs = isHandedOver(clients, client) ? nowNs() : 0;
      const times = { intendedAtNs: sentAtNs, sentAtNs, writtenAtNs };
      book.sent(number, times);
      if (!send.isUnmeasured) left(times, { client });
      return table.indexOf(number);
    },
    /** Begins the sends of a client at its own offset within each period or slot. */
    every(client: number, { ratePerSecond, count, warmUp, fromNs = 0, untilNs = never, ...owing }: EvenSends): void {
      const spreadNs = slots ? slots.slotMs * 1e6 * spreadShare : 1e9 / ratePerSecond;
      const offsetNs = beginsAtNs + Math.floor(offsetOf(seed, firstClient + client) * spreadNs);
      const instant = (number: number): number => offsetNs + (slots?.beginNs[number] ?? dueAtNs(number, ratePerSecond));
      let passed = 0;
      while (passed < count && instant(passed) < fromNs) passed++;
      const from = (first: number, end: number) => (n: number) => {
        const dueNs = instant(first + n);
        return first + n < end && dueNs < untilNs ? dueNs : undefined;
      };
      if (passed < warmUp) start({ client, ...owing, isUnmeasured: true, dueNs: from(passed, warmUp) });
      start({ client, ...owing, dueNs: from(Math.max(passed, warmUp), count) });
    },
    /** True if no schedule has a send to come or under way. */
    get areOver() {
      return underWay.size === 0;
    },
    /** Resolves when the outcome of every send is known. On abort no further one leaves. */
    async settled(signal: AbortSignal): Promise<void> {
      const stop = (): void => {
        for (const sends of underWay) sends.stop();
      };
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      while (underWay.size > 0) await Promise.all([...underWay].map(({ done }) => done));
      signal.removeEventListener('abort', stop);
    },
    /** Takes back what a target never read, and takes nothing from now on as in time. */
    close(): void {
      book.withdraw((client) => roster.clients?.unsent?.(client) ?? 0);
      book.close();
    },
    report() {
      const { counts, samples, ...rest } = book.report();
      return {
        ...rest,
        samples: { ...samples, sendLag: lag.finish() },
        counts: { ...counts, offeredPerSecond: offered.perSecond, achievedPerSecond: achieved.perSecond },
        lastsMs: (intervalMs: number) => received.lastsMsFrom(achieved, intervalMs),
      };
    },
    dispose: () => clock.dispose(),
  };
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
