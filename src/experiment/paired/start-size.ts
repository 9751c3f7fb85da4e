import { roundMs, slotMsFor } from '../../measure/paired/slots.js';
import { minStarts } from '../../measure/paired/starts.js';
import type { StartSize } from './sides.js';

/** About what processes and clients take beside a start's rounds, as long as no start has shown it. */
export const startMs = 4000;
/** The budget by default. It grows where that does not buy so many starts. */
export const usualMs = 90_000;
export const fewestStarts = 5;
/** Starts that may be made again, as they were void. */
export const spareStarts = 3;

/** Rounds that come before those that count, and the fewest that count. Long rounds need fewer of both. */
const usualRounds = { warmUp: 5, least: 12 };
const longRounds = { warmUp: 2, least: 8 };
const longFromMs = 1000;

export function roundsOf(slotsMs: readonly number[]): { warmUp: number; least: number } {
  return roundMs(slotsMs) > longFromMs ? longRounds : usualRounds;
}

/** How long all rounds of one start take. */
export function roundsMs({ rounds, warmUp, slotsMs }: StartSize): number {
  return (rounds + warmUp) * roundMs(slotsMs);
}

const firstSlotMs = 40;
/** What a broadcast may take for each subscriber: the first guess, which the pilot corrects. */
const msPerClient = 0.03;

/** A start that only finds out how long the slot of each of so many sides must be. */
export function firstPilot(sides: number, clients: number, leastSlotMs: number): StartSize {
  const slotMs = Math.max(firstSlotMs, leastSlotMs, Math.ceil(clients * msPerClient));
  return { rounds: 9, warmUp: 3, slotsMs: Array.from({ length: sides }, () => slotMs) };
}

/** A second look at slots that were too short for the first: what queued up then tells too much. */
export function nextPilot(slotsMs: readonly number[]): StartSize {
  return { rounds: 5, warmUp: 1, slotsMs };
}

/** The time for all starts, of which each takes `besideMs` beside its rounds. */
export interface Budget {
  slotsMs: readonly number[];
  besideMs: number;
  leftMs: number;
  /** Starts and rounds at most. */
  starts: number;
  rounds: number;
}

/** What the fewest starts take. */
export function leastBudgetMs({ slotsMs, besideMs }: Pick<Budget, 'slotsMs' | 'besideMs'>, starts = minStarts): number {
  const { warmUp, least: rounds } = roundsOf(slotsMs);
  return starts * (besideMs + roundsMs({ rounds, warmUp, slotsMs }));
}

/** What a budget that grows takes at least. */
export function usualBudgetMs(budget: Omit<Budget, 'leftMs'>): number {
  return leastBudgetMs(budget, Math.min(fewestStarts, budget.starts));
}

/** The starts that the budget has time for, and the rounds of each: it buys starts first, and never shorter slots. */
export function sizeFor({ slotsMs, besideMs, leftMs, starts, rounds }: Budget): { starts: number; size: StartSize } {
  const { warmUp, least } = roundsOf(slotsMs);
  const affordable = Math.floor(leftMs / leastBudgetMs({ slotsMs, besideMs }, 1));
  const planned = Math.max(minStarts, Math.min(starts, affordable));
  const fitting = Math.floor((leftMs / planned - besideMs) / roundMs(slotsMs)) - warmUp;
  return { starts: planned, size: { slotsMs, warmUp, rounds: Math.max(least, Math.min(rounds, fitting)) } };
}

/** A slot is too short if this share of its target's rounds overlap the next slot. */
const overlapShare = 0.1;
/** A start says nothing if more of its rounds than this are void. */
const voidShare = 0.25;
/** By how many times a slot grows at once: what queued up in short slots tells too much. */
const growth = { least: 1.25, most: 4 };

/** What one start shows of one target's slots: when the last delivery of each round came, and the void rounds. */
export interface ShownSlots {
  lastMs: readonly number[];
  overlapping: number;
}

/**
 * The slots that the next start needs: longer ones where broadcasts often were still under way when the next slot
 * began, so that nine in ten of those that were seen fit.
 */
export function grownSlots(
  slotsMs: readonly number[],
  shown: readonly ShownSlots[],
  spreadShare: number,
): readonly number[] {
  return slotsMs.map((slotMs, place) => {
    const { lastMs, overlapping } = shown[place]!;
    if (overlapping <= overlapShare * lastMs.length) return slotMs;
    const needed = Math.min(slotMsFor(mostOf(lastMs), spreadShare), growth.most * slotMs);
    return Math.ceil(Math.max(needed, growth.least * slotMs));
  });
}

/** Whether so many rounds are void that a start is made again. */
export function isSpoilt(overlapping: number, rounds: number): boolean {
  return overlapping > voidShare * rounds;
}

/** The slots that a pilot asks for: a single stall in it does not make them long. */
export function slotsAfter(shown: readonly ShownSlots[], leastSlotMs: number, spreadShare: number): number[] {
  return shown.map(({ lastMs }) => Math.max(leastSlotMs, slotMsFor(mostOf(lastMs), spreadShare)));
}

/** The slowest but for the slowest tenth, and for one at least; 0 of none. */
function mostOf(lastMs: readonly number[]): number {
  const sorted = lastMs.toSorted((one, other) => one - other);
  const dropped = Math.max(1, Math.floor(sorted.length / 10));
  return sorted[Math.max(0, sorted.length - 1 - dropped)] ?? 0;
}
