import { isVoidInTurn } from '../../experiment/paired/series.js';
import { pairsIn, pairsOfProcesses } from '../../experiment/significance.js';
import type { HeadlineColumn } from '../../measure/declaration.js';
import { countIn, shareIn } from '../../measure/ledger.js';
import { wholeError } from '../../measure/paired/looks.js';
import { percentiles, spelled } from '../../measure/samples/distribution.js';
import type { Series } from '../../measure/series.js';
import { type Holds, pairOf, worstOf } from '../../measure/statement.js';
import { estimate, interval95, lowerMedian, minRuns } from '../../measure/stats/estimate.js';
import { milliseconds } from '../../render/words/values.js';
import type { Comparison } from '../../results/comparison.js';
import { figureByName, isBounded, leastShare } from '../../results/figures.js';
import type { KeptPairedRatio } from '../../results/paired.js';
import { type PublishedFigure, type PublishedTable, publishedUnits } from '../../results/published.js';
import type { ReproducedFigure, ReproducedPair } from '../../results/reproduction.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';

/** Begins the reason of a row that has too few independent samples. */
export const tooFew = 'too few samples';

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
function overSteps(metric: string): string {
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
interface Reproduced {
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
    return without(whyUncarried(figure.metric, runs) ?? 'no such figure here');
  });
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

interface Published {
  target: string;
  least: number;
  most: number;
}

interface Ran {
  target: string;
  runs: readonly RunResult[];
}

/**
 * Returns all pairs of contenders whose published values of a metric lie apart, and their order here. Medians of
 * contenders in turn are judged by their rounds. All others are judged as on a scoreboard of whole runs, with one error
 * for all pairs of the table, or by the blocks within too few runs. An order must hold both with and without what the
 * rig may have added. Pure.
 */
export function publishedPairs(
  rows: readonly Reproduced[],
  scenario: Scenario,
  { rows: board, paired }: Pick<Comparison, 'rows' | 'paired'>,
): ReproducedPair[] {
  const metrics = [...new Set(rows.map(({ figure }) => figure.metric))];
  const ran = board.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const apart = metrics.flatMap((metric) => {
    const known = rows.filter(({ figure, row }) => figure.metric === metric && row.measured !== null);
    const pairs = apartIn(known.map(({ figure }) => figure));
    return pairs.length === 0 ? [] : { metric, pairs };
  });
  return apart.flatMap(({ metric, pairs }) => {
    if (paired && metric === `${scenario.slots?.metric}.p50`)
      return pairs.map(([a, b]): ReproducedPair => ({ metric, a, b, ...inTurn(paired.pairs, a, b) }));
    const asked = ran.filter(({ target }) => pairs.flat().includes(target));
    const judge = judgeOf(metric, scenario, asked, wholeError / apart.length);
    return pairs.map(([a, b]): ReproducedPair => ({ metric, a, b, ...judge(a, b) }));
  });
}

/**
 * Counts the pairs and returns the order that they show together. One reversed pair makes the order differ. Otherwise
 * one open pair leaves it open.
 */
export function orderOf(pairs: readonly Pick<ReproducedPair, 'holds'>[]): Record<Holds, number> & { holds?: Holds } {
  const count = (asked: Holds): number => pairs.filter(({ holds }) => holds === asked).length;
  const counts = { yes: count('yes'), no: count('no'), open: count('open') };
  return pairs.length === 0 ? counts : { holds: worstOf(pairs.map(({ holds }) => holds)), ...counts };
}

/** Returns the names of every two contenders whose published ranges do not meet, the lower one first. */
function apartIn(figures: readonly PublishedFigure[]): [string, string][] {
  const ranges = [...new Set(figures.map(({ target }) => target))].map((target) =>
    rangeOf(
      target,
      figures.filter((figure) => figure.target === target),
    ),
  );
  return ranges.flatMap((one, index) =>
    ranges.slice(index + 1).flatMap((other): [string, string][] => {
      if (one.most < other.least) return [[one.target, other.target]];
      return other.most < one.least ? [[other.target, one.target]] : [];
    }),
  );
}

function rangeOf(target: string, figures: readonly PublishedFigure[]): Published {
  const ends = figures.map(endsOf);
  return {
    target,
    least: Math.min(...ends.map(({ least }) => least)),
    most: Math.max(...ends.map(({ most }) => most)),
  };
}

function endsOf({ value, unit, bound }: PublishedFigure): { least: number; most: number } {
  const here = value * publishedUnits[unit];
  const around = bound === 'about' ? Math.abs(here) * aboutShare : 0;
  return {
    least: bound === 'below' ? Number.NEGATIVE_INFINITY : here - around,
    most: bound === 'atLeast' ? Number.POSITIVE_INFINITY : here + around,
  };
}

type Judgement = Omit<ReproducedPair, 'metric' | 'a' | 'b'>;

/** Returns a function that judges whether `a` lies below `b` in a metric here. */
function judgeOf(
  metric: string,
  scenario: Scenario,
  ran: readonly Ran[],
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

/** Returns whether `a` lies below `b` by the rounds that they had in turn. */
function inTurn(pairs: readonly KeptPairedRatio[], a: string, b: string): Judgement {
  const pair = pairOf(pairs, a, b);
  if (!pair) return { holds: 'open', because: 'fewRuns' };
  const { ratio, joint, missing, because } = pair;
  const of = { ...(ratio !== null && { ratio }), ...(joint && { interval: joint }) };
  if (pair.holds === 'open') return { holds: 'open', because: because ?? 'chance', ...of };
  if (pair.holds === 'no') return { holds: 'open', because: 'equal', ...of };
  return { holds: ratio === null ? (missing === 'b' ? 'yes' : 'no') : ratio < 1 ? 'yes' : 'no', ...of };
}
