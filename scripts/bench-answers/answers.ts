import { pairOf } from '../../src/measure/statement.js';
import type { Paired } from '../../src/results/paired.js';

/** What of a paired comparison is judged. */
export type JudgedPaired = Pick<Paired, 'pairs' | 'withheld'>;

/** Whether the comparison claims that one target is slower than the other. A withheld order claims nothing. */
export function isApart(said: JudgedPaired, a: string, b: string): boolean {
  return said.withheld.length === 0 && pairOf(said.pairs, a, b)?.holds === 'yes';
}

/** Whether every two of these targets are told apart, the fastest first. */
export function areInOrder(said: JudgedPaired, order: readonly string[]): boolean {
  return order.every((fast, place) =>
    order
      .slice(place + 1)
      .every((slow) => isApart(said, slow, fast) && (pairOf(said.pairs, slow, fast)?.ratio ?? 0) > 1),
  );
}

/** Whether the 95 % interval of `a` over `b` contains the truth. */
export function contains(said: Pick<JudgedPaired, 'pairs'>, a: string, b: string, truth: number): boolean {
  const [low, high] = pairOf(said.pairs, a, b)?.interval ?? [Number.NaN, Number.NaN];
  return low <= truth && truth <= high;
}

/** Least, truth and most of deliveries that belong together, each in any order. */
export interface Brackets {
  least: readonly number[];
  truth: readonly number[];
  most: readonly number[];
}

/** By how much each truth lies below its bracket (negative) or above it (positive), rank by rank; 0 within it. */
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

/** A figure of a run beside what the target really did, and from where on the product says that the truth may lie. */
export interface JudgedFigure {
  us: number;
  truthUs: number;
  /** Undefined where the figure has no mark. */
  leastUs: number | undefined;
}

/** Whether a figure says more than the truth by over `byUs`. */
export function isAffected({ us, truthUs }: JudgedFigure, byUs: number): boolean {
  return us > truthUs + byUs;
}

/** Whether an affected figure carries a mark whose lower end is no higher than the truth, but for `byUs`. */
export function isBlamed({ truthUs, leastUs }: JudgedFigure, byUs: number): boolean {
  return leastUs !== undefined && leastUs <= truthUs + byUs;
}
