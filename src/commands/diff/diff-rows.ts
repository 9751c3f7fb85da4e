import { mean, permutationTest, sampleVariance } from 'simple-statistics';
import { type Judged, judge, measuredIn, ratioBetween } from '../../experiment/significance.js';
import type { HeadlineColumn } from '../../measure/declaration.js';
import { metricSpec, presentMetrics } from '../../measure/metric-names.js';
import { percentiles } from '../../measure/samples/distribution.js';
import { drawsOf } from '../../measure/stats/bootstrap.js';
import { interval95, minRuns } from '../../measure/stats/estimate.js';
import { choose } from '../../measure/stats/trend.js';
import { coresBusy, targetStarved } from '../../measure/verdict/machine-rules.js';
import { type Change, type DiffRow, type DiffValue, doubling, isBoundedRow, valueOfSide } from '../../results/diff.js';
import {
  type Direction,
  directionOf,
  faultless,
  figureName,
  figureUnits,
  headlineValue,
  isAbout,
  isBounded,
  leastShare,
  type RigBound,
} from '../../results/figures.js';
import { targetCoreWaitMs, targetCpuMs } from '../../results/over-time/readings.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { firstFew } from '../../units/text.js';

/** Names the figures of a distribution that are compared. */
const compared = [...(Object.keys(percentiles) as (keyof typeof percentiles)[]), 'max', 'mean'] as const;

/** Returns all figures of either side, headline first. `doubt` says why the rig may explain a change, else is empty. */
export function diffRows(
  scenario: Scenario,
  baseline: readonly RunResult[],
  candidate: readonly RunResult[],
  { beside = [], doubt = '' }: { beside?: readonly RunResult[]; doubt?: string } = {},
): DiffRow[] {
  const headline = scenario.headline.map(figureName);
  const ofBaseline: Sides = { name: 'baseline', own: baseline, other: candidate };
  const ofCandidate: Sides = { name: 'candidate', own: candidate, other: baseline };
  return columnsOf(scenario, [...baseline, ...candidate]).map((column): DiffRow => {
    const [judgedBefore, judgedAfter] = [judge(column, baseline), judge(column, candidate)];
    const before = sideOf(judgedBefore, column, ofBaseline, scenario);
    const after = sideOf(judgedAfter, column, ofCandidate, scenario);
    const better = directionOf(column, scenario);
    const [values, others, more] = [baseline, candidate, beside].map((runs) =>
      measuredIn(column, runs).map(({ value }) => value),
    ) as [number[], number[], number[]];
    const ratio = judgedAfter && judgedBefore && ratioBetween(judgedAfter, judgedBefore);
    const kind = { isGiven: column.kind === 'count' && better === 'neither', isCount: column.kind === 'count' };
    const perfect = faultless(column, scenario);
    const { sign, ...noise } = noiseOf(values, others, [...values, ...more], { ...kind, perfect }, ratio);
    const [was, is] = [before, after].map((side) => valueOfSide(side, { better, noise }));
    const change = typeof was === 'number' && typeof is === 'number' ? is - was : null;
    const times = before && after ? after.median / before.median : 1;
    const found = isOpen(noise, ratio, times) ? singleRuns : changeIn(noise, sign, better);
    const isBounded = isBoundedRow({ baseline: before, candidate: after, noise });
    const reasons = [ofBaseline, ofCandidate].flatMap((sides) => reasonsOf(column, sides, scenario));
    const because = doubt || (isBounded ? firstFew(reasons) || 'the load generator may have added as much' : '');
    const isUndecided = because !== '' && found.relation !== 'changed';
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
      ...(isUndecided ? { ...found, holds: 'open', because: 'rig', why: because } : found),
    };
  });
}

function columnsOf(scenario: Scenario, runs: readonly RunResult[]): HeadlineColumn[] {
  const present = runs.flatMap((run) => Object.keys(run.metrics));
  const metrics = presentMetrics(scenario, present).filter((metric) =>
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
  const { isBounded, leastShare } = boundOf(column, sides, scenario);
  return { ...figure, isBounded, ...(leastShare < 1 && { leastShare }) };
}

type Noise = DiffRow['noise'] & { sign: number };
type Ratio = ReturnType<typeof ratioBetween>;

/** A difference counts if its probability by chance is below this, as with 95 % intervals. */
export const level = 0.05;
const draws = 10_000;
const seed = 1;

/** With fewer degrees of freedom, a spread is hardly known. */
const minFreedom = 2;

/**
 * Returns the noise of a difference, and whether the difference is more than that. Deliveries of one run are not
 * independent, so none are tested. Noise comes from the intervals over broadcasts and the spread between runs. With few
 * runs a side, it also comes from the other side or from `beside`, the baseline with its neighbours. A first fault is
 * beyond any noise. Values of 0 have no logarithm: enough runs are compared by permutation, fewer by their spread.
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
  // A value that the user set has no noise.
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
  // For large values this is like a logarithm, and it is defined at 0.
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

function changeOf(
  [low, high]: readonly [number, number],
  centre: number,
): Pick<Noise, 'isBeyond' | 'ratioInterval' | 'sign'> {
  return { isBeyond: low > 1 || high < 1, ratioInterval: [low, high], sign: Math.sign(centre) };
}

/** Returns the variance between single runs, pooled over groups. Undefined with too few runs, or if all are equal. */
function spreadOf(groups: readonly (readonly number[])[]): { variance: number; freedom: number } | undefined {
  const usable = groups.filter((values) => values.length > 1);
  const freedom = usable.reduce((sum, values) => sum + values.length - 1, 0);
  const squares = usable.reduce((sum, values) => sum + sampleVariance([...values]) * (values.length - 1), 0);
  return freedom >= minFreedom && squares > 0 ? { variance: squares / freedom, freedom } : undefined;
}

/** Returns the variance of equal counts on the scale of asinh, as independent events would vary. */
function spreadByChance(counts: readonly number[]): { variance: number; freedom: number } {
  return { variance: mean(counts.map((count) => 1 / Math.max(1, count))), freedom: counts.length - 2 };
}

const isFlat = (values: readonly number[]): boolean => values.every((value) => value === values[0]);

/** Returns true if runs differ by more than their broadcasts vary, but the noise between runs can't settle it. */
function isOpen({ basis, isBeyond }: DiffRow['noise'], ratio: Ratio, times: number): boolean {
  if (!ratio?.isBeyondNoise) return false;
  const isDoubled = times >= doubling || times <= 1 / doubling;
  return (basis === 'broadcasts' && !isDoubled) || (basis === 'beside' && isDoubled && isBeyond === false);
}

const singleRuns: Change = { relation: 'changed', holds: 'open', because: 'fewRuns' };

function changeIn({ isBeyond }: DiffRow['noise'], sign: number, better: Direction): Change {
  if (isBeyond === null) return { relation: 'changed', holds: 'open', because: 'chance' };
  if (!isBeyond || sign === 0) return { relation: 'changed', holds: 'no' };
  if (better === 'neither') return { relation: 'changed', holds: 'yes' };
  return { relation: (better === 'lower') === sign < 0 ? 'better' : 'worse', holds: 'yes' };
}

/** Share of a machine's core time that other programs must take to matter where no core is idle. */
const noticedFrom = 0.1;

type Run = Pick<RunResult, 'verdict' | 'shards' | 'environment'>;

/** Returns true if no core was idle in a run because of programs other than the target and the rig. */
export function isHeldUp({ verdict, shards, environment }: Run): boolean {
  if (!verdict.bounds?.some(({ rule }) => rule === coresBusy)) return false;
  const { stages } = environment;
  const loadMs = Math.max(0, ...stages.map(({ toMs }) => toMs)) - environment.loadAtMs;
  const targetCores = loadMs > 0 ? (targetCpuMs(environment) ?? 0) / loadMs : 0;
  const all = shards.flatMap(({ result }) => result ?? []);
  return all.some(({ clockId, rig: { shard } }) => {
    const rigCores = all.filter((each) => each.clockId === clockId).reduce((sum, { rig }) => sum + coresOf(rig), 0);
    const busyCores = shard.coreBusy.reduce((sum, busy) => sum + busy, 0);
    return busyCores - rigCores - targetCores > noticedFrom * shard.coreBusy.length;
  });
}

type Rig = NonNullable<RunResult['shards'][number]['result']>['rig'];

function coresOf({ shard, workers }: Rig): number {
  const windowMs = Math.max(0, ...workers.map((worker) => worker.windowMs));
  return windowMs > 0 ? shard.cpuMs / windowMs : 0;
}

function addedByOthersUs(run: Run): number {
  if (!isHeldUp(run)) return 0;
  const waitedMs = targetCoreWaitMs(run.environment);
  return waitedMs === null ? Number.POSITIVE_INFINITY : waitedMs * 1000;
}

/** Holds one side of a diff and the side that it is compared with. */
export interface Sides {
  name: 'baseline' | 'candidate';
  own: readonly RunResult[];
  other: readonly RunResult[];
}

function boundOf(column: HeadlineColumn, sides: Sides, scenario: Scenario): { isBounded: boolean; leastShare: number } {
  const byOthers = isHeldUpMore(column, sides, scenario) ? shareWithoutOthers(column, sides.own) : 1;
  const share = Math.min(byOthers, leastShare(column, sides.own, scenario));
  return { isBounded: byOthers < 1 || isBounded(column, sides.own), leastShare: share };
}

/** Returns why a figure of a side may be raised, a text for each reason. */
export function reasonsOf(column: HeadlineColumn, sides: Sides, scenario: Scenario): string[] {
  const { name, own } = sides;
  if (isHeldUpMore(column, sides, scenario)) {
    const bounds = valid(own).flatMap(({ verdict }) => verdict.bounds ?? []);
    const [busy] = bounds.filter(({ rule }) => rule === coresBusy);
    return [`other programs held the cores of the ${name}: ${busy?.text}`];
  }
  const bounds = valid(own).flatMap((run) => boundsAt(column, run));
  const byRule = new Map(bounds.map(({ rule = '', text }) => [rule, rule === '' ? text : `${rule}: ${text}`]));
  return [...byRule.values()].map((text) => `${name}: ${text}`);
}

/** Returns true if others held the cores in more runs of one side. Its target may then have waited longer for one. */
function isHeldUpMore(column: HeadlineColumn, { own, other }: Sides, scenario: Scenario): boolean {
  if (column.kind !== 'figure' || metricSpec(scenario, column.metric)?.of !== 'target') return false;
  const [here, there] = [own, other].map((runs) => valid(runs).filter(isHeldUp).length / valid(runs).length);
  return (here ?? 0) > (there ?? 0);
}

function shareWithoutOthers(column: HeadlineColumn, runs: readonly RunResult[]): number {
  const shares = valid(runs).flatMap((run) => {
    const us = headlineValue(column, run);
    // This mark already knows which waits are part of the figure.
    const isKnown = boundsAt(column, run).some(({ rule, leastUs }) => rule === targetStarved && leastUs > 0);
    return us === null || us === 0 || isKnown ? [] : [Math.max(0, us - addedByOthersUs(run)) / us];
  });
  return Math.min(1, ...shares);
}

function boundsAt(column: HeadlineColumn, { verdict }: RunResult): RigBound[] {
  if (column.kind !== 'figure') return [];
  return (verdict.bounds ?? []).filter((each) => isAbout(each, column.metric, column.figure));
}

function valid(runs: readonly RunResult[]): RunResult[] {
  return runs.filter(({ verdict }) => verdict.rig !== 'void');
}
