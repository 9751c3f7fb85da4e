import { finished, recordersOf } from '../../measure/samples/recorder.js';
import type { Cause, DropMode } from '../../protocols/protocol.js';
import { choiceOption, durationOption } from '../options.js';
import { draw } from '../traffic/schedule.js';
import { type ClientPlan, clientState, type Roster } from './roster.js';

/** Least share of the clients that a restart cuts. Anything else can cut fewer. */
const leastCutShare = 0.01;

/** Returns true if so many cuts of so many clients show that their server was restarted. */
export function wereCut(cut: number, clients: number): boolean {
  return cut > 0 && cut >= clients * leastCutShare;
}

/** Returns the first and the last cut, in whole milliseconds after the order, or nothing without a cut. */
export function spreadOf(cutInMs: Uint32Array): Record<string, number> {
  const first = cutInMs.findIndex((each) => each > 0);
  return first < 0 ? {} : { firstCutMs: first, lastCutMs: cutInMs.findLastIndex((each) => each > 0) };
}

/** Prints the first and the last cut, by a function that prints a count. */
export function spreadInWords(of: (name: string) => string): string {
  return `; the first ${of('firstCutMs')} ms after the order, the last ${of('lastCutMs')} ms`;
}

/** Describes the waits of clients of either kind, the same for every target. */
export interface Backoff {
  seed: number;
  backoffMs: number;
  backoffMaxMs: number;
}

/** Waits of clients unless options set others. */
export const defaultBackoff = { backoffMs: 500, backoffMaxMs: 5000 } as const;

/** Returns the wait before attempt `attempt` (from 0), with full jitter (Brooker 2015). */
export function backoffDelayMs(backoff: Backoff, client: number, attempt: number): number {
  const { seed, backoffMs, backoffMaxMs } = backoff;
  return draw(seed, 'retry', client, attempt) * Math.min(backoffMaxMs, backoffMs * 2 ** attempt);
}

/** Declares the signal that ends processes started by Ringside. */
export const endedBy = choiceOption('by', ['term', 'kill'], 'term', 'stop signal for processes Ringside started');

/** Options of the waits before clients come back, the same for every target and kind of client. */
export const returnOptions = {
  backoffMs: durationOption('backoff', defaultBackoff.backoffMs, [1, 600_000], 'base of the backoff with full jitter'),
  backoffMaxMs: durationOption('backoff-max', defaultBackoff.backoffMaxMs, [1, 600_000], 'longest wait for an attempt'),
};

const never = Number.POSITIVE_INFINITY;

/** Receives each absence of a client: its begin, the attempt that ends it, and its end. */
export interface AbsenceEvents {
  /** A busy machine may not have read what came after `readNs`. */
  left(client: number, atNs: number, readNs?: number): void;
  returning(client: number, sinceNs: number): void;
  back(client: number, atNs: number): void;
}

export interface ReturnHooks {
  absences?: AbsenceEvents;
  cut(client: number, cause: Cause, atNs: number): void;
  failed?(cause: Cause): void;
  /** `absenceLeastNs` is the shortest duration, without any delay of the rig, of the absence that ended. */
  back(client: number, atNs: number, absenceLeastNs: number): void;
}

export type Returns = ReturnType<typeof planReturns>;

/** Makes the plan of clients that come back after each cut, drop and failed attempt, by waits alike for all targets. */
export function planReturns(roster: Roster, backoff: Omit<Backoff, 'seed'>, hooks: ReturnHooks) {
  const { clientCount, firstClient, nowNs, recorder, seed } = roster.context;
  const dueAtNs = new Float64Array(clientCount).fill(never);
  /** Number of the next wait since the client was there last. */
  const waits = new Int32Array(clientCount);
  /** Begin of the absence that is timed; 0 without one. */
  const leftNs = new Float64Array(clientCount);
  /** Shortest duration of an absence until the attempt under way: its waits, and the least time of its attempts. */
  const leastNs = new Float64Array(clientCount);
  const lastFailure = new Array<Cause | undefined>(clientCount).fill(undefined);
  const failures: Record<string, number> = {};
  const counts = { attempts: 0, failedAttempts: 0, resumes: 0, recovered: 0 };
  const times = recordersOf(recorder, 'offline', 'offlineAtLeast', 'reconnect', 'reconnectAtLeast', 'wait');
  /** Clients of the plan, those of them that are away, and those whose last attempt failed. */
  let [members, away, failing] = [0, 0, 0];

  const leave = (client: number, atNs: number, readNs?: number): void => {
    away++;
    leftNs[client] = 0;
    leastNs[client] = 0;
    hooks.absences?.left(client, atNs, readNs);
  };

  const awayFor = (client: number, fromNs: number, awayNs: number): void => {
    dueAtNs[client] = fromNs + awayNs;
    leastNs[client] = (leastNs[client] as number) + awayNs;
  };

  const drawWaitNs = (client: number): number => {
    const waitMs = backoffDelayMs({ seed, ...backoff }, firstClient + client, waits[client]!++);
    times.wait.record(waitMs * 1000);
    return waitMs * 1e6;
  };

  const absenceLeastNs = (client: number): number => (leastNs[client] as number) + roster.leastNs(client);

  const plan: ClientPlan = {
    ...{ returns: true, toCome: 0 },
    opened: (client) => hooks.absences?.returning(client, roster.startedNs[client] as number),
    subscribed(client) {
      const atNs = roster.arrivedAtNs(client);
      const least = absenceLeastNs(client);
      const fromNs = leftNs[client] as number;
      away--;
      if (lastFailure[client] !== undefined) failing--;
      lastFailure[client] = undefined;
      waits[client] = 0;
      if (fromNs > 0) {
        times.offline.record((atNs - fromNs) / 1000);
        times.offlineAtLeast.record(least / 1000);
      }
      times.reconnect.record((atNs - (roster.startedNs[client] as number)) / 1000);
      times.reconnectAtLeast.record(roster.leastNs(client) / 1000);
      roster.timeline.count('back', atNs);
      hooks.absences?.back(client, atNs);
      hooks.back(client, atNs, least);
    },
    cut(client, cause) {
      const atNs = nowNs();
      leave(client, atNs);
      awayFor(client, atNs, drawWaitNs(client));
      hooks.cut(client, cause, atNs);
    },
    failed(client, cause) {
      leastNs[client] = absenceLeastNs(client);
      counts.failedAttempts++;
      failures[cause] = (failures[cause] ?? 0) + 1;
      if (lastFailure[client] === undefined) failing++;
      lastFailure[client] = cause;
      awayFor(client, nowNs(), drawWaitNs(client));
      hooks.failed?.(cause);
    },
    resumed(client, wasRecovered) {
      if (!roster.is(client, clientState.open) && !roster.isSubscribed(client)) return;
      counts.resumes++;
      if (wasRecovered) counts.recovered++;
    },
  };

  const isMember = (client: number): boolean => roster.follows(client, plan);
  const timeAbsence = (client: number, fromNs: number): void => {
    leftNs[client] = fromNs;
  };

  return {
    isMember,
    /** Times the absence of a client from that instant on. */
    timeAbsence,
    get members() {
      return members;
    },
    get away() {
      return away;
    },
    get isEachFailing() {
      return failing === members;
    },
    /** Takes over the clients that are there, or those of them that `isTaken` names. */
    begin(isTaken: (client: number) => boolean = () => true): void {
      for (let client = 0; client < clientCount; client++) {
        if (!roster.isSubscribed(client) || !isTaken(client)) continue;
        roster.follow(client, plan);
        members++;
      }
    },
    tick(): void {
      const atNs = nowNs();
      for (let client = 0; client < clientCount; client++) {
        if ((dueAtNs[client] as number) > atNs) continue;
        dueAtNs[client] = never;
        counts.attempts++;
        roster.open(client);
      }
      roster.sweep();
    },
    /** Ends the connection of a client that is there. The client is opened again `awayNs` later. */
    drop(client: number, mode: DropMode, awayNs: number, readNs?: number): void {
      const atNs = nowNs();
      leave(client, atNs, readNs);
      timeAbsence(client, atNs);
      awayFor(client, atNs, awayNs);
      roster.drop(client, mode, clientState.away);
    },
    /** Reads the clients still away from the table, so that the ledger can find a mismatch. Call it once. */
    report() {
      const notBack: Record<string, number> = {};
      lastFailure.forEach((failure, client) => {
        if (!isMember(client) || roster.isSubscribed(client)) return;
        const why = failure ?? (roster.is(client, clientState.away) ? 'not tried' : 'under way');
        notBack[why] = (notBack[why] ?? 0) + 1;
      });
      const underWay = roster.count(plan, clientState.opening, clientState.open);
      return { counts: { ...counts, underWay }, failures, notBack, samples: finished(times) };
    },
  };
}
