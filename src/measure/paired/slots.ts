import { drawsOf } from '../stats/bootstrap.js';
import { slotOrder } from './order.js';

/** The schedule that all targets of a paired comparison share: `rounds` rounds with one slot for each target. */
export interface SlotPlan {
  seed: number;
  targets: number;
  rounds: number;
  slotMs: number;
}

/** A slot begins this share of its length early or late, so that no timer keeps its phase to the schedule. */
const jitterShare = 0.2;
const steps = 1_000_003;

/**
 * When the slot of `target` begins in each round, in nanoseconds from the start of the first round. Every shard
 * computes the same instants from the plan. They are never negative and ascend for every target.
 */
export function slotTimes({ seed, targets, rounds, slotMs }: SlotPlan, target: number): Float64Array {
  const draw = drawsOf(seed ^ 0x51075);
  const times = new Float64Array(rounds);
  slotOrder(seed, targets, rounds).forEach((order, round) => {
    order.forEach((each, place) => {
      const jitter = (draw(steps) / steps) * 2 * jitterShare;
      if (each === target) times[round] = (round * targets + place + jitter) * slotMs * 1e6;
    });
  });
  return times;
}

/** How long all rounds take, in milliseconds. */
export function slotsMs({ targets, rounds, slotMs }: Pick<SlotPlan, 'targets' | 'rounds' | 'slotMs'>): number {
  return targets * rounds * slotMs;
}
