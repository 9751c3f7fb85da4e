import { isVoidInTurn } from '../../experiment/paired/series.js';
import type { HeadlineColumn } from '../../measure/declaration.js';
import { countIn, shareIn } from '../../measure/ledger.js';
import { percentiles, spelled } from '../../measure/samples/distribution.js';
import type { Series } from '../../measure/series.js';
import { estimate, interval95, lowerMedian } from '../../measure/stats/estimate.js';
import { milliseconds } from '../../render/words/values.js';
import type { Comparison } from '../../results/comparison.js';
import { figureByName, isBounded, leastShare } from '../../results/figures.js';
import type { Paired } from '../../results/paired.js';
import { type PublishedFigure, type PublishedTable, publishedUnits } from '../../results/published.js';
import type { ReproducedFigure } from '../../results/reproduction.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';

/** Begins the reason of a row that has too few independent samples. */
export const tooFew = 'too few samples';
/** The reason of a row that nothing here measures. */
export const noFigure = 'no such figure here';

/** Holds a figure of one run in microseconds, bytes, counts or a share of 1, and its 95 % interval within the run. */
interface FigureOfRun {
  value: number;
  within: readonly [number, number] | undefined;
}

/** Returns the value of a published metric, such as `delivery.p99`, `delivered share`, `lost` or `targetRss.max`. */
export function figureOfRun(metric: string, { headline }: Scenario, run: RunResult): FigureOfRun | undefined {
  const { metrics, ledger, environment } = run;
  if (metric === 'bytesPerConnection') return known(environment.footprint?.bytesPerConnection);
  if (metric === 'targetRss.max') return known(peakMemory(environment.observations));
  const part = partOf(metric);
  if (part !== undefined) {
    const column = headline.find((each) => each.kind === 'share' && each.part === part);
    return column?.kind === 'share' ? known(shareIn(ledger, column.part, column.whole)) : undefined;
  }
  const [name = '', figure = ''] = distributionOf(metric);
  if (name === '') return known(countIn(ledger, metric));
  const summary = metrics[name];
  const value = summary?.[figure as keyof typeof summary];
  return typeof value === 'number' ? { value, within: summary?.intervals[figure] } : undefined;
}

/** Returns the scoreboard column of a published metric; undefined for one that no scoreboard can have. */
export function columnOf(metric: string, scenario: Scenario): HeadlineColumn | undefined {
  const part = partOf(metric);
  if (part !== undefined) return figureByName(`${part}%`, scenario);
  const ofSteps = figureByName(overSteps(metric), scenario);
  if (ofSteps?.kind === 'figure') return { ...ofSteps, title: metric, metric: distributionOf(metric)[0] ?? '' };
  return figureByName(metric === 'bytesPerConnection' ? 'footprint' : metric, scenario);
}

/** Returns the figure over all steps for one of a single step: `roundTrip.p95` for `roundTripStep7.p95`. */
export function overSteps(metric: string): string {
  return metric.replace(/Step\d+\./, '.');
}

function partOf(metric: string): string | undefined {
  return /^(\w+) share$/.exec(metric)?.[1];
}

/**
 * Says that runs have too few samples for a published percentile, and which highest one they carry. Undefined if they
 * have enough samples, or none.
 */
export function whyUncarried(metric: string, runs: readonly RunResult[]): string | undefined {
  const [name = '', figure = ''] = distributionOf(metric);
  const found = runs
    .flatMap(({ metrics }) => metrics[name] ?? [])
    .find((summary) => summary.count > 0 && summary[figure as keyof typeof summary] === null);
  if (!found) return undefined;
  const names = Object.keys(percentiles) as (keyof typeof percentiles)[];
  const carried = names.findLast((each) => found[each] !== null);
  return carried ? `${tooFew}; ${spelled(carried)} is ${milliseconds(found[carried])} ms` : tooFew;
}

function distributionOf(metric: string): string[] {
  return /^(\w+)\.(\w+)$/.exec(metric)?.slice(1) ?? [];
}

function known(value: number | null | undefined): FigureOfRun | undefined {
  return value === undefined || value === null ? undefined : { value, within: undefined };
}

function peakMemory(observations: readonly Series[]): number | undefined {
  const peaks = new Map<string, number>();
  for (const { source, name, process, points } of observations) {
    if (source !== 'proc' || name !== 'rssBytes') continue;
    const before = peaks.get(process ?? '') ?? 0;
    peaks.set(
      process ?? '',
      points.reduce((most, { value }) => Math.max(most, value), before),
    );
  }
  return peaks.size === 0 ? undefined : [...peaks.values()].reduce((sum, each) => sum + each, 0);
}

/** Holds a published figure and its measured one. */
export interface Reproduced {
  figure: PublishedFigure;
  row: ReproducedFigure;
}

/** Returns each figure of a table with its measured value. Void runs are left out. Pure. */
export function reproducedFigures(
  table: PublishedTable,
  scenario: Scenario,
  { rows, paired }: Comparison,
): Reproduced[] {
  return table.figures.map((figure) => {
    const ofTurns = paired && inTurnOf(figure, scenario, paired);
    if (ofTurns) return ofTurns;
    const without = (why: string): Reproduced => ({
      figure,
      row: { figure: figure.id, measured: null, why, ratio: null },
    });
    const row = rows.find(({ target }) => target === figure.target);
    if (!row) return without('no target here');
    if (row.runs.length === 0)
      return without({ ran: 'not run', failed: 'failed', notAvailable: 'not available' }[row.state]);
    const isVoid = (run: RunResult): boolean => (paired ? isVoidInTurn(run) : run.verdict.rig === 'void');
    const runs = row.runs.map(({ result }) => result).filter((run) => !isVoid(run));
    if (runs.length === 0) return without('every run is void');
    const measured = runs.flatMap((run) => figureOfRun(figure.metric, scenario, run) ?? []);
    if (measured.length > 0) return reproduced(figure, measured, boundedShare(figure.metric, scenario, runs));
    return without(whyUncarried(figure.metric, runs) ?? noFigure);
  });
}

/** Returns a figure over the rounds of all starts. Single starts have too few of them. */
function inTurnOf(figure: PublishedFigure, { slots }: Scenario, { targets, starts }: Paired): Reproduced | undefined {
  const place = targets.findIndex(({ target }) => target === figure.target);
  const { p50Us, p50AtLeastUs, tail } = targets[place] ?? {};
  const metric = slots?.metric;
  if (tail && figure.metric === `${metric}.${tail.figure}`)
    return reproduced(figure, [{ value: tail.us, within: undefined }], undefined);
  if (figure.metric !== `${metric}.p50` || !p50Us) return undefined;
  const ofStarts = starts.flatMap((start) => {
    const us = start[place]!.p50Us.flatMap((each) => each ?? []);
    return us.length === 0 ? [] : { value: lowerMedian(us), within: undefined };
  });
  return reproduced(figure, ofStarts, (p50AtLeastUs ?? 0) / p50Us);
}

/** Returns the least that a bounded figure can be without the rig, as a share of it; undefined without a bound. */
function boundedShare(metric: string, scenario: Scenario, runs: readonly RunResult[]): number | undefined {
  const column = columnOf(metric, scenario);
  return column && isBounded(column, runs) ? leastShare(column, runs, scenario) : undefined;
}

function reproduced(
  figure: PublishedFigure,
  runs: readonly FigureOfRun[],
  atLeastShare: number | undefined,
): Reproduced {
  const per = publishedUnits[figure.unit];
  const values = runs.map(({ value }) => value);
  const within = runs.map((run) => run.within);
  const found = estimate(values, within);
  // Intervals are computed on a logarithmic scale, which does not end a share at 1.
  const whole = partOf(figure.metric) === undefined ? Number.POSITIVE_INFINITY : 1;
  const intervalOf = ([low, high]: readonly [number, number]): [number, number] => [
    low / per,
    Math.min(high, whole) / per,
  ];
  const median = lowerMedian(values) / per;
  const measured = {
    median,
    least: Math.min(...values) / per,
    most: Math.max(...values) / per,
    interval: found ? intervalOf(interval95(found)) : null,
    runs: runs.length,
    ...(atLeastShare !== undefined && { atLeast: median * atLeastShare }),
  };
  const ratio = figure.value > 0 && median > 0 ? median / figure.value : null;
  return { figure, row: { figure: figure.id, measured, why: '', ratio } };
}
