import type { Cause, DropMode } from '../../protocols/protocol.js';
import { draw } from '../draws.js';
import { type AbsenceEvents, defaultBackoff, Returning } from './returning.js';
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
  /** Longest time that clients are awaited. */
  drainMs: number;
}

/** The plan of clients that are dropped on schedule. Each is opened again after the offline window. */
export class Drops {
  readonly returning: Returning;
  readonly #roster: Roster;
  readonly #options: DropsOptions;
  readonly #queue: DropQueue;
  readonly #cuts: Record<string, number> = {};
  readonly #counts = { planned: 0, drops: 0, skipped: 0, cuts: 0, back: 0 };
  /** Instant since which no client is there. */
  #emptyNs = never;
  /** Instant of the last tick. Since then the loop has read at most what had come before it. */
  #tickedNs = 0;

  constructor(roster: Roster, options: DropsOptions, absences: AbsenceEvents) {
    this.#roster = roster;
    this.#options = options;
    this.#queue = new DropQueue(roster.context.clientCount);
    this.returning = new Returning(roster, defaultBackoff, {
      absences,
      cut: (_client, cause, atNs) => this.#cut(cause, atNs),
      failed: (cause) => this.#lookForAnyone(cause),
      back: () => {
        this.#counts.back++;
      },
    });
  }

  /** Takes over the clients that are there. The first drop is due in `plan` that long after `firstNs`. */
  begin(startAtNs: number, firstNs: number, plan: Omit<DropPlan, 'seed' | 'offlineMs'>): void {
    const { seed, firstClient, clientCount } = this.#roster.context;
    this.#tickedNs = startAtNs;
    this.returning.begin();
    for (let client = 0; client < clientCount; client++) {
      if (!this.returning.isMember(client)) continue;
      const instants = dropInstants(firstClient + client, { ...plan, seed, offlineMs: this.#options.offlineMs });
      this.#counts.planned += instants.length;
      this.#queue.set(
        client,
        instants.map((atMs) => firstNs + atMs * 1e6),
      );
    }
  }

  get drops(): number {
    return this.#counts.drops;
  }

  tick(): void {
    const nowNs = this.#roster.context.nowNs();
    for (let client = 0; client < this.#roster.context.clientCount; client++) {
      if (this.#queue.take(client, nowNs)) this.#drop(client, nowNs);
    }
    this.returning.tick();
    this.#tickedNs = nowNs;
  }

  #drop(client: number, nowNs: number): void {
    if (!this.#roster.isSubscribed(client)) {
      this.#counts.skipped++;
      return;
    }
    const { dropMode, offlineMs } = this.#options;
    this.#counts.drops++;
    this.#roster.timeline.count('dropped', nowNs);
    this.returning.drop(client, dropMode, offlineMs * 1e6, this.#tickedNs);
    this.#noteEmpty(nowNs);
  }

  #noteEmpty(nowNs: number): void {
    if (this.#roster.there === 0) this.#emptyNs = nowNs;
  }

  /** Counts a cut, which is not a drop: only drops have an offline window. */
  #cut(cause: Cause, atNs: number): void {
    this.#counts.cuts++;
    this.#cuts[cause] = (this.#cuts[cause] ?? 0) + 1;
    this.#roster.timeline.count(`cut ${cause}`, atNs);
    this.#noteEmpty(atNs);
    this.#lookForAnyone(cause);
  }

  /** Gives up if no client could come back for as long as clients are awaited. */
  #lookForAnyone(cause: Cause): void {
    const giveUpNs = this.#emptyNs + this.#options.drainMs * 1e6;
    if (!this.returning.isEachFailing || this.#roster.context.nowNs() < giveUpNs) return;
    this.#roster.giveUp(`no client of a worker could come back any more, the last by ${cause}`);
  }

  report() {
    const { counts, failures, notBack, samples } = this.returning.report();
    return {
      counts: { ...this.#counts, ...counts, notDue: this.#queue.left },
      causes: { close: this.#cuts, reconnect: failures, notBack },
      samples,
    };
  }
}

/** Holds the drops still to come, of each client of a worker. */
export class DropQueue {
  readonly #later: number[][];
  readonly #nextNs: Float64Array;

  constructor(clients: number) {
    this.#later = Array.from({ length: clients }, () => []);
    this.#nextNs = new Float64Array(clients).fill(never);
  }

  set(client: number, instantsNs: readonly number[]): void {
    const [next = never, ...later] = instantsNs;
    this.#nextNs[client] = next;
    this.#later[client] = later;
  }

  /** Returns true if a drop of the client is due, and removes that drop. */
  take(client: number, nowNs: number): boolean {
    if ((this.#nextNs[client] as number) > nowNs) return false;
    this.#nextNs[client] = this.#later[client]?.shift() ?? never;
    return true;
  }

  get left(): number {
    const next = this.#nextNs.reduce((sum, atNs) => sum + (atNs === never ? 0 : 1), 0);
    return this.#later.reduce((sum, instants) => sum + instants.length, next);
  }
}
