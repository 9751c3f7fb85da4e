import { mean, permutationTest, sampleVariance } from 'simple-statistics';
import { percentiles } from '../../measure/samples/distribution.js';
import { drawsOf } from '../../measure/stats/bootstrap.js';
import { interval95, minRuns } from '../../measure/stats/estimate.js';
import { choose } from '../../measure/stats/fisher.js';
import { type DiffRow, type DiffValue, doubling, toldValue } from '../../results/diff.js';
import { type Direction, directionOf, faultless } from '../../results/direction.js';
import { isDoubted } from '../../results/doubts.js';
import { figureName, figureUnits } from '../../results/figures.js';
import { headlineValue } from '../../results/headline.js';
import type { RunResult } from '../../results/result.js';
import type { HeadlineColumn, Scenario } from '../../run/catalog.js';
import { type Judged, judge, ratioBetween } from './significance.js';

/** The figures of a distribution that are held against each other. */
const compared = [...(Object.keys(percentiles) as (keyof typeof percentiles)[]), 'max', 'mean'] as const;

/**
 * Every figure that either side has, the headline's first, in its own order; then the other distributions and counts. `beside` are other runs of what the
 * baseline is of. Void runs say nothing. Pure.
 */
export function diffRows(
  scenario: Scenario,
  baseline: readonly RunResult[],
  candidate: readonly RunResult[],
  beside: readonly RunResult[] = [],
): DiffRow[] {
  const columns = columnsOf(scenario, [...baseline, ...candidate]);
  const headline = scenario.headline.map(figureName);
  return columns.map((column): DiffRow => {
    const name = column.title;
    const [ofCandidate, ofBaseline] = [candidate, baseline].map((runs) => judge(column, runs));
    const [after, before] = [sayOf(ofCandidate, column, candidate), sayOf(ofBaseline, column, baseline)];
    const better = directionOf(column, scenario);
    const [values, others] = [valuesOf(column, baseline), valuesOf(column, candidate)];
    const ratio = ofCandidate && ofBaseline && ratioBetween(ofCandidate, ofBaseline);
    const spread = [...values, ...valuesOf(column, beside)];
    const { sign, ...noise } = noiseOf(values, others, spread, faultless(column, scenario), ratio);
    const [was, is] = [before, after].map((side) => toldValue(side, { better, noise }));
    const change = typeof was === 'number' && typeof is === 'number' ? is - was : null;
    return {
      name,
      kind: column.kind,
      unit: figureUnits[column.kind],
      isHeadline: headline.includes(name),
      better,
      baseline: before,
      candidate: after,
      change,
      changeShare: change === null || !was ? null : change / was,
      noise,
      judgement: isOpen(noise.basis, ratio, before && after ? after.median / before.median : 1, noise.isBeyond)
        ? 'differs'
        : judgementOf(noise, sign, better),
    };
  });
}

/** Each figure once, by the name that thresholds give it. */
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

function sayOf(judged: Judged | undefined, column: HeadlineColumn, runs: readonly RunResult[]): DiffValue | null {
  if (!judged) return null;
  const { column: _, ...said } = judged.figure;
  return { ...said, isDoubted: isDoubted(column, runs) };
}

/** Of the runs that are not void, as everywhere. */
function valuesOf(column: HeadlineColumn, runs: readonly RunResult[]): number[] {
  return runs.flatMap((run) => {
    const value = run.verdict.rig === 'void' ? null : headlineValue(column, run);
    return value === null ? [] : [value];
  });
}

type Noise = DiffRow['noise'] & { sign: number };
type Ratio = ReturnType<typeof ratioBetween>;

/** So unlikely a difference is taken for one, as with the intervals of 95 %. */
export const level = 0.05;
const draws = 10_000;
const seed = 1;

/** Of fewer degrees of freedom a spread is hardly known. */
const minFreedom = 2;

/**
 * Whether a difference is more than the noise. The deliveries of one run are not independent, so nothing is tested on them: there are the intervals over
 * broadcasts, and the spread between runs, which where a side has few is that of the other side, or of `beside`: the baseline with what is kept beside it.
 * A count has neither in a single run; but where the baseline lacks a fault altogether, one is a change of kind. Where a value is
 * none above 0, runs enough are held against each other by permutation, and fewer by their spread.
 */
function noiseOf(
  before: number[],
  after: number[],
  beside: number[],
  perfect: number | undefined,
  ratio: Ratio,
): Noise {
  const sign = before.length === 0 || after.length === 0 ? 0 : Math.sign(mean(after) - mean(before));
  const found = { ratioInterval: null, p: null, sign };
  if (before.length === 0 || after.length === 0) return { ...found, basis: 'unknown', isBeyond: null };
  if ([...before, ...after].every((value) => value === before[0])) return { ...found, basis: 'equal', isBeyond: false };
  if (perfect !== undefined && before.every((value) => value === perfect))
    return { ...found, basis: 'fromNothing', isBeyond: true };
  const isFew = before.length < minRuns || after.length < minRuns;
  if (ratio && !isFew) return { ...found, ...told(ratio), basis: 'runs' };
  const hasNothing = [...beside, ...after].some((value) => value <= 0);
  // Of fewer runs even the most extreme order comes about by chance too often.
  if (hasNothing && 2 / choose(before.length + after.length, after.length) <= level) {
    const draw = drawsOf(seed);
    const p = permutationTest(before, after, 'two_side', draws, () => draw(2 ** 31) / 2 ** 31);
    return { ...found, basis: 'permutation', isBeyond: p < level, p };
  }
  // Logarithms of large values, and defined at 0: on it a count that rose from a handful to hundreds lies far beyond its spread.
  const scale = hasNothing ? Math.asinh : Math.log;
  const [own, others] = [before, beside].map((values) => spreadOf([values, after], scale, isFew));
  const spread = own ?? others;
  if (spread) {
    const held = heldAgainst(spread, before.map(scale), after.map(scale));
    return { ...found, ...held, ...(hasNothing && { ratioInterval: null }), basis: own ? 'runs' : 'beside' };
  }
  return ratio ? { ...found, ...told(ratio), basis: 'broadcasts' } : { ...found, basis: 'unknown', isBeyond: null };
}

function told({
  isBeyondNoise,
  interval,
  ratio,
}: NonNullable<Ratio>): Pick<Noise, 'isBeyond' | 'ratioInterval' | 'sign'> {
  return { isBeyond: isBeyondNoise, ratioInterval: interval, sign: Math.sign(ratio - 1) };
}

interface Spread {
  /** Of single runs, on the scale. */
  variance: number;
  freedom: number;
}

/** What runs of one kind spread by, pooled over groups of them; undefined where too few tell it or where, of few, they are all the same, as small counts often are. */
function spreadOf(
  groups: readonly (readonly number[])[],
  scale: (value: number) => number,
  isFew: boolean,
): Spread | undefined {
  const told = groups.filter((values) => values.length > 1);
  const freedom = told.reduce((sum, values) => sum + values.length - 1, 0);
  const squares = told.reduce((sum, values) => sum + sampleVariance(values.map(scale)) * (values.length - 1), 0);
  return freedom >= minFreedom && (squares > 0 || !isFew) ? { variance: squares / freedom, freedom } : undefined;
}

/** A change of the mean against what runs of one kind spread by, all on that scale. */
function heldAgainst(
  spread: Spread,
  before: readonly number[],
  after: readonly number[],
): Pick<Noise, 'isBeyond' | 'ratioInterval' | 'sign'> {
  const centre = mean(after) - mean(before);
  const variance = spread.variance * (1 / before.length + 1 / after.length);
  const [low, high] = interval95({ centre, variance, freedom: spread.freedom });
  return { isBeyond: low > 1 || high < 1, ratioInterval: [low, high], sign: Math.sign(centre) };
}

/**
 * Whether two single runs part by more than each varies within, and what changes between runs can't settle it: nothing is known of it, and they part by
 * less than single runs may; or they part by so much that it is told although a few other runs spread as widely.
 */
function isOpen(basis: DiffRow['noise']['basis'], ratio: Ratio, times: number, isBeyond: boolean | null): boolean {
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
