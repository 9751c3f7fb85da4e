import { draw } from '../draws.js';
import { dueAtNs } from '../pace.js';
import type { AudienceContext, RoleContext } from '../scenario.js';

/** A timer of Node has whole milliseconds. */
const leastWaitMs = 1;

/** Whose schedules: the clients of one worker, by their numbers in the whole run. */
type ScheduleShape = Pick<AudienceContext<never>, 'seed' | 'firstClient' | 'clientCount'> & {
  ratePerSecond: number;
  sendsEach: number;
};

/** The open schedules of a worker's clients: each sends once per period, from its own offset on, in turns. */
export class SendSchedule {
  readonly turns: number;
  readonly #ratePerSecond: number;
  readonly #offsetNs: Float64Array;
  readonly #byOffset: Int32Array;

  constructor({ seed, firstClient, clientCount, ratePerSecond, sendsEach }: ScheduleShape) {
    const periodNs = 1e9 / ratePerSecond;
    this.turns = clientCount * sendsEach;
    this.#ratePerSecond = ratePerSecond;
    this.#offsetNs = Float64Array.from({ length: clientCount }, (_, client) =>
      Math.floor(offsetOf(seed, firstClient + client) * periodNs),
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

  /** When a client's send of that number is due, in nanoseconds after the start of the schedule. */
  dueNs(client: number, number: number): number {
    return (this.#offsetNs[client] as number) + dueAtNs(number, this.#ratePerSecond);
  }

  /** Calls `due` for each turn, never early, all that is due at once. Ends early on abort. */
  async walk(
    startAtNs: number,
    { nowNs, sleep }: Pick<RoleContext<unknown>, 'nowNs' | 'sleep'>,
    signal: AbortSignal,
    due: (client: number, number: number, intendedAtNs: number) => void,
  ): Promise<void> {
    const instant = (turn: number): number => startAtNs + this.dueNs(this.clientOf(turn), this.numberOf(turn));
    for (let turn = 0; !signal.aborted; ) {
      const untilNs = nowNs();
      for (; turn < this.turns && instant(turn) <= untilNs; turn++) {
        due(this.clientOf(turn), this.numberOf(turn), instant(turn));
      }
      if (turn === this.turns) return;
      await sleep(Math.max(leastWaitMs, Math.ceil((instant(turn) - nowNs()) / 1e6)), signal);
    }
  }
}

/** Sends of each client: as many as the rate makes in the duration, and one at least. */
export function sendsIn({ ratePerSecond, durationMs }: { ratePerSecond: number; durationMs: number }): number {
  return Math.max(1, Math.round((ratePerSecond * durationMs) / 1000));
}

/** The share of its period, from 0 to below 1, after which a client sends first, by seed and client alone. */
export function offsetOf(seed: number, client: number): number {
  return draw(seed, 'offset', client, 0);
}
