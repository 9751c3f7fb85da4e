import type { DeliveryBatch } from '../../protocols/protocol.js';
import { notZero, total } from '../books/ledger.js';
import { lastsMs } from '../pace.js';
import { Ramp } from '../roster/ramp.js';
import { Roster } from '../roster/roster.js';
import { Visits } from '../roster/visits.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { RateMeter, SendSchedule } from '../traffic/send-schedule.js';
import { leftLaterAtNs } from '../traffic/sends.js';
import { EchoBook, firstSend, Proofs } from './book.js';
import { type EchoOptions, echoesEach } from './options.js';
import { EchoSends, RoundTrips } from './sends.js';

/** Interval at which echoes that stay away are looked for. */
const tickMs = 5;

/** Holds the clients of one worker, and its visitors while they are there. Each receives its own sends back. */
export class EchoAudience implements Role {
  readonly #context: AudienceContext<EchoOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #visits: Visits;
  readonly #book = new EchoBook();
  readonly #proofs: Proofs;
  readonly #times: RoundTrips;
  readonly #isOpenLoop: boolean;
  readonly #sends: EchoSends;
  /** Per client: the instant until which it sends. */
  readonly #untilNs: Float64Array;
  readonly #answers = new RateMeter();
  readonly #counts = { received: 0, duplicate: 0, late: 0, stray: 0, clockFaults: 0 };
  /** First echoes of measured sends, by unit. */
  readonly #came: Uint32Array;
  /** First echoes, warm-up included. */
  #received = 0;
  #members: number | undefined;
  /** True while a closed loop answers an echo by the next send. */
  #isSending = false;

  constructor(context: AudienceContext<EchoOptions>) {
    this.#context = context;
    const { clientCount, options } = context;
    this.#isOpenLoop = options.loop === 'open';
    this.#proofs = new Proofs(context);
    this.#times = new RoundTrips(context);
    this.#came = new Uint32Array(this.#times.units);
    this.#untilNs = new Float64Array(clientCount).fill(Number.POSITIVE_INFINITY);
    this.#roster = new Roster(context, {
      prove: (clients, client) => this.#proofs.ask(clients, client),
      proveAgain: (clients, client) => this.#proofs.askAgain(clients, client),
      deliveries: (batch) => this.#take(batch),
      sends: (batch) => this.#sends.take(batch),
    });
    this.#sends = new EchoSends(context, this.#book, this.#times, this.#roster);
    this.#ramp = new Ramp(this.#roster, { lost: (_client, cause) => this.#lost(cause) });
    this.#visits = new Visits(this.#roster, context, {
      arrived: (client, toNs) => {
        this.#untilNs[client] = toNs;
        this.#sendNext(client);
      },
      cut: (_client, cause) => this.#lost(cause),
      hasAll: (client) => this.#sends.awaitedOf(client) === 0,
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond, drainMs } = this.#context.options;
    if (name === 'ramp') {
      const { staying: upTo } = this.#visits;
      await this.#ramp.run(startAtNs, { ratePerSecond, upTo }, signal);
    }
    if (name === 'echo') await this.#sendBesideVisits(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs + drainMs * 1e6, signal);
  }

  async #sendBesideVisits(startAtNs: number, signal: AbortSignal): Promise<void> {
    this.#members = this.#roster.there;
    this.#times.begin(startAtNs);
    this.#roster.hasClients('send by');
    let isOver = !this.#visits.isPlanned;
    const sends = this.#send(startAtNs, signal).finally(() => {
      isOver = true;
    });
    this.#visits.begin(startAtNs);
    await Promise.all([
      sends,
      this.#roster.waitUntil(
        () => isOver,
        signal,
        () => this.#visits.tick(),
      ),
    ]);
  }

  async #send(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { durationMs, ratePerSecond } = this.#context.options;
    if (this.#isOpenLoop) {
      await this.#walk(ratePerSecond, echoesEach(this.#context.options), startAtNs, signal);
      return;
    }
    this.#isSending = true;
    // All first sends lie within the duration, however slow the rate.
    const starts = this.#walk(Math.max(ratePerSecond, 1000 / durationMs), 1, startAtNs, signal);
    await Promise.all([starts, this.#keepGoing(startAtNs + durationMs * 1e6, signal)]);
    this.#isSending = false;
  }

  #walk(ratePerSecond: number, sendsEach: number, startAtNs: number, signal: AbortSignal): Promise<void> {
    const schedule = new SendSchedule({ ...this.#context, ratePerSecond, sendsEach });
    const isAhead = this.#isOpenLoop && this.#roster.clients?.sendsAhead === true;
    return schedule.walk(startAtNs, this.#context, signal, {
      ahead: isAhead ? (client, number, dueNs) => this.#sendAhead(client, number, dueNs) : undefined,
      due: (client, number, intendedAtNs) => {
        const unit = this.#times.unitOf(number, intendedAtNs);
        if (this.#isSender(client)) this.#sends.now(client, unit, intendedAtNs);
        else if (this.#isGone(client)) this.#sends.missed(unit);
      },
      isSettled: () => this.#sends.isSettled,
    });
  }

  #isSender(client: number): boolean {
    return this.#roster.isSubscribed(client);
  }

  /** Returns true if a client that is not a sender should be one. */
  #isGone(client: number): boolean {
    return client < this.#visits.staying || this.#visits.isMissed(client);
  }

  /** Continues a closed loop whose echo stays away longer than the drain time. */
  async #keepGoing(untilNs: number, signal: AbortSignal): Promise<void> {
    const { nowNs, sleep, clientCount, options } = this.#context;
    while (!signal.aborted && nowNs() < untilNs) {
      const sentBeforeNs = nowNs() - options.drainMs * 1e6;
      for (let client = 0; client < clientCount; client++) {
        if (this.#sends.abandonBefore(client, sentBeforeNs)) this.#sendNext(client);
      }
      await sleep(tickMs, signal);
    }
  }

  #sendNext(client: number): void {
    if (!this.#isSending || !this.#isSender(client)) return;
    const nowNs = this.#context.nowNs();
    this.#sends.now(client, this.#times.unitOf(0, nowNs), nowNs);
  }

  #sendAhead(client: number, number: number, dueNs: number): boolean {
    const isSender = this.#isSender(client) && dueNs < (this.#untilNs[client] as number);
    return isSender && this.#sends.ahead(client, this.#times.unitOf(number, dueNs), dueNs);
  }

  #take(batch: DeliveryBatch): void {
    const first = firstSend(this.#context.clientCount);
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      const number = (batch.sequence[i] as number) - first;
      if (number < 0) this.#prove(client, number + first);
      else this.#answer(client, number, batch.receivedAtNs[i] as number, batch.notBeforeNs[i] as number);
    }
  }

  #prove(client: number, sequence: number): void {
    if (!this.#proofs.take(client, sequence)) this.#counts.stray++;
    else this.#roster.subscribed(client);
  }

  #answer(client: number, number: number, receivedAtNs: number, notBeforeNs: number): void {
    const arrival = this.#book.answer(client, number);
    if (arrival !== 'first') {
      if (arrival === 'stray' || this.#book.unit(number) >= 0) this.#counts[arrival]++;
      return;
    }
    this.#received++;
    this.#sends.answered(client);
    if (this.#book.unit(number) >= 0) this.#time(client, number, receivedAtNs, notBeforeNs);
    this.#sendNext(client);
  }

  #time(client: number, number: number, receivedAtNs: number, notBeforeNs: number): void {
    const unit = this.#book.unit(number);
    this.#counts.received++;
    this.#came[unit] = (this.#came[unit] as number) + 1;
    this.#answers.count(receivedAtNs);
    this.#roster.timeline.count('answered', receivedAtNs);
    const stamps = this.#book.stamps(number);
    if (stamps.writtenAtNs === 0) stamps.writtenAtNs = leftLaterAtNs(this.#roster.clients, client);
    if (receivedAtNs < stamps.sentAtNs) this.#counts.clockFaults++;
    else this.#times.answered(unit, { ...stamps, receivedAtNs, notBeforeNs });
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    const isThere = (client: number): boolean => this.#roster.isThere(client);
    await this.#roster.waitUntil(
      (nowNs) => nowNs >= endNs || !this.#sends.isAwaited(isThere),
      signal,
      () => this.#visits.tick(),
    );
    this.#book.close();
  }

  #lost(cause: string): void {
    if (this.#members !== undefined) this.#roster.lostOne(cause);
  }

  progress(): Record<string, number> {
    const [sent, received] = [this.#book.sends, this.#received];
    return { ...this.#ramp.progress(), sent, received, awaited: sent - received, ...this.#visits.progress() };
  }

  bins(): Uint32Array {
    return this.#times.roundTripBins;
  }

  report(): RoleReport {
    return this.#visits.reportWith(this.#report());
  }

  #report(): RoleReport {
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    const { offered, achieved } = this.#sends.rates;
    const { totalClients, options } = this.#context;
    const { subscribe: firstEcho, subscribeAtLeast: firstEchoAtLeast, ...connects } = ramp;
    const times = this.#times.report();
    const unsent = this.#sends.unsent();
    const missing = this.#book.missing(this.#times.units);
    return {
      counts: {
        ...counts,
        ...this.#counts,
        ...this.#proofs.counts,
        subscribers: (this.#members ?? this.#roster.there) + this.#visits.arrived,
        unsent: unsent.gone + unsent.unread,
        attempted: this.#book.measured,
        missing: total(missing),
        ...(this.#isOpenLoop && { offeredPerSecond: offered.perSecond }),
        achievedPerSecond: achieved.perSecond,
      },
      causes: { ...causes, unsent: notZero(unsent) },
      timeline,
      // In a closed loop every answer counts for its own round trip.
      longestMs: {
        answers: this.#answers.lastsMsFrom(
          achieved,
          this.#isOpenLoop ? lastsMs(1, totalClients * options.ratePerSecond) : 0,
        ),
      },
      samples: { ...connects, firstEcho, firstEchoAtLeast, ...times.samples },
      series: { came: this.#came, missing, ...times.series },
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}
