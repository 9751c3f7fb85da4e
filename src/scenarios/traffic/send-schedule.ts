import { blockSize } from '../../measure/samples/mark-table.js';
import { shareOf } from '../../measure/share.js';
import type { Slices } from '../books/marks/declarations.js';
import type { AudienceContext, SlotSize } from '../scenario.js';
import { draw, eventsIn } from './schedule.js';

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

  /** Returns milliseconds from the first event of another meter to the last of this one, plus an interval. */
  lastsMsFrom(first: RateMeter, intervalMs: number): number {
    return this.#lastNs > first.#firstNs ? (this.#lastNs - first.#firstNs) / 1e6 + intervalMs : 0;
  }

  /** Zero for fewer than two events: one instant has no rate. */
  get perSecond(): number {
    return this.#lastNs > this.#firstNs ? ((this.#count - 1) * 1e9) / (this.#lastNs - this.#firstNs) : 0;
  }
}

/** Time before the due instant at which sends are handed over: a loop may be blocked for half of it. */
export const aheadNs = 200e6;
/** Share of a slot over which the sends of a round are spread. The rest is for messages under way. */
export const spreadShare = 0.4;
/** Most asks for the answer that proves a client. */
export const mostProofs = 4;
/** A larger burst measures the rig. */
const mostSendsPerSecond = 5000;

/** What each client sends on a schedule of its own: warm-up first, then for the duration. */
export interface SendLoad {
  ratePerSecond: number;
  durationMs: number;
  warmUp: number;
}

/** Returns the measured sends of each client. */
export function sendsIn({ ratePerSecond, durationMs }: Omit<SendLoad, 'warmUp'>): number {
  return eventsIn(durationMs, ratePerSecond);
}

/** Returns the sends of each client, warm-up included. */
export function sendsEach(load: SendLoad): number {
  return load.warmUp + sendsIn(load);
}

/** Returns the most rows that clients of one of so many shards take in a table of sends, in whole blocks of each. */
export function marksOfSends(clients: number, sendsEach: number, shards: number): number {
  return shareOf(clients, 0, shards) * Math.ceil(sendsEach / blockSize) * blockSize;
}

/** Returns one slice for each measured send of a client: its period, or its slot in a paired comparison. */
export function slicesOfSends({ options, slots }: Pick<AudienceContext<SendLoad>, 'options' | 'slots'>): Slices {
  const count = sendsIn(options);
  return slots
    ? { count, beginNs: slots.beginNs.subarray(options.warmUp) }
    : { count, everyNs: 1e9 / options.ratePerSecond };
}

/** Returns the options of one start of a paired comparison in which a round is one send of each client. */
export function roundsOfSends({ rounds, warmUp, roundMs }: SlotSize) {
  return { ratePerSecond: 1000 / roundMs, durationMs: Math.ceil(rounds * roundMs), warmUp };
}

/** Describes the slots of a stage in which a round is one send of each client. */
export function slotsOfSends(stage: string, metric: string) {
  return {
    ...{ stage, metric, atLeast: `${metric}AtLeast`, came: 'came', missing: 'missing' },
    share: { part: 'delivered', whole: 'expected' },
    ...{ options: roundsOfSends, spreadShare, leastSlotMs },
  };
}

/** Returns the shortest slot, in milliseconds, in which one send of each client makes no burst. */
export function leastSlotMs({ clients }: { clients: number }): number {
  return Math.ceil((clients * 1000) / (mostSendsPerSecond * spreadShare));
}

/** Returns the share of its period, from 0 to below 1, after which a client sends first. */
export function offsetOf(seed: number, client: number): number {
  return draw(seed, 'offset', client, 0);
}
