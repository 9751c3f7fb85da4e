import { minStarts } from '../../measure/paired/starts.js';
import type { StartSize } from './sides.js';

/** Rounds that come before those that count. */
export const warmUp = 5;
/** About what processes and clients take beside a start's rounds. */
export const startMs = 4000;
const leastRounds = 12;
const pilot: StartSize = { rounds: 9, warmUp: 9, slotMs: 40 };

/** A start that only finds out how long a slot must be. */
export function pilotWith(leastSlotMs: number): StartSize {
  return { ...pilot, slotMs: Math.max(pilot.slotMs, leastSlotMs) };
}

/** The time that is left for `starts` starts of so many sides, of which each takes `besideMs` beside its rounds. */
export interface Budget {
  sides: number;
  starts: number;
  leftMs: number;
  besideMs: number;
}

/** How long all rounds of one start take. */
export function roundsMs({ rounds, warmUp: before, slotMs }: StartSize, sides: number): number {
  return (rounds + before) * slotMs * sides;
}

/** The longest slot with which the fewest starts stay within the budget: a pilot has slow moments. */
export function mostSlotMs(budget: Budget): number {
  return sideMs({ ...budget, starts: minStarts }) / (leastRounds + warmUp);
}

/** The rounds of each start that the budget has time for, and `most` at most. */
export function roundsFor(slotMs: number, budget: Budget, most: number): number {
  return Math.max(leastRounds, Math.min(most, Math.floor(sideMs(budget) / slotMs) - warmUp));
}

/** How long all slots of one side may take in each start. */
function sideMs({ sides, starts, leftMs, besideMs }: Budget): number {
  return Math.max(0, leftMs / starts - Math.max(0, besideMs)) / sides;
}
