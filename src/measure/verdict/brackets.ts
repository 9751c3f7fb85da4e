import { ms, wholePercent } from './evidence.js';
import type { MetricFacts, RunFacts } from './facts.js';

/** The part of a percentile that may be the rig's before the run is limited, and its floor in microseconds. */
const rigShareAllowed = 0.2;
const rigFloorUs = 1000;

export const rigPart = `${wholePercent(rigShareAllowed)} and ${rigFloorUs / 1000} ms`;

export const allowedUs = (percentileUs: number): number => Math.max(rigFloorUs, percentileUs * rigShareAllowed);

/** The percentiles that limit a run. Beyond p99 one stall can make every sample: `doubtsOf` marks those. */
export const bracketed = ['p50', 'p90', 'p95', 'p99'] as const;
const tails = ['p99', 'p95', 'p90', 'p50', 'max'] as const;

type Figure = Exclude<keyof MetricFacts, 'count'>;

/** A figure of a metric in microseconds; null where its samples do not carry it. */
export function figureOf({ metrics }: Pick<RunFacts, 'metrics'>, metric: string, figure: Figure): number | null {
  return metrics[metric]?.[figure] ?? null;
}

/** How long the samples behind a figure may have waited in the rig, in microseconds; null without a bracket. */
export function waitedUs(facts: Pick<RunFacts, 'metrics' | 'declared'>, metric: string, figure: Figure): number | null {
  const { atLeast } = facts.declared[metric] ?? {};
  const whole = figureOf(facts, metric, figure);
  const least = atLeast === undefined ? null : figureOf(facts, atLeast, figure);
  return whole === null || least === null ? null : whole - least;
}

/** The p99 of a metric or, of fewer samples, the highest percentile they carry; their max where they carry none. */
export function tailOf(metric: MetricFacts | undefined): { name: (typeof tails)[number]; us: number } | undefined {
  for (const name of tails) {
    const us = metric?.[name] ?? null;
    if (us !== null) return { name, us };
  }
  return undefined;
}

export function firstOf<T>(
  { declared }: Pick<RunFacts, 'declared'>,
  find: (metric: string, spec: RunFacts['declared'][string]) => T | undefined,
): T | undefined {
  for (const [metric, spec] of Object.entries(declared)) {
    const found = find(metric, spec);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const usInMs = (us: number): string => ms(us / 1000);
