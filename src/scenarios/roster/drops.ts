import type { Cause, DropMode } from '../../protocols/protocol.js';
import { draw } from '../traffic/schedule.js';
import { type AbsenceEvents, defaultBackoff, planReturns } from './returning.js';
import type { Roster } from './roster.js';

/** Distributions of a client's drops over time. */
export const spreads = ['exponential', 'fixed'] as const;

export interface DropPlan {
  seed: number;
  everyMs: number;
  offlineMs: number;
  spread: (typeof spreads)[number];
  lengthMs: number;
}

/** Shortest time that a client is online, in milliseconds, so that no drop finds it still away on a slow machine. */
export const leastOnlineMs = 1000;

/** Returns a client's drops, in ascending ms of the schedule: `everyMs` apart on average. */
export function dropInstants(client: number, plan: DropPlan): number[] {
  const { seed, everyMs, offlineMs, spread, lengthMs } = plan;
  const leastMs = offlineMs + leastOnlineMs;
  const freeMs = everyMs - leastMs;
  const gapOf = (share: number): number => leastMs - Math.log(1 - share) * freeMs;
  const firstMs = everyMs * draw(seed, 'drop', client, 0);
  // The first interval is drawn from the residual time.
  const isEarly = spread === 'fixed' || firstMs < leastMs;
  let atMs = isEarly ? firstMs : gapOf((firstMs - leastMs) / freeMs);
  const instants: number[] = [];
  for (let n = 1; atMs < lengthMs; n++) {
    instants.push(atMs);
    atMs += spread === 'fixed' ? everyMs : gapOf(draw(seed, 'drop', client, n));
  }
  return instants;
}

const never = Number.POSITIVE_INFINITY;

export interface DropsOptions {
  offlineMs: number;
  dropMode: DropMode;
  drainMs: number;
}

/** Makes the plan of clients that are dropped on schedule. Each is opened again after the offline window. */
export function planDrops(roster: Roster, { offlineMs, dropMode, drainMs }: DropsOptions, absences: AbsenceEvents) {
  const { clientCount, firstClient, nowNs, seed } = roster.context;
  /** Drops still to come of each client, and the next of them. */
  const later: number[][] = Array.from({ length: clientCount }, () => []);
  const nextNs = new Float64Array(clientCount).fill(never);
  const cuts: Record<string, number> = {};
  const counts = { planned: 0, drops: 0, skipped: 0, cuts: 0, back: 0 };
  let emptyNs = never;
  /** Instant of the last tick. Since then the loop has read at most what had come before it. */
  let tickedNs = 0;

  const noteEmpty = (atNs: number): void => {
    if (roster.there === 0) emptyNs = atNs;
  };

  /** Gives up if no client could come back for as long as clients are awaited. */
  const lookForAnyone = (cause: Cause): void => {
    if (!returning.isEachFailing || nowNs() < emptyNs + drainMs * 1e6) return;
    roster.giveUp(`no client of a worker could come back any more, the last by ${cause}`);
  };

  const returning = planReturns(roster, defaultBackoff, {
    absences,
    /** A cut is not a drop: only drops have an offline window. */
    cut(_client, cause, atNs) {
      counts.cuts++;
      cuts[cause] = (cuts[cause] ?? 0) + 1;
      roster.timeline.count(`cut ${cause}`, atNs);
      noteEmpty(atNs);
      lookForAnyone(cause);
    },
    failed: lookForAnyone,
    back: () => void counts.back++,
  });

  const advance = (client: number): void => {
    nextNs[client] = later[client]?.shift() ?? never;
  };

  const drop = (client: number, atNs: number): void => {
    if (!roster.isSubscribed(client)) {
      counts.skipped++;
      return;
    }
    counts.drops++;
    roster.timeline.count('dropped', atNs);
    returning.drop(client, dropMode, offlineMs * 1e6, tickedNs);
    noteEmpty(atNs);
  };

  return {
    returning,
    /** Takes over the clients that are there. The first drop is due in `plan` that long after `firstNs`. */
    begin(startAtNs: number, firstNs: number, plan: Omit<DropPlan, 'seed' | 'offlineMs'>): void {
      tickedNs = startAtNs;
      returning.begin();
      for (let client = 0; client < clientCount; client++) {
        if (!returning.isMember(client)) continue;
        const instants = dropInstants(firstClient + client, { ...plan, seed, offlineMs });
        counts.planned += instants.length;
        later[client] = instants.map((atMs) => firstNs + atMs * 1e6);
        advance(client);
      }
    },
    get drops() {
      return counts.drops;
    },
    tick(): void {
      const atNs = nowNs();
      for (let client = 0; client < clientCount; client++) {
        if ((nextNs[client] as number) > atNs) continue;
        advance(client);
        drop(client, atNs);
      }
      returning.tick();
      tickedNs = atNs;
    },
    report() {
      const { counts: returned, failures, notBack, samples } = returning.report();
      const notDue = later.reduce((sum, instants) => sum + instants.length, nextNs.filter((ns) => ns !== never).length);
      return {
        counts: { ...counts, ...returned, notDue },
        causes: { close: cuts, reconnect: failures, notBack },
        samples,
      };
    },
  };
}
