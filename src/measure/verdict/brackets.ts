import { type ThresholdFigure, thresholdFigures } from '../threshold.js';
import { type FigureBound, type MetricFacts, ms, type RunFacts, wholePercent } from './facts.js';

/** Share of a percentile that matters if the rig's error is only estimated, and its minimum in microseconds. */
const rigShareAllowed = 0.2;
const rigFloorUs = 1000;

export const rigPart = `${wholePercent(rigShareAllowed)} and ${rigFloorUs / 1000} ms`;

export const allowedUs = (percentileUs: number): number => Math.max(rigFloorUs, percentileUs * rigShareAllowed);

/** Share of a figure that its bracket may leave open without a bound, and its minimum in microseconds. */
const openShareAllowed = 0.1;
const openFloorUs = 100;

export const openPart = `${wholePercent(openShareAllowed)} and ${openFloorUs / 1000} ms`;

/** Returns true if the part that a bracket leaves open is large enough for a bound at the figure. */
export const isOpen = (us: number, openUs: number): boolean => openUs > Math.max(openFloorUs, us * openShareAllowed);

const tails = ['p99', 'p95', 'p90', 'p50', 'max'] as const;

type Measured = Pick<RunFacts, 'metrics' | 'declared'>;

/** Returns a figure of a metric in microseconds. Null if its samples do not carry it. */
export function figureOf({ metrics }: Pick<RunFacts, 'metrics'>, metric: string, figure: ThresholdFigure) {
  return metrics[metric]?.[figure] ?? null;
}

/** Returns the lower bound of a figure by its metric's bracket, in microseconds. Null without a bracket. */
export function leastByBracketUs(facts: Measured, metric: string, figure: ThresholdFigure): number | null {
  const { atLeast, fromIntended } = facts.declared[metric] ?? {};
  const lower = atLeast ?? (fromIntended && facts.declared[fromIntended.sent]?.atLeast);
  return lower === undefined ? null : figureOf(facts, lower, figure);
}

/** Returns the lower bound of a figure by its bracket and all bounds, in microseconds. */
export function leastUs(
  facts: Measured,
  bounds: readonly Pick<FigureBound, 'metric' | 'figure' | 'leastUs'>[],
  metric: string,
  figure: ThresholdFigure,
): number | null {
  const whole = figureOf(facts, metric, figure);
  if (whole === null) return null;
  const own = bounds.filter((each) => each.metric === metric && (each.figure ?? figure) === figure);
  const byBracket = leastByBracketUs(facts, metric, figure) ?? whole;
  return Math.min(whole, byBracket, ...own.map((each) => each.leastUs));
}

/** Bounds each figure whose uncertain part, in microseconds, is open. All bounds have one text. */
export function boundsOf(
  facts: Measured,
  metric: string,
  openUs: (figure: ThresholdFigure, us: number) => number,
  say: (mostUs: number) => string,
): FigureBound[] {
  const open = thresholdFigures.flatMap((figure) => {
    const us = figureOf(facts, metric, figure);
    const part = us === null ? 0 : Math.min(us, openUs(figure, us));
    if (us === null || !isOpen(us, part)) return [];
    return [{ figure, part, leastUs: leastByBracketUs(facts, metric, figure) ?? us - part }];
  });
  const text = say(Math.max(...open.map(({ part }) => part)));
  return open.map(({ figure, leastUs: least }) => ({ metric, figure, leastUs: least, text }));
}

/** Returns the p99 of a metric, or else the highest percentile that its samples carry, or else their max. */
export function tailOf(metric: MetricFacts | undefined): { name: (typeof tails)[number]; us: number } | undefined {
  for (const name of tails) {
    const us = metric?.[name] ?? null;
    if (us !== null) return { name, us };
  }
  return undefined;
}

export const usInMs = (us: number): string => ms(us / 1000);
