import { pairOf } from '../../src/measure/statement.js';
import type { Paired } from '../../src/results/paired.js';

/** Holds the parts of a paired comparison that are judged. */
export type JudgedPaired = Pick<Paired, 'pairs' | 'withheld'>;

/** Returns true if the comparison claims that one target is slower than the other. A withheld order claims nothing. */
export function isApart(said: JudgedPaired, a: string, b: string): boolean {
  return said.withheld.length === 0 && pairOf(said.pairs, a, b)?.holds === 'yes';
}

/** Returns true if the comparison distinguishes every two of these targets, the fastest first. */
export function areInOrder(said: JudgedPaired, order: readonly string[]): boolean {
  return order.every((fast, place) =>
    order
      .slice(place + 1)
      .every((slow) => isApart(said, slow, fast) && (pairOf(said.pairs, slow, fast)?.ratio ?? 0) > 1),
  );
}

/** Returns true if the 95 % interval of `a` over `b` contains the truth. */
export function contains(said: Pick<JudgedPaired, 'pairs'>, a: string, b: string, truth: number): boolean {
  const [low, high] = pairOf(said.pairs, a, b)?.interval ?? [Number.NaN, Number.NaN];
  return low <= truth && truth <= high;
}

/**
 * Holds the lower bounds, true values and upper bounds of deliveries that belong together. Each list is in any order.
 */
export interface Brackets {
  least: readonly number[];
  truth: readonly number[];
  most: readonly number[];
}

/** Returns for each rank how far the truth lies below its bracket (negative) or above it (positive), or 0 within it. */
export function outsideBy({ least, truth, most }: Brackets): number[] {
  if (least.length !== truth.length || most.length !== truth.length)
    throw new Error(`${least.length} lower ends and ${most.length} upper ends for ${truth.length} deliveries`);
  const [low, true_, high] = [least, truth, most].map((values) => [...values].sort((a, b) => a - b)) as [
    number[],
    number[],
    number[],
  ];
  return true_.map((value, rank) => Math.min(0, value - low[rank]!) + Math.max(0, value - high[rank]!));
}

/** Describes a figure of a run, the true value by the target, and the lowest truth that the product allows for. */
export interface JudgedFigure {
  us: number;
  truthUs: number;
  /** Undefined if the figure has no mark. */
  leastUs: number | undefined;
}

/** Returns true if a figure exceeds the truth by more than `byUs`. */
export function isAffected({ us, truthUs }: JudgedFigure, byUs: number): boolean {
  return us > truthUs + byUs;
}

/** Returns true if the figure has a mark whose lower end exceeds the truth by at most `byUs`. */
export function isBlamed({ truthUs, leastUs }: JudgedFigure, byUs: number): boolean {
  return leastUs !== undefined && leastUs <= truthUs + byUs;
}
