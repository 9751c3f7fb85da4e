import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause, DropMode } from '../../protocols/protocol.js';
import { finished, recordersOf } from '../books/times.js';
import { draw } from '../draws.js';
import { choiceOption, durationOption } from '../options.js';
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

/** The plan of clients that come back after each cut, drop and failed attempt, by waits alike for all targets. */
export class Returning implements ClientPlan {
  readonly returns = true;
  readonly toCome = 0;
  readonly #roster: Roster;
  readonly #backoff: Omit<Backoff, 'seed'>;
  readonly #hooks: ReturnHooks;
  /** Instant when a client that is away opens. */
  readonly #dueAtNs: Float64Array;
  /** Number of the next wait since the client was there last. */
  readonly #wait: Int32Array;
  /** Begin of the absence that is timed; 0 without one. */
  readonly #leftNs: Float64Array;
  /** Shortest duration of an absence until the attempt under way: its waits, and the least time of its attempts. */
  readonly #leastNs: Float64Array;
  readonly #lastFailure: (Cause | undefined)[];
  readonly #failures: Record<string, number> = {};
  readonly #counts = { attempts: 0, failedAttempts: 0, resumes: 0, recovered: 0 };
  readonly #times: Record<'offline' | 'offlineAtLeast' | 'reconnect' | 'reconnectAtLeast' | 'wait', Recorder>;
  /** Clients of the plan, those of them that are away, and those whose last attempt failed. */
  #members = 0;
  #away = 0;
  #failing = 0;

  constructor(roster: Roster, backoff: Omit<Backoff, 'seed'>, hooks: ReturnHooks) {
    const { clientCount, recorder } = roster.context;
    this.#roster = roster;
    this.#backoff = backoff;
    this.#hooks = hooks;
    this.#dueAtNs = new Float64Array(clientCount).fill(never);
    this.#wait = new Int32Array(clientCount);
    this.#leftNs = new Float64Array(clientCount);
    this.#leastNs = new Float64Array(clientCount);
    this.#lastFailure = new Array<Cause | undefined>(clientCount).fill(undefined);
    this.#times = recordersOf(recorder, 'offline', 'offlineAtLeast', 'reconnect', 'reconnectAtLeast', 'wait');
  }

  /** Takes over the clients that are there. */
  begin(): void {
    for (let client = 0; client < this.#dueAtNs.length; client++) {
      if (!this.#roster.isSubscribed(client)) continue;
      this.#roster.follow(client, this);
      this.#members++;
    }
  }

  isMember(client: number): boolean {
    return this.#roster.follows(client, this);
  }

  get members(): number {
    return this.#members;
  }

  get away(): number {
    return this.#away;
  }

  get isEachFailing(): boolean {
    return this.#failing === this.#members;
  }

  tick(): void {
    const nowNs = this.#roster.context.nowNs();
    for (let client = 0; client < this.#dueAtNs.length; client++) {
      if ((this.#dueAtNs[client] as number) > nowNs) continue;
      this.#dueAtNs[client] = never;
      this.#counts.attempts++;
      this.#roster.open(client);
    }
    this.#roster.sweep();
  }

  /** Ends the connection of a client that is there. The client is opened again `awayNs` later. */
  drop(client: number, mode: DropMode, awayNs: number, readNs?: number): void {
    const nowNs = this.#roster.context.nowNs();
    this.#leave(client, nowNs, readNs);
    this.timeAbsence(client, nowNs);
    this.#awayFor(client, nowNs, awayNs);
    this.#roster.drop(client, mode, clientState.away);
  }

  /** Times the absence of a client from that instant on. */
  timeAbsence(client: number, fromNs: number): void {
    this.#leftNs[client] = fromNs;
  }

  #leave(client: number, nowNs: number, readNs?: number): void {
    this.#away++;
    this.#leftNs[client] = 0;
    this.#leastNs[client] = 0;
    this.#hooks.absences?.left(client, nowNs, readNs);
  }

  #awayFor(client: number, fromNs: number, awayNs: number): void {
    this.#dueAtNs[client] = fromNs + awayNs;
    this.#leastNs[client] = (this.#leastNs[client] as number) + awayNs;
  }

  opened(client: number): void {
    this.#hooks.absences?.returning(client, this.#roster.startedNs[client] as number);
  }

  subscribed(client: number): void {
    const atNs = this.#roster.arrivedAtNs(client);
    const absenceLeastNs = this.#absenceLeastNs(client);
    const leftNs = this.#leftNs[client] as number;
    this.#away--;
    if (this.#lastFailure[client] !== undefined) this.#failing--;
    this.#lastFailure[client] = undefined;
    this.#wait[client] = 0;
    if (leftNs > 0) {
      this.#times.offline.record((atNs - leftNs) / 1000);
      this.#times.offlineAtLeast.record(absenceLeastNs / 1000);
    }
    this.#times.reconnect.record((atNs - (this.#roster.startedNs[client] as number)) / 1000);
    this.#times.reconnectAtLeast.record(this.#roster.leastNs(client) / 1000);
    this.#roster.timeline.count('back', atNs);
    this.#hooks.absences?.back(client, atNs);
    this.#hooks.back(client, atNs, absenceLeastNs);
  }

  #absenceLeastNs(client: number): number {
    return (this.#leastNs[client] as number) + this.#roster.leastNs(client);
  }

  cut(client: number, cause: Cause): void {
    const nowNs = this.#roster.context.nowNs();
    this.#leave(client, nowNs);
    this.#awayFor(client, nowNs, this.#drawWaitMs(client) * 1e6);
    this.#hooks.cut(client, cause, nowNs);
  }

  failed(client: number, cause: Cause): void {
    this.#leastNs[client] = this.#absenceLeastNs(client);
    this.#counts.failedAttempts++;
    this.#failures[cause] = (this.#failures[cause] ?? 0) + 1;
    if (this.#lastFailure[client] === undefined) this.#failing++;
    this.#lastFailure[client] = cause;
    this.#awayFor(client, this.#roster.context.nowNs(), this.#drawWaitMs(client) * 1e6);
    this.#hooks.failed?.(cause);
  }

  #drawWaitMs(client: number): number {
    const { seed, firstClient } = this.#roster.context;
    const wait = this.#wait[client] as number;
    this.#wait[client] = wait + 1;
    const waitMs = backoffDelayMs({ seed, ...this.#backoff }, firstClient + client, wait);
    this.#times.wait.record(waitMs * 1000);
    return waitMs;
  }

  resumed(client: number, wasRecovered: boolean): void {
    if (!this.#roster.is(client, clientState.open) && !this.#roster.isSubscribed(client)) return;
    this.#counts.resumes++;
    if (wasRecovered) this.#counts.recovered++;
  }

  /** Reads the clients still away from the table, so that the ledger can find a mismatch. Call it once. */
  report() {
    const notBack: Record<string, number> = {};
    this.#lastFailure.forEach((failure, client) => {
      if (!this.isMember(client) || this.#roster.isSubscribed(client)) return;
      const why = failure ?? (this.#roster.is(client, clientState.away) ? 'not tried' : 'under way');
      notBack[why] = (notBack[why] ?? 0) + 1;
    });
    const underWay = this.#roster.count(this, clientState.opening, clientState.open);
    return {
      counts: { ...this.#counts, underWay },
      failures: this.#failures,
      notBack,
      samples: finished(this.#times),
    };
  }
}
