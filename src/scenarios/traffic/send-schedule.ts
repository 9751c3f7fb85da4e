import { draw } from '../draws.js';
import { dueAtNs } from '../pace.js';
import type { AudienceContext, RoleContext } from '../scenario.js';
import type { SlotSize } from '../slots.js';

/** Measures the rate of events of one worker, by the first and the last instant. */
export class RateMeter {
  #count = 0;
  #firstNs = Number.POSITIVE_INFINITY;
  #lastNs = 0;

  count(atNs: number): void {
    this.#count++;
    if (atNs < this.#firstNs) this.#firstNs = atNs;
    if (atNs > this.#lastNs) this.#lastNs = atNs;
  }

  /**
   * Returns milliseconds from the first event of another meter to the last of this one, plus an interval; 0 without
   * events.
   */
  lastsMsFrom(first: RateMeter, intervalMs: number): number {
    return this.#lastNs > first.#firstNs ? (this.#lastNs - first.#firstNs) / 1e6 + intervalMs : 0;
  }

  /** Zero for fewer than two events: one instant has no rate. */
  get perSecond(): number {
    return this.#lastNs > this.#firstNs ? ((this.#count - 1) * 1e9) / (this.#lastNs - this.#firstNs) : 0;
  }
}

/** Shortest wait in milliseconds, as timers of Node have whole milliseconds. */
const leastWaitMs = 1;
/**
 * Time before the due instant at which sends are handed over. No send is late even if the loop is blocked for half of
 * it.
 */
export const aheadNs = 200e6;
/** Share of a slot over which the sends of a round are spread. The rest is for messages under way. */
export const spreadShare = 0.4;
/** A larger burst measures the rig. */
const mostSendsPerSecond = 5000;

/** Describes the clients of one worker, by their numbers in the whole run, and their schedules. */
type ScheduleShape = Pick<AudienceContext<never>, 'seed' | 'firstClient' | 'clientCount' | 'slots'> & {
  ratePerSecond: number;
  sendsEach: number;
};

/** Sends the turns of a schedule. */
export interface Leaving {
  /**
   * Hands over a send before it is due, to leave by itself. Returns false if it has to wait. Left out if all sends have
   * to.
   */
  ahead?: ((client: number, number: number, intendedAtNs: number) => boolean) | undefined;
  /** Sends now a turn that is due and was not handed over. */
  due(client: number, number: number, intendedAtNs: number): void;
  /** Returns true if the outcome of every send handed over is known. */
  isSettled?(): boolean;
}

/**
 * Schedules the sends of a worker's clients. Each client sends once per period or slot, at its own offset in it, in
 * turns.
 */
export class SendSchedule {
  readonly turns: number;
  readonly #ratePerSecond: number;
  readonly #beginNs: Float64Array | undefined;
  readonly #offsetNs: Float64Array;
  readonly #byOffset: Int32Array;

  constructor({ seed, firstClient, clientCount, slots, ratePerSecond, sendsEach }: ScheduleShape) {
    const spreadNs = slots ? slots.slotMs * 1e6 * spreadShare : 1e9 / ratePerSecond;
    this.turns = clientCount * sendsEach;
    this.#ratePerSecond = ratePerSecond;
    this.#beginNs = slots?.beginNs;
    this.#offsetNs = Float64Array.from({ length: clientCount }, (_, client) =>
      Math.floor(offsetOf(seed, firstClient + client) * spreadNs),
    );
    const offset = (client: number): number => this.#offsetNs[client] as number;
    this.#byOffset = Int32Array.from({ length: clientCount }, (_, client) => client).sort(
      (a, b) => offset(a) - offset(b),
    );
  }

  clientOf(turn: number): number {
    return this.#byOffset[turn % this.#byOffset.length] as number;
  }

  numberOf(turn: number): number {
    return Math.floor(turn / this.#byOffset.length);
  }

  /** Returns when a client's send of that number is due, in nanoseconds after the start of the schedule. */
  dueNs(client: number, number: number): number {
    const beginNs = this.#beginNs?.[number] ?? dueAtNs(number, this.#ratePerSecond);
    return beginNs + (this.#offsetNs[client] as number);
  }

  /**
   * Sends each turn once, never early: handed over ahead if possible, else together with all others due. Ends early on
   * abort, but not before every send handed over is settled.
   */
  async walk(
    startAtNs: number,
    { nowNs, sleep }: Pick<RoleContext<unknown>, 'nowNs' | 'sleep'>,
    signal: AbortSignal,
    { ahead, due, isSettled = () => true }: Leaving,
  ): Promise<void> {
    const instant = (turn: number): number => startAtNs + this.dueNs(this.clientOf(turn), this.numberOf(turn));
    const earlyNs = ahead === undefined ? 0 : aheadNs;
    const waiting = new WaitingTurns();
    for (let turn = 0; !signal.aborted; ) {
      const untilNs = nowNs();
      for (; turn < this.turns && instant(turn) <= untilNs + earlyNs; turn++) {
        if (!ahead?.(this.clientOf(turn), this.numberOf(turn), instant(turn))) waiting.add(turn);
      }
      for (let first = waiting.first; first !== undefined && instant(first) <= untilNs; first = waiting.first) {
        waiting.takeFirst();
        due(this.clientOf(first), this.numberOf(first), instant(first));
      }
      const { first } = waiting;
      if (first === undefined && turn === this.turns) break;
      const nextNs = turn < this.turns ? instant(turn) - earlyNs / 2 : Number.POSITIVE_INFINITY;
      const wakeNs = first === undefined ? nextNs : Math.min(nextNs, instant(first));
      await sleep(Math.max(leastWaitMs, Math.ceil((wakeNs - nowNs()) / 1e6)), signal);
    }
    const never = new AbortController().signal;
    while (!isSettled()) await sleep(leastWaitMs, never);
  }
}

/** Returns the sends of each client: as many as the rate makes in the duration, and one at least. */
export function sendsIn({ ratePerSecond, durationMs }: { ratePerSecond: number; durationMs: number }): number {
  return Math.max(1, Math.round((ratePerSecond * durationMs) / 1000));
}

/** Returns the options of one start of a paired comparison in which a round is one send of each client. */
export function roundsOfSends({ rounds, warmUp, roundMs }: SlotSize) {
  return { ratePerSecond: 1000 / roundMs, durationMs: Math.ceil(rounds * roundMs), warmUp };
}

/** Returns the shortest slot, in milliseconds, in which one send of each client makes no burst. */
export function leastSlotMs({ clients }: { clients: number }): number {
  return Math.ceil((clients * 1000) / (mostSendsPerSecond * spreadShare));
}

/**
 * Returns the share of its period, from 0 to below 1, after which a client sends first. It depends on seed and client
 * alone.
 */
export function offsetOf(seed: number, client: number): number {
  return draw(seed, 'offset', client, 0);
}

const mostTaken = 4096;

/** Holds turns of a schedule that wait for their instants, in their order. */
export class WaitingTurns {
  #turns: number[] = [];
  /** Turns of the list that were taken. */
  #taken = 0;

  get first(): number | undefined {
    return this.#turns[this.#taken];
  }

  add(turn: number): void {
    this.#turns.push(turn);
  }

  takeFirst(): void {
    this.#taken++;
    if (this.#taken < mostTaken) return;
    this.#turns = this.#turns.slice(mostTaken);
    this.#taken = 0;
  }
}
