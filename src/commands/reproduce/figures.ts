import { isVoidInTurn } from '../../experiment/paired/series.js';
import { type ComparedRuns, pairsIn, pairsOfProcesses } from '../../experiment/significance.js';
import type { HeadlineColumn } from '../../measure/declaration.js';
import { wholeError } from '../../measure/paired/compare-starts.js';
import { percentiles, spelled } from '../../measure/samples/distribution.js';
import type { Series } from '../../measure/series.js';
import { pairOf } from '../../measure/statement.js';
import { estimate, interval95, lowerMedian, minRuns } from '../../measure/stats/estimate.js';
import { milliseconds } from '../../render/words/values.js';
import type { Comparison } from '../../results/comparison.js';
import { figureByName, headlineValue, isBounded, leastShare } from '../../results/figures.js';
import type { KeptPairedRatio, Paired } from '../../results/paired.js';
import {
  type PublishedFigure,
  type PublishedTable,
  publishedUnits,
  type ReproducedFigure,
  type ReproducedPair,
} from '../../results/published.js';
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
export function figureOfRun(metric: string, scenario: Scenario, run: RunResult): FigureOfRun | undefined {
  const column = columnOf(metric, scenario);
  const ofColumn = column && headlineValue(column, run);
  const value = metric === 'targetRss.max' ? peakMemory(run.environment.observations) : ofColumn;
  const within = column?.kind === 'figure' ? run.metrics[column.metric]?.intervals[column.figure] : undefined;
  return value === undefined || value === null ? undefined : { value, within };
}

/** Returns the scoreboard column of a published metric; undefined for one that no scoreboard can have. */
export function columnOf(metric: string, scenario: Scenario): HeadlineColumn | undefined {
  const part = partOf(metric);
  if (part !== undefined) return figureByName(`${part}%`, scenario);
  const ofSteps = figureByName(overSteps(metric), scenario);
  if (ofSteps?.kind === 'figure') return { ...ofSteps, title: metric, metric: metric.split('.')[0] ?? '' };
  return figureByName(metric === 'bytesPerConnection' ? 'footprint' : metric, scenario);
}

/** Returns the figure over all steps for one of a single step: `roundTrip.p95` for `roundTripStep7.p95`. */
export function overSteps(metric: string): string {
  return metric.replace(/Step\d+\./, '.');
}

function partOf(metric: string): string | undefined {
  return /^(\w+) share$/.exec(metric)?.[1];
}

/** Says that runs have too few samples for a published percentile, and which they carry. Undefined if enough. */
export function whyUncarried(metric: string, scenario: Scenario, runs: readonly RunResult[]): string | undefined {
  const column = columnOf(metric, scenario);
  if (column?.kind !== 'figure') return undefined;
  const found = runs
    .flatMap(({ metrics }) => metrics[column.metric] ?? [])
    .find((summary) => summary.count > 0 && summary[column.figure] === null);
  if (!found) return undefined;
  const names = Object.keys(percentiles) as (keyof typeof percentiles)[];
  const carried = names.findLast((each) => found[each] !== null);
  return carried ? `${tooFew}; ${spelled(carried)} is ${milliseconds(found[carried])} ms` : tooFew;
}

function peakMemory(observations: readonly Series[]): number | undefined {
  const peaks = new Map<string | undefined, number>();
  for (const { source, name, process, points } of observations) {
    if (source !== 'proc' || name !== 'rssBytes') continue;
    const before = peaks.get(process) ?? 0;
    peaks.set(process, Math.max(before, ...points.map(({ value }) => value)));
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
    return without(whyUncarried(figure.metric, scenario, runs) ?? noFigure);
  });
}

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

/** A value that the source calls approximate may differ by this share. */
const aboutShare = 0.1;

/** Returns the contenders whose published values of a metric lie apart, and their order here, with one error. */
export function publishedPairs(
  rows: readonly Reproduced[],
  scenario: Scenario,
  { rows: board, paired }: Pick<Comparison, 'rows' | 'paired'>,
): ReproducedPair[] {
  const metrics = [...new Set(rows.map(({ figure }) => figure.metric))];
  const ran = board.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const lackOf = (metric: string, target: string): Judgement['because'] => {
    const { row } = rows.find(({ figure }) => figure.metric === metric && figure.target === target)!;
    if (row.measured) return undefined;
    if (board.find((each) => each.target === target)?.state !== 'ran') return 'absent';
    if (row.why.startsWith(tooFew)) return 'fewSamples';
    return row.why === noFigure ? 'noFigure' : 'fewRuns';
  };
  const apart = metrics.map((metric) => {
    const pairs = apartIn(rows.flatMap(({ figure }) => (figure.metric === metric ? figure : [])));
    const all = pairs.map(([a, b]) => ({ a, b, because: lackOf(metric, a) ?? lackOf(metric, b) }));
    return { metric, all, known: all.flatMap(({ a, b, because }) => (because ? [] : [a, b])) };
  });
  const families = apart.filter(({ known }) => known.length > 0).length;
  return apart.flatMap(({ metric, all, known }) => {
    const asked = ran.filter(({ target }) => known.includes(target));
    const judge =
      paired && metric === `${scenario.slots?.metric}.p50`
        ? (a: string, b: string) => inTurn(paired.pairs, a, b)
        : judgeOf(metric, scenario, asked, wholeError / families);
    return all.map(({ a, b, because }): ReproducedPair => {
      return { metric, a, b, ...(because ? { holds: 'open', because } : judge(a, b)) };
    });
  });
}

function apartIn(figures: readonly PublishedFigure[]): [string, string][] {
  const ranges = [...new Set(figures.map(({ target }) => target))].map((target) => {
    const ends = figures.filter((figure) => figure.target === target).map(endsOf);
    const [least, most] = [Math.min(...ends.map(([low]) => low)), Math.max(...ends.map(([, high]) => high))];
    return { target, least, most };
  });
  return ranges.flatMap((one, index) =>
    ranges.slice(index + 1).flatMap((other): [string, string][] => {
      if (one.most < other.least) return [[one.target, other.target]];
      return other.most < one.least ? [[other.target, one.target]] : [];
    }),
  );
}

function endsOf({ value, unit, bound }: PublishedFigure): [least: number, most: number] {
  const here = value * publishedUnits[unit];
  const around = bound === 'about' ? Math.abs(here) * aboutShare : 0;
  return [
    bound === 'below' ? Number.NEGATIVE_INFINITY : here - around,
    bound === 'atLeast' ? Number.POSITIVE_INFINITY : here + around,
  ];
}

type Judgement = Omit<ReproducedPair, 'metric' | 'a' | 'b'>;

function judgeOf(
  metric: string,
  scenario: Scenario,
  ran: readonly ComparedRuns[],
  error: number,
): (a: string, b: string) => Judgement {
  const column = columnOf(metric, scenario);
  if (!column) return () => ({ holds: 'open', because: 'noFigure' });
  const found = pairsIn(column, ran, error);
  const ofProcesses = pairsOfProcesses(column, ran, error);
  const runsOf = (name: string): readonly RunResult[] => ran.find(({ target }) => target === name)?.runs ?? [];
  // Runs keep the lower ends of a metric only over all steps.
  const bounded = columnOf(overSteps(metric), scenario) ?? column;
  const least = (name: string): number => leastShare(bounded, runsOf(name), scenario);
  const isValid = ({ verdict }: RunResult): boolean => verdict.rig !== 'void';
  return (a, b) => {
    const isFew = [a, b].some((name) => runsOf(name).filter(isValid).length < minRuns);
    const pair = pairOf(isFew ? ofProcesses : found, a, b);
    if (!pair) return { holds: 'open', because: isFew ? 'fewRuns' : 'chance' };
    const { ratio, joint } = pair;
    const of = { ratio, interval: joint, ...(isFew && { isOfProcesses: true as const }) };
    if (!pair.isBeyondNoise) return { holds: 'open', because: 'chance', ...of };
    const [low, high] = joint;
    const isHeld = high < 1 ? high / least(b) < 1 : low * least(a) > 1;
    return isHeld ? { holds: high < 1 ? 'yes' : 'no', ...of } : { holds: 'open', because: 'rig', ...of };
  };
}

function inTurn(pairs: readonly KeptPairedRatio[], a: string, b: string): Judgement {
  const pair = pairOf(pairs, a, b);
  if (!pair) return { holds: 'open', because: 'fewRuns' };
  const { ratio, joint, missing, because } = pair;
  const of = { ...(ratio !== null && { ratio }), ...(joint && { interval: joint }) };
  if (pair.holds === 'open') return { holds: 'open', because: because ?? 'chance', ...of };
  if (pair.holds === 'no') return { holds: 'open', because: 'equal', ...of };
  return { holds: ratio === null ? (missing === 'b' ? 'yes' : 'no') : ratio < 1 ? 'yes' : 'no', ...of };
}
