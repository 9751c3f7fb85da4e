import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause, DeliveryBatch } from '../../protocols/protocol.js';
import { finished, recordersOf } from '../books/times.js';
import { type AbsenceEvents, type Backoff, Returning } from './returning.js';
import { clientState, type Roster } from './roster.js';

export interface RestartOptions extends Omit<Backoff, 'seed'> {
  /** Longest time after the order at which a delivery still proves a client. */
  deadlineMs: number;
}

const timed = ['disconnect', 'offline', 'back', 'backAfter'] as const;
const atLeast = ['disconnectAtLeast', 'offlineAtLeast', 'backAtLeast', 'backAfterAtLeast'] as const;

/**
 * Follows one worker's clients through a restart: when each is first cut, cut after the order, last back, and proven by
 * a delivery. Each time has a lower end without time that the rig may have added. For an absence this is its waits and
 * the least time of its attempts. For all others it is the time that the loop slept.
 */
export class Restart {
  readonly returning: Returning;
  readonly #roster: Roster;
  readonly #deadlineMs: number;
  readonly #cutNs: Float64Array;
  readonly #isCutAfter: Uint8Array;
  readonly #confirmedNs: Float64Array;
  /** Instant of the proof; 0 for a client that has none since its last cut. */
  readonly #provenNs: Float64Array;
  /** Least times: order to first cut, negative before it; all absences; last return to its proof. */
  readonly #leastNs: Record<'untilCut' | 'absent' | 'untilProven', Float64Array>;
  /** Time that the loop had slept at the last return. */
  readonly #sleptNs: Float64Array;
  readonly #metrics: Record<(typeof timed)[number] | (typeof atLeast)[number], Recorder>;
  /** Clients by the whole millisecond after the order in which they were cut, and proven back. */
  readonly #series: Record<'cutInMs' | 'provenInMs', Uint32Array>;
  readonly #causes: Record<'cut' | 'cutAgain', Record<string, number>> = { cut: {}, cutAgain: {} };
  readonly #counts = { cut: 0, cutAgain: 0, returns: 0 };
  #back = 0;
  #proven = 0;
  #orderNs = 0;
  /** Longest time that the loop will have slept at the order. */
  #sleptAtOrderNs = 0;

  /** `absences` receives each absence. */
  constructor(roster: Roster, options: RestartOptions, absences?: AbsenceEvents) {
    const { clientCount, recorder } = roster.context;
    const perClient = (): Float64Array => new Float64Array(clientCount);
    const perMs = (): Uint32Array => new Uint32Array(options.deadlineMs + 1);
    this.#roster = roster;
    this.#deadlineMs = options.deadlineMs;
    this.#cutNs = perClient();
    this.#isCutAfter = new Uint8Array(clientCount);
    this.#confirmedNs = perClient();
    this.#provenNs = perClient();
    this.#leastNs = { untilCut: perClient(), absent: perClient(), untilProven: perClient() };
    this.#sleptNs = perClient();
    this.#metrics = recordersOf(recorder, ...timed, ...atLeast);
    this.#series = { cutInMs: perMs(), provenInMs: perMs() };
    this.returning = new Returning(roster, options, {
      ...(absences && { absences }),
      cut: (client, cause, atNs) => this.#cut(client, cause, atNs),
      back: (client, atNs, absenceLeastNs) => this.#confirmed(client, atNs, absenceLeastNs),
    });
  }

  /** Follows the clients that are there. `orderNs` is infinite if `ordered` sets it later. */
  begin(orderNs: number): void {
    this.returning.begin();
    this.ordered(orderNs);
  }

  ordered(atNs: number): void {
    this.#orderNs = atNs;
    this.#sleptAtOrderNs = Number.POSITIVE_INFINITY;
    this.#noteSlept();
  }

  tick(): void {
    this.#noteSlept();
    this.returning.tick();
  }

  /** Notes the time that the loop slept. The closer to the order, the narrower the interval of `disconnect`. */
  #noteSlept(): void {
    const { nowNs, sleptNs } = this.#roster.context;
    this.#sleptAtOrderNs = Math.min(this.#sleptAtOrderNs, sleptNs() + Math.max(0, this.#orderNs - nowNs()));
  }

  /** Returns true if a client was cut and has had no delivery since. */
  isSilent(client: number): boolean {
    return this.#wasCut(client) && !this.#isProven(client);
  }

  #wasCut(client: number): boolean {
    return (this.#cutNs[client] as number) > 0;
  }

  #isProven(client: number): boolean {
    return (this.#provenNs[client] as number) > 0;
  }

  /** Cuts of all clients so far. */
  get cuts(): number {
    return this.#counts.cut + this.#counts.cutAgain;
  }

  /** True if every client that was there was cut, and is proven back. */
  get isComplete(): boolean {
    return this.#proven === this.returning.members;
  }

  /** Returns live figures. `subscribers` are there, uncut or back. */
  progress(): Record<string, number> {
    return { subscribers: this.#roster.there, cut: this.#counts.cut, back: this.#back, proven: this.#proven };
  }

  #cut(client: number, cause: Cause, atNs: number): void {
    const isAgain = this.#wasCut(client);
    const name = isAgain ? 'cutAgain' : 'cut';
    this.returning.timeAbsence(client, atNs);
    this.#counts[name]++;
    this.#causes[name][cause] = (this.#causes[name][cause] ?? 0) + 1;
    if (isAgain) this.#back--;
    if (this.#isProven(client)) this.#proven--;
    this.#provenNs[client] = 0;
    this.#roster.timeline.count(`${isAgain ? 'cut again' : 'cut'} ${cause}`, atNs);
    // The order did not cause a cut before it, so `disconnect` leaves that out.
    const afterNs = atNs - this.#orderNs;
    const leastNs = afterNs < 0 ? afterNs : Math.max(0, this.#roster.context.sleptNs() - this.#sleptAtOrderNs);
    if (!isAgain) {
      this.#cutNs[client] = atNs;
      this.#leastNs.untilCut[client] = leastNs;
    }
    if (afterNs < 0 || this.#isCutAfter[client] === 1) return;
    this.#isCutAfter[client] = 1;
    this.#metrics.disconnect.record(afterNs / 1000);
    this.#metrics.disconnectAtLeast.record(leastNs / 1000);
    this.#countAt('cutInMs', afterNs);
  }

  #confirmed(client: number, atNs: number, absenceLeastNs: number): void {
    this.#counts.returns++;
    this.#back++;
    this.#confirmedNs[client] = atNs;
    this.#sleptNs[client] = this.#roster.context.sleptNs();
    this.#leastNs.absent[client] = (this.#leastNs.absent[client] as number) + absenceLeastNs;
  }

  /** Takes a delivery after a client's last return, by the deadline, as its proof. Hot path: allocates nothing. */
  deliveries(batch: DeliveryBatch): void {
    if (this.#roster.isClosed) return;
    const untilNs = this.#orderNs + this.#deadlineMs * 1e6;
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      if (!this.isSilent(client) || !this.#roster.isSubscribed(client)) continue;
      const atNs = batch.receivedAtNs[i] as number;
      if (atNs < (this.#confirmedNs[client] as number) || atNs >= untilNs) continue;
      this.#provenNs[client] = atNs;
      this.#leastNs.untilProven[client] = this.#roster.context.sleptNs() - (this.#sleptNs[client] as number);
      this.#proven++;
    }
  }

  #recordBack(client: number): void {
    this.#metrics.offline.record(((this.#confirmedNs[client] as number) - (this.#cutNs[client] as number)) / 1000);
    this.#metrics.offlineAtLeast.record((this.#leastNs.absent[client] as number) / 1000);
  }

  #recordProven(client: number): void {
    const provenNs = this.#provenNs[client] as number;
    const { untilCut, absent, untilProven } = this.#leastNs;
    const backLeastNs = (absent[client] as number) + (untilProven[client] as number);
    this.#metrics.back.record((provenNs - (this.#cutNs[client] as number)) / 1000);
    this.#metrics.backAtLeast.record(backLeastNs / 1000);
    // A client that was cut before the order can be proven back before it, too.
    const afterNs = Math.max(0, provenNs - this.#orderNs);
    this.#metrics.backAfter.record(afterNs / 1000);
    this.#metrics.backAfterAtLeast.record(Math.max(0, (untilCut[client] as number) + backLeastNs) / 1000);
    this.#countAt('provenInMs', afterNs);
  }

  #countAt(name: 'cutInMs' | 'provenInMs', afterNs: number): void {
    const series = this.#series[name];
    const at = Math.min(series.length - 1, Math.floor(afterNs / 1e6));
    series[at] = (series[at] as number) + 1;
  }

  /** Reads the end from the tables, so that the ledger can find a mismatch. */
  report() {
    const end = { neverCut: 0, cutBefore: 0, proven: 0, backUnproven: 0 };
    const { returning } = this;
    for (let client = 0; client < this.#cutNs.length; client++) {
      if (!returning.isMember(client)) continue;
      const wasCut = this.#wasCut(client);
      if (!wasCut) end.neverCut++;
      if (wasCut && this.#isCutAfter[client] === 0) end.cutBefore++;
      if (!wasCut || !this.#roster.is(client, clientState.subscribed)) continue;
      this.#recordBack(client);
      if (this.#isProven(client)) {
        end.proven++;
        this.#recordProven(client);
      } else end.backUnproven++;
    }
    const { counts, failures, notBack, samples } = returning.report();
    return {
      counts: { ...this.#counts, ...counts, ...end, opened: returning.members },
      causes: { ...this.#causes, attempt: failures, notBack },
      series: this.#series,
      samples: finished(this.#metrics),
      /** Times of every absence, and the waits. */
      absences: samples,
    };
  }
}
