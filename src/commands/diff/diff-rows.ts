import { mean, permutationTest, sampleVariance } from 'simple-statistics';
import { type Judged, judge, measuredIn, ratioBetween } from '../../experiment/significance.js';
import { percentiles } from '../../measure/samples/distribution.js';
import { drawsOf } from '../../measure/stats/bootstrap.js';
import { interval95, minRuns } from '../../measure/stats/estimate.js';
import { choose } from '../../measure/stats/fisher.js';
import { type DiffRow, type DiffValue, doubling, isDoubtedRow, toldValue } from '../../results/diff.js';
import {
  type Direction,
  directionOf,
  faultless,
  figureName,
  figureUnits,
  headlineValue,
} from '../../results/figures.js';
import type { RunResult } from '../../results/result.js';
import type { HeadlineColumn, Scenario } from '../../run/catalog.js';
import { firstFew } from '../../units/words.js';
import { boundOf, reasonsOf, type Sides } from './doubts.js';

/** The figures of a distribution that are compared. */
const compared = [...(Object.keys(percentiles) as (keyof typeof percentiles)[]), 'max', 'mean'] as const;

interface Around {
  /** Other runs like the baseline. */
  beside?: readonly RunResult[];
  /** Why any change may be the rig's; empty if it is not. */
  doubt?: string;
}

/** Every figure of either side, headline first. Void runs are left out. */
export function diffRows(
  scenario: Scenario,
  baseline: readonly RunResult[],
  candidate: readonly RunResult[],
  { beside = [], doubt = '' }: Around = {},
): DiffRow[] {
  const headline = scenario.headline.map(figureName);
  const ofBaseline: Sides = { name: 'baseline', own: baseline, other: candidate };
  const ofCandidate: Sides = { name: 'candidate', own: candidate, other: baseline };
  return columnsOf(scenario, [...baseline, ...candidate]).map((column): DiffRow => {
    const [judgedBefore, judgedAfter] = [judge(column, baseline), judge(column, candidate)];
    const [before, after] = [
      sideOf(judgedBefore, column, ofBaseline, scenario),
      sideOf(judgedAfter, column, ofCandidate, scenario),
    ];
    const better = directionOf(column, scenario);
    const [values, others, more] = [baseline, candidate, beside].map((runs) =>
      measuredIn(column, runs).map(({ value }) => value),
    ) as [number[], number[], number[]];
    const ratio = judgedAfter && judgedBefore && ratioBetween(judgedAfter, judgedBefore);
    const kind = { isGiven: column.kind === 'count' && better === 'neither', isCount: column.kind === 'count' };
    const perfect = faultless(column, scenario);
    const { sign, ...noise } = noiseOf(values, others, [...values, ...more], { ...kind, perfect }, ratio);
    const [was, is] = [before, after].map((side) => toldValue(side, { better, noise }));
    const change = typeof was === 'number' && typeof is === 'number' ? is - was : null;
    const times = before && after ? after.median / before.median : 1;
    const judgement = isOpen(noise, ratio, times) ? 'differs' : judgementOf(noise, sign, better);
    const isDoubted = isDoubtedRow({ baseline: before, candidate: after, noise });
    const reasons = [ofBaseline, ofCandidate].flatMap((sides) => reasonsOf(column, sides, scenario));
    const because = doubt || (isDoubted ? firstFew(reasons) || 'the rig may have added as much' : '');
    const isUndecided = because !== '' && (judgement === 'better' || judgement === 'worse');
    return {
      name: column.title,
      kind: column.kind,
      unit: figureUnits[column.kind],
      isHeadline: headline.includes(column.title),
      better,
      baseline: before,
      candidate: after,
      change,
      changeShare: change === null || !was ? null : change / was,
      noise,
      ...(isUndecided ? { judgement: 'undecided', undecided: { as: judgement, because } } : { judgement }),
    };
  });
}

/** Each figure once, titled as in thresholds. */
function columnsOf(scenario: Scenario, runs: readonly RunResult[]): HeadlineColumn[] {
  const metrics = Object.keys(scenario.metrics).filter((metric) =>
    runs.some((run) => (run.metrics[metric]?.count ?? 0) > 0),
  );
  const entries = runs.flatMap(({ ledger }) => Object.keys(ledger).filter((name) => typeof ledger[name] === 'number'));
  const all: HeadlineColumn[] = [
    ...scenario.headline,
    ...metrics.flatMap((metric) => compared.map((figure) => ({ title: '', kind: 'figure', metric, figure }) as const)),
    ...entries.map((entry) => ({ title: '', kind: 'count', entry }) as const),
    { title: '', kind: 'footprint' },
  ];
  const byName = new Map(all.map((column) => [figureName(column), column]));
  return [...byName]
    .map(([title, column]) => ({ ...column, title }))
    .filter((column) => runs.some((run) => headlineValue(column, run) !== null));
}

function sideOf(
  judged: Judged | undefined,
  column: HeadlineColumn,
  sides: Sides,
  scenario: Scenario,
): DiffValue | null {
  if (!judged) return null;
  const { column: _, ...figure } = judged.figure;
  const { isDoubted, leastShare } = boundOf(column, sides, scenario);
  return { ...figure, isDoubted, ...(leastShare < 1 && { leastShare }) };
}

type Noise = DiffRow['noise'] & { sign: number };
type Ratio = ReturnType<typeof ratioBetween>;

/** A difference less likely than this by chance counts, as with 95 % intervals. */
export const level = 0.05;
const draws = 10_000;
const seed = 1;

/** With fewer degrees of freedom, a spread is hardly known. */
const minFreedom = 2;

/**
 * Whether a difference is more than the noise. Deliveries of one run are not independent, so none are tested. Noise
 * comes from the intervals over broadcasts and the spread between runs; with few runs a side, also from the other side
 * or from `beside`, the baseline with its neighbours. A first fault is beyond any noise. Values of 0 have no logarithm:
 * enough runs are compared by permutation, fewer by their spread.
 */
function noiseOf(
  before: number[],
  after: number[],
  beside: number[],
  { perfect, isGiven, isCount }: { perfect: number | undefined; isGiven: boolean; isCount: boolean },
  ratio: Ratio,
): Noise {
  const sign = before.length === 0 || after.length === 0 ? 0 : Math.sign(mean(after) - mean(before));
  const found = { ratioInterval: null, p: null, sign };
  if (before.length === 0 || after.length === 0) return { ...found, basis: 'unknown', isBeyond: null };
  if ([...before, ...after].every((value) => value === before[0])) return { ...found, basis: 'equal', isBeyond: false };
  if (perfect !== undefined && before.every((value) => value === perfect))
    return { ...found, basis: 'fromNothing', isBeyond: true };
  const isFew = before.length < minRuns || after.length < minRuns;
  // What was asked for has no noise.
  if (isGiven && !isFew && [before, after].every(isFlat)) return { ...found, basis: 'runs', isBeyond: true };
  const ofRatio = ratio && changeOf(ratio.interval, ratio.ratio - 1);
  if (ofRatio && !isFew) return { ...found, ...ofRatio, basis: 'runs' };
  const hasNothing = [...beside, ...after].some((value) => value <= 0);
  // With fewer runs, chance gives even the most extreme order too often.
  if (hasNothing && 2 / choose(before.length + after.length, after.length) <= level) {
    const draw = drawsOf(seed);
    const p = permutationTest(before, after, 'two_side', draws, () => draw(2 ** 31) / 2 ** 31);
    return { ...found, basis: 'permutation', isBeyond: p < level, p };
  }
  // Like a logarithm for large values, and defined at 0.
  const scale = hasNothing ? Math.asinh : Math.log;
  const [was, is, neighbours] = [before.map(scale), after.map(scale), beside.map(scale)];
  const own = spreadOf([was, is]);
  const spread =
    own ??
    (isFew ? spreadOf([neighbours, is]) : undefined) ??
    (isCount && hasNothing && !isFew ? spreadByChance([...before, ...after]) : undefined);
  if (spread) {
    const centre = mean(is) - mean(was);
    const variance = spread.variance * (1 / was.length + 1 / is.length);
    const change = changeOf(interval95({ centre, variance, freedom: spread.freedom }), centre);
    return {
      ...found,
      ...change,
      ...(hasNothing && { ratioInterval: null }),
      basis: own || !isFew ? 'runs' : 'beside',
    };
  }
  return ofRatio ? { ...found, ...ofRatio, basis: 'broadcasts' } : { ...found, basis: 'unknown', isBeyond: null };
}

/** Whether an interval of the ratio leaves out 1; `centre` has the sign of the change. */
function changeOf(
  [low, high]: readonly [number, number],
  centre: number,
): Pick<Noise, 'isBeyond' | 'ratioInterval' | 'sign'> {
  return { isBeyond: low > 1 || high < 1, ratioInterval: [low, high], sign: Math.sign(centre) };
}

/** The variance between single runs, pooled over groups; undefined with too few runs, or if all are equal. */
function spreadOf(groups: readonly (readonly number[])[]): { variance: number; freedom: number } | undefined {
  const usable = groups.filter((values) => values.length > 1);
  const freedom = usable.reduce((sum, values) => sum + values.length - 1, 0);
  const squares = usable.reduce((sum, values) => sum + sampleVariance([...values]) * (values.length - 1), 0);
  return freedom >= minFreedom && squares > 0 ? { variance: squares / freedom, freedom } : undefined;
}

/** The variance of counts that agree to the last, on the scale of asinh, as independent events would vary. */
function spreadByChance(counts: readonly number[]): { variance: number; freedom: number } {
  return { variance: mean(counts.map((count) => 1 / Math.max(1, count))), freedom: counts.length - 2 };
}

const isFlat = (values: readonly number[]): boolean => values.every((value) => value === values[0]);

/** Whether runs differ by more than their broadcasts vary, and the noise between runs can't settle it. */
function isOpen({ basis, isBeyond }: DiffRow['noise'], ratio: Ratio, times: number): boolean {
  if (!ratio?.isBeyondNoise) return false;
  const isDoubled = times >= doubling || times <= 1 / doubling;
  return (basis === 'broadcasts' && !isDoubled) || (basis === 'beside' && isDoubled && isBeyond === false);
}

function judgementOf({ isBeyond }: DiffRow['noise'], sign: number, better: Direction): DiffRow['judgement'] {
  if (isBeyond === null) return 'unknown';
  if (!isBeyond || sign === 0) return 'same';
  if (better === 'neither') return 'changed';
  return (better === 'lower') === sign < 0 ? 'better' : 'worse';
}
