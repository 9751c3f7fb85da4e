import type { Recorder } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { Cause } from '../../protocols/protocol.js';
import { finished, recordersOf } from '../books/times.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { type ClientPlan, clientState, type Roster } from './roster.js';
import {
  type Churn,
  evenStep,
  replacedAtMs,
  replacedIn,
  shareVisits,
  stagesOf,
  visitsOf,
  visitsOfChurn,
} from './stages.js';

export interface VisitOptions {
  stages?: string | undefined;
  drainMs: number;
}

export interface VisitHooks {
  /** Called when the client is there, until `toNs` at most. */
  arrived(client: number, toNs: number): void;
  cut(client: number, cause: Cause): void;
  /** Returns true if everything owed to the client has arrived. Left out if no client leaves. */
  hasAll?(client: number): boolean;
  /** Called as the visits begin, for each client of the ramp that a churn may replace, at `toNs`. */
  resident?(client: number, toNs: number): void;
}

/** The plan of visitors, which come and leave once. With a churn they replace clients of the ramp. */
export class Visits implements ClientPlan {
  readonly returns = false;
  /** Number of clients of this worker that are there from the ramp on. Those behind them are visitors. */
  readonly staying: number;
  /** False where nobody comes and goes. */
  readonly isPlanned: boolean;
  readonly #roster: Roster;
  readonly #hooks: VisitHooks;
  readonly #drainNs: number;
  /** Times of each client, in milliseconds after the begin. */
  readonly #fromMs: Float64Array;
  readonly #toMs: Float64Array;
  readonly #hasChurn: boolean;
  /** Clients of the ramp that are replaced. */
  #residents = 0;
  readonly #times: Record<'arrival' | 'arrivalAtLeast' | 'arrivalLag', Recorder>;
  readonly #causes: Record<'arrive' | 'close', Record<string, number>> = { arrive: {}, close: {} };
  #startAtNs = 0;
  #there = 0;
  #toCome: number;

  constructor(roster: Roster, context: AudienceContext<VisitOptions>, hooks: VisitHooks, churn?: Churn) {
    const { totalClients, clientCount } = context;
    const inRamp = churn && totalClients - replacedIn(churn);
    const all = churn ? visitsOfChurn(churn, inRamp as number) : visitsOf(stagesOf(context.options.stages));
    const { staying, firstStaying, visits } = shareVisits(context, all.length);
    this.#roster = roster;
    this.#hooks = hooks;
    this.#drainNs = context.options.drainMs * 1e6;
    this.staying = staying;
    this.isPlanned = context.options.stages !== undefined || churn !== undefined;
    this.#hasChurn = churn !== undefined;
    this.#fromMs = new Float64Array(clientCount);
    this.#toMs = new Float64Array(clientCount).fill(Number.POSITIVE_INFINITY);
    for (const [visitor, visit] of visits.entries()) {
      this.#fromMs[staying + visitor] = all[visit]!.fromMs;
      this.#toMs[staying + visitor] = all[visit]!.toMs;
    }
    if (churn)
      for (let client = 0; client < staying; client++)
        this.#toMs[client] = replacedAtMs(
          ((firstStaying + client) * evenStep(inRamp as number)) % (inRamp as number),
          churn,
        );
    this.#toCome = visits.length;
    this.#times = recordersOf(context.recorder, 'arrival', 'arrivalAtLeast', 'arrivalLag');
    for (let client = staying; client < clientCount; client++) roster.follow(client, this);
  }

  begin(startAtNs: number): void {
    this.#startAtNs = startAtNs;
    if (!this.#hasChurn) return;
    for (let client = 0; client < this.staying; client++) {
      const toNs = this.#toNs(client);
      this.#hooks.resident?.(client, toNs);
      if (!Number.isFinite(toNs) || !this.#roster.isSubscribed(client)) continue;
      this.#roster.follow(client, this);
      this.#residents++;
      this.#there++;
    }
  }

  /** The first client of this worker that may leave. */
  get firstLeaving(): number {
    return this.#hasChurn ? 0 : this.staying;
  }

  get toCome(): number {
    return this.#toCome;
  }

  /** Returns true if the target cut the client and its time is not over. */
  isMissed(client: number): boolean {
    return this.#roster.is(client, clientState.cut) && this.#roster.context.nowNs() < this.#toNs(client);
  }

  /** Admits visitors that are due. Ends those whose time is over: once they have all, or after one drain. */
  tick(): void {
    const nowNs = this.#roster.context.nowNs();
    for (let client = this.firstLeaving; client < this.#toMs.length; client++) {
      if (!this.#roster.follows(client, this)) continue;
      if (nowNs >= this.#toNs(client)) this.#end(client, nowNs);
      else if (this.#roster.is(client, clientState.planned) && nowNs >= this.#fromNs(client))
        this.#admit(client, nowNs);
    }
    if (this.isPlanned) this.#roster.sweep(this.staying);
  }

  #fromNs(client: number): number {
    return this.#startAtNs + (this.#fromMs[client] as number) * 1e6;
  }

  #toNs(client: number): number {
    return this.#startAtNs + (this.#toMs[client] as number) * 1e6;
  }

  /** Ends a visit whose time is over. */
  #end(client: number, nowNs: number): void {
    const { planned, subscribed, leaving, left, unready } = clientState;
    const isPlanned = this.#roster.is(client, planned);
    if (isPlanned || this.#roster.isOnItsWay(client)) {
      this.#toCome--;
      if (isPlanned) this.#roster.move(client, unready);
      else this.#roster.drop(client, 'reset', unready);
      return;
    }
    if (this.#roster.is(client, subscribed)) this.#roster.move(client, leaving);
    if (!this.#roster.is(client, leaving)) return;
    if (nowNs < this.#toNs(client) + this.#drainNs && !this.#hooks.hasAll?.(client)) return;
    this.#there--;
    this.#roster.timeline.count('left', nowNs);
    this.#roster.drop(client, 'close', left);
  }

  #admit(client: number, nowNs: number): void {
    this.#times.arrivalLag.record((nowNs - this.#fromNs(client)) / 1000);
    this.#roster.open(client);
  }

  subscribed(client: number): void {
    const { startedNs, timeline, context } = this.#roster;
    this.#toCome--;
    this.#there++;
    const arrivedNs = this.#roster.arrivedAtNs(client);
    this.#times.arrival.record(Math.max(0, arrivedNs - (startedNs[client] as number)) / 1000);
    this.#times.arrivalAtLeast.record(this.#roster.leastNs(client) / 1000);
    timeline.count('arrived', context.nowNs());
    this.#hooks.arrived(client, this.#toNs(client));
  }

  failed(_client: number, cause: Cause): void {
    this.#toCome--;
    this.#count('arrive', cause);
  }

  /** A broadcast sent until the planned end of a visit stays owed to its visitor, even if it is cut. */
  cut(client: number, cause: Cause): void {
    this.#there--;
    this.#count('close', cause);
    this.#roster.timeline.count(`cut ${cause}`, this.#roster.context.nowNs());
    this.#hooks.cut(client, cause);
  }

  #count(occasion: 'arrive' | 'close', cause: Cause): void {
    this.#causes[occasion][cause] = (this.#causes[occasion][cause] ?? 0) + 1;
  }

  /** Returns the live figures of visitors; none without stages. */
  progress(): Record<string, number> {
    return this.isPlanned ? { visitors: this.#there } : {};
  }

  report() {
    const at = (...states: readonly number[]): number => this.#roster.count(this, ...states);
    const { planned, opening, open, subscribed, leaving, left, unready, failed, cut } = clientState;
    return {
      counts: {
        visits: this.#toMs.length - this.staying + this.#residents,
        visitsFailed: at(failed),
        visitsUnready: at(unready, opening, open),
        visitsNotDue: at(planned),
        visitsEnded: at(left),
        visitsCut: at(cut),
        visitsStayed: at(subscribed, leaving),
        arrived: this.arrived + this.#residents,
      },
      causes: this.#causes,
      samples: finished(this.#times),
    };
  }

  /** Visitors that came so far. */
  get arrived(): number {
    return this.#times.arrival.count;
  }

  /** Adds the outcome of visits to a report, if stages are given. */
  reportWith(report: RoleReport): RoleReport {
    if (!this.isPlanned) return report;
    const { counts, causes, samples } = this.report();
    return {
      ...report,
      counts: { ...report.counts, ...counts },
      causes: {
        ...report.causes,
        arrive: causes.arrive,
        close: sumCounts([report.causes.close ?? {}, causes.close]),
        visitCut: causes.close,
      },
      samples: { ...report.samples, ...samples },
    };
  }
}
