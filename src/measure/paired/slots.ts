import { sum } from 'simple-statistics';
import { type Draw, drawsOf } from '../stats/bootstrap.js';

/** Describes the schedule of a paired comparison: `rounds` rounds with one slot for each target. */
export interface SlotPlan {
  seed: number;
  rounds: number;
  /** By target. Each has slots as long as its own broadcasts need. */
  slotsMs: readonly number[];
}

/** The slots of one target: their beginnings, in nanoseconds from the start of the first round, and their length. */
export interface TargetSlots {
  beginNs: Float64Array;
  slotMs: number;
}

/** A slot begins late by up to this share of its length, so that no timer keeps its phase to the schedule. */
const jitterShare = 0.4;
/** No timer of a server ticks more slowly. */
const mostJitterMs = 16;
const steps = 1_000_003;

/** Returns the beginnings of `target`'s slots, in nanoseconds from the start of the first round, ascending. */
export function slotTimes(plan: SlotPlan, target: number): Float64Array {
  return Float64Array.from(slotsInOrder(plan).flatMap((slot) => (slot.target === target ? [slot.beginNs] : [])));
}

/** Returns, by round, the time until the next slot begins, in microseconds. Nothing follows the last slot of all. */
export function clearUs(plan: SlotPlan, target: number): Float64Array {
  const slots = slotsInOrder(plan);
  return Float64Array.from(
    slots.flatMap((slot, at) =>
      slot.target === target ? [((slots[at + 1]?.beginNs ?? Number.POSITIVE_INFINITY) - slot.beginNs) / 1000] : [],
    ),
  );
}

function slotsInOrder({ seed, rounds, slotsMs }: SlotPlan): { target: number; beginNs: number }[] {
  const draw = drawsOf(seed ^ 0x51075);
  let fromMs = 0;
  return slotOrder(seed, slotsMs.length, rounds)
    .flat()
    .map((target) => {
      const slotMs = slotsMs[target]!;
      const beginNs = (fromMs + (draw(steps) / steps) * jitterMs(slotMs)) * 1e6;
      fromMs += slotMs;
      return { target, beginNs };
    });
}

function jitterMs(slotMs: number): number {
  return Math.min(mostJitterMs, jitterShare * slotMs);
}

/** The machine disturbs a shorter slot too much. */
const leastSlotMs = 20;
/** A slot lasts this many times as long as its load. */
const room = 1.5;

/** Returns the length of a slot: its load is spread over `spreadShare` of it, then under way for `lastMs`. */
export function slotMsFor(lastMs: number, spreadShare: number): number {
  return Math.ceil(Math.max(leastSlotMs, (mostJitterMs + room * lastMs) / (1 - spreadShare)));
}

export function roundMs(slotsMs: readonly number[]): number {
  return sum([...slotsMs]);
}

/**
 * Returns the order of the targets in each round: `rounds` permutations of 0 to `targets` - 1. Within a block of
 * rounds, each target has each place equally often, and follows each other target equally often (Williams 1949). The
 * seed shuffles names and rounds of each block.
 */
export function slotOrder(seed: number, targets: number, rounds: number): number[][] {
  const draw = drawsOf(seed);
  const order: number[][] = [];
  while (order.length < rounds) {
    const names = shuffled(
      Array.from({ length: targets }, (_, target) => target),
      draw,
    );
    order.push(...shuffled(williams(targets), draw).map((row) => row.map((place) => names[place]!)));
  }
  return order.slice(0, rounds);
}

/** Returns the rows of a design balanced for predecessors: as many as targets if that is even, else twice as many. */
function williams(targets: number): number[][] {
  // 0, 1, n-1, 2, n-2 …: neighbours differ by every step once.
  const first = Array.from({ length: targets }, (_, place) =>
    place % 2 === 1 ? (place + 1) / 2 : (targets - place / 2) % targets,
  );
  const rows = Array.from({ length: targets }, (_, by) => first.map((each) => (each + by) % targets));
  return targets % 2 === 0 ? rows : [...rows, ...rows.map((row) => row.toReversed())];
}

export function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = draw(last + 1);
    [copy[last], copy[other]] = [copy[other]!, copy[last]!];
  }
  return copy;
}
