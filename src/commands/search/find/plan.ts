import { z } from 'zod';
import { ProblemError, problem } from '../../../contract/problems.js';
import { resumeOptions } from '../../../experiment/journal.js';
import { parseThreshold, type SeriesThreshold, samplesForFigure, type Threshold } from '../../../measure/threshold.js';
import { type Plan, planRun, type Reading, readingWithout, valuesOf } from '../../../run/plan/plan.js';
import { findOptions, fleetOptions, rigOptions, targetOptions } from '../../../run/plan/run-options.js';
import { lackingSamples, seriesThreshold, thresholdProblem } from '../../../run/plan/thresholds.js';
import { loadOptions } from '../../../scenarios/load-options.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import type { SearchShape } from '../rates.js';

/** A rate is found to within this share. */
const precision = 0.1;
/** Most halvings of the first rate, and the longest run at a lower rate that needs more time for its samples. */
const halvingsAtMost = 10;
const slowestMs = 20_000;
const slowestTimes = 4;
const lengthenedAtMost = 3;
const stepMs = 100;

/** Describes a threshold on a figure of a distribution. */
export type FigureThreshold = Extract<Threshold, { kind: 'figure' }>;

export interface FindPlan {
  plan: Plan;
  limit: FigureThreshold;
  /** Ends the search once it is true. */
  until?: SeriesThreshold | undefined;
  /** Shortest load of a run. */
  durationMs: number;
  shape: SearchShape & { startRate: number; runsAtMost: number; mostMs: number };
  /** Directory of a search to continue. */
  resume?: string | undefined;
}

const ownOptions = z.strictObject({ ...findOptions.shape, ...resumeOptions.shape });

/** Returns the options of `find SCENARIO`. The search sets the length of a run. */
export function findSchema(scenario: Scenario): z.ZodObject {
  return z.strictObject({
    ...targetOptions.shape,
    ...scenario.options.shape,
    ...ownOptions.shape,
    ...loadOptions.shape,
    ...rigOptions.shape,
    series: fleetOptions.shape.series,
    targetProcesses: fleetOptions.shape.targetProcesses,
  });
}

/** Resolves a search. Throws `ProblemError` with every problem at once. */
export function planFind(scenario: Scenario, read: Reading): FindPlan {
  const { repeat, durationMs, resume, ...own } = valuesOf(ownOptions, read);
  const limit = read.wrong.includes('limit') ? undefined : limitOf(scenario, own.limit, read);
  const { series } = valuesOf(z.strictObject({ series: fleetOptions.shape.series }), read);
  const until = own.until === undefined ? undefined : seriesThreshold('--until', own.until, series, read.problems);
  const plan = planRun(scenario, readingWithout(ownOptions, read));
  if (!limit) throw new ProblemError(read.problems);
  const startRate = plan.options.ratePerSecond as number;
  const sized = { plan, limit, durationMs };
  const first = tryAt(sized, startRate);
  const lacking = lackingSamples(limit, scenario, first.options);
  const wrong = [
    ...(lacking === undefined ? [] : [`--limit: ${lacking}`]),
    ...(scenario.contradictions?.(first.options) ?? []),
  ];
  if (wrong.length > 0) throw new ProblemError(wrong.map((text) => problem('badOption', text)));
  const runsAtMost = 6 + 10 * repeat;
  const lowest = Math.max(slowestMs, first.durationMs * slowestTimes);
  const halvings = Array.from({ length: halvingsAtMost }, (_, n) => startRate / 2 ** (n + 1));
  const minRate = halvings.filter((rate) => tryAt(sized, rate).durationMs <= lowest).at(-1) ?? startRate;
  const rates = z.toJSONSchema(scenario.options.shape.ratePerSecond as z.ZodType);
  const maxRate = rates.maximum ?? Number.POSITIVE_INFINITY;
  return {
    ...sized,
    until,
    shape: {
      ...{ minRate, maxRate, startRate, precision, repeat, runsAtMost },
      mostMs: runsAtMost * scenario.demand(first.options, plan.load).durationMs,
    },
    resume,
  };
}

/** Returns the options of a run at a rate. It lasts as asked, or longer where its samples need it. */
export function tryAt(
  { plan, limit, durationMs }: Pick<FindPlan, 'plan' | 'limit' | 'durationMs'>,
  ratePerSecond: number,
): { options: Record<string, unknown>; durationMs: number } {
  const { scenario, options, sources } = plan;
  const sized = (ms: number): Record<string, unknown> => ({
    ...options,
    ratePerSecond,
    ...scenario.lasting?.(options, ratePerSecond, ms),
  });
  const given = Object.keys(scenario.lasting?.(options, ratePerSecond, durationMs) ?? {}).filter(
    (key) => sources[key] !== 'default' && options[key] !== undefined,
  );
  const lacking = (size: Record<string, unknown>): number => {
    const most = scenario.independentAtMost(size)[limit.metric] ?? Number.POSITIVE_INFINITY;
    const asked = given.map((key) => Number(options[key]) / Number(size[key]));
    return Math.max(samplesForFigure(limit.figure) / most, ...asked);
  };
  let ms = durationMs;
  // Events are whole numbers, so a size that still lacks one is lengthened again. Some figures get no more samples by
  // that.
  for (let tries = 0; tries < lengthenedAtMost && lacking(sized(ms)) > 1; tries++)
    ms = Math.ceil((ms * lacking(sized(ms))) / stepMs) * stepMs;
  return { options: sized(ms), durationMs: ms };
}

function limitOf(scenario: Scenario, text: string, { problems }: Reading): FigureThreshold | undefined {
  const subjects = { metrics: Object.keys(scenario.metrics), counts: [], shares: [] };
  const limit = parseThreshold(text, subjects);
  if (limit?.kind === 'figure' && ['<', '<='].includes(limit.comparison)) return limit;
  const message = `--limit: expected < or <=, as the search is for the highest rate, received ${limit?.text}`;
  problems.push(limit?.kind === 'figure' ? problem('badOption', message) : thresholdProblem('--limit', text, subjects));
  return undefined;
}
