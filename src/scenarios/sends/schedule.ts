import { dueAtNs } from '../pace.js';
import { phaseOf } from './phase.js';

/** Whose schedules: the clients of one worker, by their numbers in the whole run. */
export interface ScheduleShape {
  seed: number;
  firstClient: number;
  clientCount: number;
  /** Sends per second of each client. */
  ratePerSecond: number;
  /** Sends of each client. */
  sendsEach: number;
}

/**
 * The open schedules of a worker's clients, one for each: from a phase of its own on, a send in every period. Put in order of time they are turns,
 * numbered from 0: in each period every client has one.
 */
export class SendSchedule {
  readonly turns: number;
  readonly #ratePerSecond: number;
  readonly #phaseNs: Float64Array;
  readonly #byPhase: Int32Array;

  constructor({ seed, firstClient, clientCount, ratePerSecond, sendsEach }: ScheduleShape) {
    const periodNs = 1e9 / ratePerSecond;
    this.turns = clientCount * sendsEach;
    this.#ratePerSecond = ratePerSecond;
    this.#phaseNs = Float64Array.from({ length: clientCount }, (_, client) =>
      Math.floor(phaseOf(seed, firstClient + client) * periodNs),
    );
    const phase = (client: number): number => this.#phaseNs[client] as number;
    this.#byPhase = Int32Array.from({ length: clientCount }, (_, client) => client).sort((a, b) => phase(a) - phase(b));
  }

  clientOf(turn: number): number {
    return this.#byPhase[turn % this.#byPhase.length] as number;
  }

  /** Which of its client's sends it is, from 0. */
  numberOf(turn: number): number {
    return Math.floor(turn / this.#byPhase.length);
  }

  /** When a client's send of that number is due, in nanoseconds after the start of the schedule. */
  dueNs(client: number, number: number): number {
    return (this.#phaseNs[client] as number) + dueAtNs(number, this.#ratePerSecond);
  }
}

/** Sends of each client: as many as the rate makes in the duration, and one at least. */
export function sendsIn({ ratePerSecond, durationMs }: { ratePerSecond: number; durationMs: number }): number {
  return Math.max(1, Math.round((ratePerSecond * durationMs) / 1000));
}
