import type { Recorder } from '../../measure/samples/recorder.js';
import type { ClientPresence } from '../broadcasts/presence.js';
import { finished, recordersOf } from '../roles/delivery-times.js';
import type { AudienceContext } from '../scenario.js';

/** Times each absence of a worker's clients and the attempt that ended it. Passes all events on to `presence`. */
export class AbsenceTimes {
  readonly #presence: ClientPresence;
  readonly #leftNs: Float64Array;
  readonly #attemptNs: Float64Array;
  readonly #times: Record<'offline' | 'offlineAtLeast' | 'reconnect' | 'reconnectAtLeast', Recorder>;
  #absences = 0;

  constructor(clients: number, recorder: () => Recorder, presence: ClientPresence) {
    this.#presence = presence;
    this.#leftNs = new Float64Array(clients);
    this.#attemptNs = new Float64Array(clients);
    this.#times = recordersOf(recorder, 'offline', 'offlineAtLeast', 'reconnect', 'reconnectAtLeast');
  }

  get absences(): number {
    return this.#absences;
  }

  left(client: number, atNs: number, readNs = atNs): void {
    this.#absences++;
    this.#leftNs[client] = atNs;
    this.#presence.left(client, atNs, readNs);
  }

  returning(client: number, sinceNs: number): void {
    this.#attemptNs[client] = sinceNs;
    this.#presence.returning(client, sinceNs);
  }

  /** Ends an absence. `leastNs` is the shortest duration of the attempt, `absenceLeastNs` that of the whole absence. */
  back(client: number, atNs: number, leastNs: number, absenceLeastNs: number): void {
    const leftNs = this.#leftNs[client] as number;
    if (leftNs > 0) {
      this.#times.offline.record((atNs - leftNs) / 1000);
      this.#times.offlineAtLeast.record(absenceLeastNs / 1000);
    }
    this.#leftNs[client] = 0;
    this.#times.reconnect.record((atNs - (this.#attemptNs[client] as number)) / 1000);
    this.#times.reconnectAtLeast.record(leastNs / 1000);
    this.#presence.back(client, atNs);
  }

  report() {
    return finished(this.#times);
  }
}

const timed = ['disconnect', 'offline', 'back', 'backAfter'] as const;
const atLeast = ['disconnectAtLeast', 'offlineAtLeast', 'backAtLeast', 'backAfterAtLeast'] as const;

/**
 * Records when each client was first cut, cut after the order, last confirmed and proven, and the times between. Each
 * time has a lower end without time that the rig may have added. For an absence this is its waits and the least time of
 * its attempts. For all others it is the time that the loop slept.
 */
export class Moments {
  readonly #context: MomentsContext;
  readonly #deadlineMs: number;
  readonly #cutNs: Float64Array;
  readonly #isCutAfter: Uint8Array;
  readonly #confirmedNs: Float64Array;
  readonly #provenNs: Float64Array;
  /**
   * Least times: from the order to the first cut, negative before it; all absences; from the last return to its proof.
   */
  readonly #leastNs: Record<'untilCut' | 'absent' | 'untilProven', Float64Array>;
  /** Time that the loop had slept at the last return. */
  readonly #sleptNs: Float64Array;
  readonly #metrics: ReturnType<typeof recordersOf<(typeof timed)[number] | (typeof atLeast)[number]>>;
  /** Clients by the whole millisecond after the order in which they were cut, and proven back. */
  readonly #series: Record<'cutInMs' | 'provenInMs', Uint32Array>;
  #orderNs = 0;
  /** Longest time that the loop will have slept at the order. */
  #sleptAtOrderNs = 0;

  constructor(context: MomentsContext, deadlineMs: number) {
    const perClient = (): Float64Array => new Float64Array(context.clientCount);
    this.#context = context;
    this.#deadlineMs = deadlineMs;
    this.#cutNs = perClient();
    this.#isCutAfter = new Uint8Array(context.clientCount);
    this.#confirmedNs = perClient();
    this.#provenNs = perClient();
    this.#leastNs = { untilCut: perClient(), absent: perClient(), untilProven: perClient() };
    this.#sleptNs = perClient();
    this.#metrics = recordersOf(() => context.recorder(), ...timed, ...atLeast);
    const perMs = (): Uint32Array => new Uint32Array(deadlineMs + 1);
    this.#series = { cutInMs: perMs(), provenInMs: perMs() };
  }

  begin(orderNs: number): void {
    this.#orderNs = orderNs;
    this.#sleptAtOrderNs = Number.POSITIVE_INFINITY;
    this.tick();
  }

  /**
   * Notes the time that the loop slept. The closer to the order the call is, before or after, the narrower the interval
   * of `disconnect`.
   */
  tick(): void {
    const { nowNs, sleptNs } = this.#context;
    this.#sleptAtOrderNs = Math.min(this.#sleptAtOrderNs, sleptNs() + Math.max(0, this.#orderNs - nowNs()));
  }

  /** Records a cut of a client. The order did not cause a cut before it, so `disconnect` leaves that out. */
  cut(client: number, atNs: number): void {
    const isFirst = this.#cutNs[client] === 0;
    const afterNs = atNs - this.#orderNs;
    const leastNs = afterNs < 0 ? afterNs : Math.max(0, this.#context.sleptNs() - this.#sleptAtOrderNs);
    if (isFirst) {
      this.#cutNs[client] = atNs;
      this.#leastNs.untilCut[client] = leastNs;
    }
    if (afterNs < 0 || this.#isCutAfter[client] === 1) return;
    this.#isCutAfter[client] = 1;
    this.#metrics.disconnect.record(afterNs / 1000);
    this.#metrics.disconnectAtLeast.record(leastNs / 1000);
    this.#countAt('cutInMs', afterNs);
  }

  /** Returns true if every cut of a client came before the order. */
  wasCutBefore(client: number): boolean {
    return (this.#cutNs[client] as number) > 0 && this.#isCutAfter[client] === 0;
  }

  /** Records that a client is back from an absence, and the shortest duration of that absence. */
  confirmed(client: number, atNs: number, absenceLeastNs: number): void {
    this.#confirmedNs[client] = atNs;
    this.#sleptNs[client] = this.#context.sleptNs();
    this.#leastNs.absent[client] = (this.#leastNs.absent[client] as number) + absenceLeastNs;
  }

  /** Returns true if a delivery proves a client that is back: received after its confirmation and by the deadline. */
  isProof(client: number, atNs: number): boolean {
    if (atNs < (this.#confirmedNs[client] as number) || atNs >= this.#orderNs + this.#deadlineMs * 1e6) return false;
    this.#provenNs[client] = atNs;
    this.#leastNs.untilProven[client] = this.#context.sleptNs() - (this.#sleptNs[client] as number);
    return true;
  }

  recordBack(client: number): void {
    this.#metrics.offline.record(((this.#confirmedNs[client] as number) - (this.#cutNs[client] as number)) / 1000);
    this.#metrics.offlineAtLeast.record((this.#leastNs.absent[client] as number) / 1000);
  }

  recordProven(client: number): void {
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

  report() {
    return { series: this.#series, samples: finished(this.#metrics) };
  }

  #countAt(name: 'cutInMs' | 'provenInMs', afterNs: number): void {
    const series = this.#series[name];
    const at = Math.min(series.length - 1, Math.floor(afterNs / 1e6));
    series[at] = (series[at] as number) + 1;
  }
}

type MomentsContext = Pick<AudienceContext<unknown>, 'clientCount' | 'recorder' | 'nowNs' | 'sleptNs'>;
