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

/** Sends of one slot leave together, which costs one wake of the thread in place of one for each send. */
export const slotNs = 1e6;
/** Slots of one round. What is due in a later round waits in its slot. */
const slots = 1024;

/** What waits in a slot. `behind` belongs to the slots. */
export interface Slotted<T> {
  dueNs: number;
  behind: T | undefined;
}

const slotOf = (dueNs: number): number => Math.floor(dueNs / slotNs);

/** Returns the last instant of a slot. */
export function slotEndNs(dueNs: number): number {
  return (slotOf(dueNs) + 1) * slotNs - 1;
}

/** Holds what is due in slots of 1 ms, each in the order of coming. Allocates nothing. */
export class SendSlots<T extends Slotted<T>> {
  readonly #first = new Array<T | undefined>(slots).fill(undefined);
  readonly #last = new Array<T | undefined>(slots).fill(undefined);
  /** The first slot that may have something due, and the first one that no walk has been to ahead of its time. */
  #due = 0;
  #ahead = 0;

  add(each: T): void {
    const slot = slotOf(each.dueNs);
    const last = this.#last[slot % slots];
    each.behind = undefined;
    if (last === undefined) this.#first[slot % slots] = each;
    else last.behind = each;
    this.#last[slot % slots] = each;
    this.#due = Math.min(this.#due, slot);
    this.#ahead = Math.min(this.#ahead, slot);
  }

  /** Visits all that is due, and all within `aheadNs` that no walk has been to. Returns when to walk again. */
  walk(nowNs: number, aheadNs: number, visit: (each: T) => void): number {
    const [due, ahead] = [slotOf(nowNs), slotOf(nowNs + aheadNs)];
    this.#visit(Math.max(this.#due, due - slots + 1), due, visit);
    // What the first visits have added is visited, too.
    this.#visit(Math.max(this.#ahead, due + 1), ahead, visit);
    this.#due = due;
    this.#ahead = ahead;
    for (let slot = due; slot <= ahead; slot++) {
      const leftNs = this.#earliest(slot);
      if (leftNs <= nowNs + aheadNs) return leftNs;
    }
    for (let slot = ahead; slot < ahead + slots; slot++)
      if (this.#first[slot % slots] !== undefined) return slot * slotNs - aheadNs / 2;
    return Number.POSITIVE_INFINITY;
  }

  #visit(from: number, to: number, visit: (each: T) => void): void {
    for (let slot = from; slot <= to; slot++) {
      let each = this.#first[slot % slots];
      this.#first[slot % slots] = undefined;
      this.#last[slot % slots] = undefined;
      while (each !== undefined) {
        const next: T | undefined = each.behind;
        visit(each);
        each = next;
      }
    }
  }

  #earliest(slot: number): number {
    let earliestNs = Number.POSITIVE_INFINITY;
    for (let each = this.#first[slot % slots]; each !== undefined; each = each.behind)
      earliestNs = Math.min(earliestNs, each.dueNs);
    return earliestNs;
  }
}
