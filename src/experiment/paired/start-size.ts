import { roundMs, slotMsFor } from '../../measure/paired/slots.js';
import { minStarts } from '../../measure/paired/starts.js';

/** Holds the number of rounds of one start, and their slots. */
export interface StartSize {
  rounds: number;
  warmUp: number;
  /** Slots by side. */
  slotsMs: readonly number[];
}

/** Milliseconds that processes and clients take besides a start's rounds, until a start has measured it. */
export const startMs = 4000;
/** Budget by default, in milliseconds. It grows where it does not pay for `fewestStarts`. */
export const usualMs = 90_000;
export const fewestStarts = 5;
/** Number of void starts that may be made again. */
export const spareStarts = 3;

/** Rounds of the warm-up, and the fewest that count. Long rounds need fewer of both. */
const usualRounds = { warmUp: 5, least: 12 };
const longRounds = { warmUp: 2, least: 8 };
const longFromMs = 1000;

export function roundsOf(slotsMs: readonly number[]): { warmUp: number; least: number } {
  return roundMs(slotsMs) > longFromMs ? longRounds : usualRounds;
}

/** Returns the milliseconds that all rounds of one start take. */
export function roundsMs({ rounds, warmUp, slotsMs }: StartSize): number {
  return (rounds + warmUp) * roundMs(slotsMs);
}

const firstSlotMs = 40;
/** First guess of the time that a broadcast takes for each subscriber. A second pilot costs more than a long guess. */
const msPerClient = 0.05;

/** Returns a start that only measures how long the slot of each side must be. */
export function firstPilot(sides: number, clients: number, leastSlotMs: number): StartSize {
  const slotMs = Math.max(firstSlotMs, leastSlotMs, Math.ceil(clients * msPerClient));
  return { rounds: 9, warmUp: 3, slotsMs: Array.from({ length: sides }, () => slotMs) };
}

/** Returns a second pilot, for slots too short in the first. Where rounds are long, it is as long as a start. */
export function nextPilot(slotsMs: readonly number[]): StartSize {
  const { warmUp, least: rounds } = roundsOf(slotsMs);
  return roundMs(slotsMs) > longFromMs ? { rounds, warmUp, slotsMs } : { rounds: 5, warmUp: 1, slotsMs };
}

/** Returns true if a pilot has the rounds of a start. If its slots were long enough, it is the first one. */
export function isStart({ rounds, slotsMs }: StartSize): boolean {
  return rounds >= roundsOf(slotsMs).least;
}

/** Holds the time for all starts. Each takes `besideMs` besides its rounds. */
export interface Budget {
  slotsMs: readonly number[];
  besideMs: number;
  leftMs: number;
  /** Limits of starts and rounds. */
  starts: number;
  rounds: number;
  /** Number of starts that were made before. */
  made: number;
}

/** Returns the milliseconds that the fewest starts take which are left to make. */
export function leastBudgetMs(
  { slotsMs, besideMs, made }: Pick<Budget, 'slotsMs' | 'besideMs' | 'made'>,
  starts = minStarts,
): number {
  const { warmUp, least: rounds } = roundsOf(slotsMs);
  return (starts - made) * (besideMs + roundsMs({ rounds, warmUp, slotsMs }));
}

/** Returns the least milliseconds of a budget that may grow. */
export function usualBudgetMs(budget: Omit<Budget, 'leftMs'>): number {
  return leastBudgetMs(budget, Math.min(fewestStarts, budget.starts));
}

/** Returns how many starts the budget has time for, and their rounds. It pays for starts first, not shorter slots. */
export function sizeFor({ slotsMs, besideMs, leftMs, starts, rounds, made }: Budget): {
  starts: number;
  size: StartSize;
} {
  const { warmUp, least } = roundsOf(slotsMs);
  const affordable = made + Math.floor(leftMs / leastBudgetMs({ slotsMs, besideMs, made: 0 }, 1));
  const planned = Math.max(minStarts, made + 1, Math.min(starts, affordable));
  const fitting = Math.floor((leftMs / (planned - made) - besideMs) / roundMs(slotsMs)) - warmUp;
  return { starts: planned, size: { slotsMs, warmUp, rounds: Math.max(least, Math.min(rounds, fitting)) } };
}

/** All handshakes share the cores of the machine, which make about so many in a second. */
const handshakesPerSecond = 2000;

/** Returns about how many milliseconds a comparison of so many sides takes, before a pilot has measured anything. */
export function expectedMs(
  sides: number,
  { clients, leastSlotMs }: { clients: number; leastSlotMs: number },
  { budgetMs, ...limits }: Pick<Budget, 'starts' | 'rounds'> & { budgetMs?: number | undefined },
): number {
  const pilot = firstPilot(sides, clients, leastSlotMs);
  const besideMs = startMs + (1000 * sides * clients) / handshakesPerSecond;
  const budget = { slotsMs: pilot.slotsMs, besideMs, made: isStart(pilot) ? 1 : 0, ...limits };
  const pilotMs = besideMs + roundsMs(pilot);
  const leftMs = (budgetMs ?? Math.max(usualMs, pilotMs + usualBudgetMs(budget))) - pilotMs;
  const { starts, size } = sizeFor({ ...budget, leftMs });
  return pilotMs + (starts - budget.made) * (besideMs + roundsMs(size));
}

/** A slot is too short if this share of its target's rounds overlap the next slot. */
const overlapShare = 0.1;
/** A start does not count if more of its rounds than this share are void. */
const voidShare = 0.25;
/** Factors by which a slot grows at once. Deliveries that queue up in short slots overstate the need. */
const growth = { least: 1.25, most: 4 };

/** Holds when the last delivery of each round arrived in a target's slots, and the void rounds. */
export interface ShownSlots {
  lastMs: readonly number[];
  overlapping: number;
}

/** Returns the slots of the next start, longer where broadcasts were often still under way when the next began. */
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

/** Returns true if so many rounds are void that a start is made again. */
export function isSpoilt(overlapping: number, rounds: number): boolean {
  return overlapping > voidShare * rounds;
}

/** Returns the slots that a pilot with these asks for. A single stall in it does not make them long. */
export function slotsAfter(
  slotsMs: readonly number[],
  shown: readonly ShownSlots[],
  { leastSlotMs, spreadShare }: { leastSlotMs: number; spreadShare: number },
): number[] {
  return shown.map(({ lastMs }, place) =>
    Math.max(leastSlotMs, Math.min(slotMsFor(mostOf(lastMs), spreadShare), growth.most * slotsMs[place]!)),
  );
}

/** Returns the slowest time without the slowest tenth, and without at least one; 0 for none. */
function mostOf(lastMs: readonly number[]): number {
  const sorted = lastMs.toSorted((one, other) => one - other);
  const dropped = Math.max(1, Math.floor(sorted.length / 10));
  return sorted[Math.max(0, sorted.length - 1 - dropped)] ?? 0;
}
