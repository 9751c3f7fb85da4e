import { finished, recordersOf } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { Cause } from '../../protocols/protocol.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import {
  type Churn,
  evenStep,
  plannedNs,
  replacedAtMs,
  replacedIn,
  shareVisits,
  stagesOf,
  visitsOf,
  visitsOfChurn,
} from '../traffic/schedule.js';
import { type ClientPlan, clientState, type Roster } from './roster.js';

export interface VisitOptions {
  stages?: string | undefined;
  drainMs: number;
}

export interface VisitHooks {
  arrived(client: number, toNs: number): void;
  cut(client: number, cause: Cause): void;
  /** Returns true if everything owed to the client has arrived. Left out if no client leaves. */
  hasAll?(client: number): boolean;
  resident?(client: number, toNs: number): void;
}

/**
 * Makes the plan of visitors. Each is a client of its own that comes once, tries once, and leaves once. With a churn
 * they replace clients of the ramp, which follow this plan, too, once visits begin.
 */
export function planVisits(roster: Roster, context: AudienceContext<VisitOptions>, hooks: VisitHooks, churn?: Churn) {
  const { clientCount, nowNs, options, totalClients } = context;
  const inRamp = churn ? totalClients - replacedIn(churn) : 0;
  const all = churn ? visitsOfChurn(churn, inRamp) : visitsOf(stagesOf(options.stages));
  const { staying, firstStaying, visits } = shareVisits(context, all.length);
  const isPlanned = options.stages !== undefined || churn !== undefined;
  const firstLeaving = churn ? 0 : staying;
  /** Times of each client, in milliseconds after the begin. */
  const fromMs = new Float64Array(clientCount);
  const toMs = new Float64Array(clientCount).fill(Number.POSITIVE_INFINITY);
  for (const [visitor, visit] of visits.entries()) {
    fromMs[staying + visitor] = all[visit]!.fromMs;
    toMs[staying + visitor] = all[visit]!.toMs;
  }
  if (churn)
    for (let client = 0; client < staying; client++)
      toMs[client] = replacedAtMs(((firstStaying + client) * evenStep(inRamp)) % inRamp, churn);
  const times = recordersOf(context.recorder, 'arrival', 'arrivalAtLeast', 'arrivalLag');
  const causes: Record<'arrive' | 'close', Record<string, number>> = { arrive: {}, close: {} };
  let startAtNs = 0;
  let there = 0;
  let toCome = visits.length;
  /** Clients of the ramp that are replaced. */
  let residents = 0;
  const fromNs = (client: number): number => startAtNs + (fromMs[client] as number) * 1e6;
  const toNs = (client: number): number => startAtNs + (toMs[client] as number) * 1e6;
  const count = (occasion: 'arrive' | 'close', cause: Cause): void => {
    causes[occasion][cause] = (causes[occasion][cause] ?? 0) + 1;
  };

  const plan: ClientPlan = {
    returns: false,
    get toCome() {
      return toCome;
    },
    subscribed(client) {
      toCome--;
      there++;
      const arrivedNs = roster.arrivedAtNs(client);
      times.arrival.record(Math.max(0, arrivedNs - (roster.startedNs[client] as number)) / 1000);
      times.arrivalAtLeast.record(roster.leastNs(client) / 1000);
      roster.timeline.count('arrived', nowNs());
      hooks.arrived(client, toNs(client));
    },
    failed(_client, cause) {
      toCome--;
      count('arrive', cause);
    },
    /** A broadcast sent until the planned end of a visit stays owed to its visitor, even if it is cut. */
    cut(client, cause) {
      there--;
      count('close', cause);
      roster.timeline.count(`cut ${cause}`, nowNs());
      hooks.cut(client, cause);
    },
  };
  for (let client = staying; client < clientCount; client++) roster.follow(client, plan);

  const end = (client: number, atNs: number): void => {
    const { planned, subscribed, leaving, left, unready } = clientState;
    const isToCome = roster.is(client, planned);
    if (isToCome || roster.isOnItsWay(client)) {
      toCome--;
      if (isToCome) roster.move(client, unready);
      else roster.drop(client, 'reset', unready);
      return;
    }
    if (roster.is(client, subscribed)) roster.move(client, leaving);
    if (!roster.is(client, leaving)) return;
    if (atNs < toNs(client) + options.drainMs * 1e6 && !hooks.hasAll?.(client)) return;
    there--;
    roster.timeline.count('left', atNs);
    roster.drop(client, 'close', left);
  };

  const report = () => {
    const at = (...states: readonly number[]): number => roster.count(plan, ...states);
    const { planned, opening, open, subscribed, leaving, left, unready, failed, cut } = clientState;
    return {
      counts: {
        visits: clientCount - staying + residents,
        visitsFailed: at(failed),
        visitsUnready: at(unready, opening, open),
        visitsNotDue: at(planned),
        visitsEnded: at(left),
        visitsCut: at(cut),
        visitsStayed: at(subscribed, leaving),
        arrived: times.arrival.count + residents,
      },
      causes,
      samples: finished(times),
    };
  };

  return {
    /** `staying` clients are there from the ramp on, visitors are behind them. `firstLeaving` may leave. */
    ...{ staying, isPlanned, firstLeaving, report },
    begin(atNs: number): void {
      startAtNs = atNs;
      if (!churn) return;
      for (let client = 0; client < staying; client++) {
        hooks.resident?.(client, toNs(client));
        if (!Number.isFinite(toNs(client)) || !roster.isSubscribed(client)) continue;
        roster.follow(client, plan);
        residents++;
        there++;
      }
    },
    /** Admits visitors that are due. Ends those whose time is over: once they have all, or after one drain. */
    tick(): void {
      const atNs = nowNs();
      for (let client = firstLeaving; client < clientCount; client++) {
        if (!roster.follows(client, plan)) continue;
        if (atNs >= toNs(client)) end(client, atNs);
        else if (roster.is(client, clientState.planned) && atNs >= fromNs(client)) {
          times.arrivalLag.record((atNs - fromNs(client)) / 1000);
          roster.open(client);
        }
      }
      if (isPlanned) roster.sweep(staying);
    },
    /** Returns the live figures of visitors; none without stages. */
    progress: (): Record<string, number> => (isPlanned ? { visitors: there } : {}),
    /** Visitors that came so far. */
    get arrived() {
      return times.arrival.count;
    },
    /** Adds the outcome of visits to a report, if there are any. */
    reportWith(others: RoleReport): RoleReport {
      if (!isPlanned) return others;
      const { counts, samples } = report();
      const close = sumCounts([others.causes.close ?? {}, causes.close]);
      return {
        ...others,
        counts: { ...others.counts, ...counts },
        causes: { ...others.causes, arrive: causes.arrive, close, visitCut: causes.close },
        samples: { ...others.samples, ...samples },
      };
    },
  };
}

/** The largest difference between the starts of shards: each knows the schedule of the others only by its own. */
export const startSkewNs = 500e6;

type AttendanceContext = Pick<
  AudienceContext<{ ratePerSecond: number }>,
  'board' | 'slice' | 'options' | 'clientCount' | 'dueMs'
>;

/**
 * Decides which broadcasts a visitor is owed: those between its confirmed subscription and the planned end of its
 * visit. Clients from number `first` on are visitors. Every broadcast is owed to those before them.
 */
export function attendanceOf(context: AttendanceContext, first: number) {
  const { board, clientCount, options, slice } = context;
  const from = new Float64Array(clientCount - first).fill(Number.POSITIVE_INFINITY);
  const to = new Float64Array(clientCount - first);
  let beginsAtNs = 0;
  return {
    begin(startAtNs: number): void {
      beginsAtNs = startAtNs;
    },
    admit(client: number, fromNs: number, toNs: number): void {
      from[client - first] = fromNs;
      to[client - first] = toNs;
    },
    /** Allocates nothing. */
    isOwed(client: number, sequence: number): boolean {
      if (client < first) return true;
      const fromNs = from[client - first] as number;
      const toNs = to[client - first] as number;
      if (sequence % slice.of === slice.index) {
        const sentAtNs = board.sentAtNs[sequence] as number;
        return sentAtNs > 0 && fromNs <= sentAtNs && sentAtNs <= toNs;
      }
      // The stamps of other shards are not here: what they surely sent within the visit is owed.
      const intendedNs = beginsAtNs + plannedNs(context, sequence, options.ratePerSecond);
      return fromNs + startSkewNs <= intendedNs && intendedNs <= toNs - startSkewNs;
    },
  };
}
