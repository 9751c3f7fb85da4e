import { cumulativeStdNormalProbability, mean, median } from 'simple-statistics';
import { compareStarts, overlappingIn } from '../../measure/paired/compare-starts.js';
import type { PairedRatio as PairOfPlaces } from '../../measure/paired/conclude.js';
import { isByCrowd } from '../../measure/paired/neighbours.js';
import { clearUs, type SlotPlan } from '../../measure/paired/slots.js';
import { binsPerBlock, blockOf, blocksOf, quantileUs } from '../../measure/samples/blocks.js';
import { sumSeries } from '../../measure/samples/sample-sum.js';
import type { OpenReason } from '../../measure/statement.js';
import type { Comparison } from '../../results/comparison.js';
import type { KeptPairedRatio, Paired, PairedRounds, PairedTarget } from '../../results/paired.js';
import type { RunResult } from '../../results/result.js';
import type { RunOutcome } from '../../run/run.js';
import type { Slots } from '../../scenarios/scenario.js';

const rampStage = 'ramp';
/** A percentile needs five broadcasts beyond it. */
const tails = [
  ['p99', 0.99, 500],
  ['p95', 0.95, 100],
  ['p90', 0.9, 50],
] as const;

/** Returns the figures of each round in one target's run, by the slots that it followed. */
export function roundsIn(
  { series }: Pick<RunOutcome, 'series'>,
  spec: Slots,
  { plan, place }: FollowedSlots,
): PairedRounds {
  const none = new Uint32Array(0);
  const [delivered, missing] = [series[spec.came] ?? none, series[spec.missing] ?? none];
  const rounds = delivered.length;
  const owed = (round: number): number => delivered[round]! + missing[round]!;
  const quantiles = (metric: string, share: number): (number | null)[] => {
    const blocks = series[blocksOf(metric)] ?? new Uint32Array(0);
    return Array.from({ length: rounds }, (_, round) => {
      const counts = blockOf(blocks, round, rounds);
      if (!counts) return null;
      // With several shards, only the shard that publishes times its own clients.
      const timed = counts.reduce((sum, count) => sum + count, 0);
      const behind = delivered[round]! === 0 ? 1 : (timed * missing[round]!) / delivered[round]!;
      return owed(round) === 0 ? null : (quantileUs(counts, share, behind) ?? null);
    });
  };
  const clear = clearUs(plan, place).subarray(-rounds);
  const spreadUs = (spec.spreadShare ?? 0) * plan.slotsMs[place]! * 1000;
  const arrived = arrivedUs({ series }, spec);
  return {
    p50Us: quantiles(spec.metric, 0.5),
    p50AtLeastUs: quantiles(spec.atLeast, 0.5),
    lastUs: quantiles(spec.metric, 1),
    stolenUs: [...(series.stolenUs ?? [])],
    excluded: [],
    overlapping: arrived.flatMap((us, round) => (us + spreadUs > clear[round]! ? [round] : [])),
  };
}

/** Describes the slots that one run of a start followed. */
export interface FollowedSlots {
  plan: SlotPlan;
  place: number;
}

/** Returns for each round when its last delivery arrived, in microseconds; 0 where none arrived. */
export function arrivedUs({ series }: Pick<RunOutcome, 'series'>, spec: Slots): number[] {
  const rounds = series[spec.came]?.length ?? 0;
  const blocks = series[blocksOf(spec.metric)] ?? new Uint32Array(0);
  return Array.from({ length: rounds }, (_, round) => {
    const counts = blockOf(blocks, round, rounds);
    return (counts && quantileUs(counts, 1)) ?? 0;
  });
}

/** One kernel tick, and twice the usual loss. A slot that lost more is left out, whatever its broadcast took. */
const tickUs = 10_000;
const timesUsual = 2;

/** Leaves out the rounds of one start, by target, in whose slots the hypervisor took much more CPU than usual. */
export function withoutStolen(start: readonly PairedRounds[]): PairedRounds[] {
  const all = start.flatMap(({ stolenUs }) => stolenUs);
  const mostUs = all.length === 0 ? 0 : tickUs + timesUsual * median(all);
  return start.map((target) => ({
    ...target,
    excluded: target.stolenUs.flatMap((us, round) => (us > mostUs ? round : [])),
  }));
}

/** Returns the figures of a single target over all its starts. */
export function targetOver(
  outcomes: readonly Pick<RunOutcome, 'result' | 'series'>[],
  spec: Slots,
): Omit<PairedTarget, 'target' | 'twinOf' | 'excludedShare'> {
  const of = (metric: string): Uint32Array =>
    sumSeries(outcomes.map(({ series }) => ({ all: allRounds(series[blocksOf(metric)]) }))).all ?? new Uint32Array(0);
  const [most, least] = [of(spec.metric), of(spec.atLeast)];
  const total = (name: string): number =>
    outcomes.reduce((sum, { result }) => sum + Number(result.ledger[name] ?? 0), 0);
  const [expected, delivered] = [total(spec.share.whole), total(spec.share.part)];
  const timed = most.reduce((sum, count) => sum + count, 0);
  const behind = delivered === 0 ? 0 : (timed * (expected - delivered)) / delivered;
  const broadcasts = outcomes.reduce((sum, { series }) => sum + (series[spec.came]?.length ?? 0), 0);
  const carried = tails.find(([, , needed]) => broadcasts >= needed);
  const tailUs = carried && quantileUs(most, carried[1], behind);
  return {
    p50Us: quantileUs(most, 0.5, behind) ?? null,
    p50AtLeastUs: quantileUs(least, 0.5, behind) ?? null,
    tail: carried && tailUs !== undefined ? { figure: carried[0], us: tailUs } : null,
    deliveredShare: expected === 0 ? null : delivered / expected,
    ...stolenIn(outcomes.map(({ result }) => result)),
    cpuCores: cpuCores(outcomes.map(({ result }) => result)),
  };
}

function allRounds(blocks: Uint32Array = new Uint32Array(0)): Uint32Array {
  const sum = new Uint32Array(binsPerBlock);
  blocks.forEach((count, at) => {
    sum[at % binsPerBlock]! += count;
  });
  return sum;
}

/** Averages over all shards of all runs, weighted by the time that each measured. */
function stolenIn(results: readonly RunResult[]): Pick<PairedTarget, 'stolenShare'> {
  const measured = results.flatMap(({ shards }) =>
    shards.flatMap(({ result }) => {
      const stolenShare = result?.rig.shard.stolenShare;
      if (!result || stolenShare === undefined) return [];
      const windowMs = Math.max(0, ...result.rig.workers.map((worker) => worker.windowMs));
      return { stolenMs: stolenShare * windowMs, windowMs };
    }),
  );
  const wholeMs = measured.reduce((sum, { windowMs }) => sum + windowMs, 0);
  const stolenMs = measured.reduce((sum, each) => sum + each.stolenMs, 0);
  return wholeMs === 0 ? {} : { stolenShare: Math.min(1, stolenMs / wholeMs) };
}

/** Returns the CPU cores that the target used while broadcasts went out; null where it was not readable. */
function cpuCores(results: readonly RunResult[]): number | null {
  const percents = results.flatMap(({ environment: { observations, stages } }) => {
    const measured = stages.filter(({ name }) => name !== rampStage);
    const [fromMs, toMs] = [measured[0]?.fromMs ?? 0, measured.at(-1)?.toMs ?? 0];
    return observations
      .filter(({ source, name }) => source === 'proc' && name === 'cpuPercent')
      .flatMap(({ points }) => points.filter(({ atMs }) => atMs > fromMs && atMs <= toMs).map(({ value }) => value));
  });
  return percents.length === 0 ? null : mean(percents) / 100;
}

/** Holds the results that the rounds of a paired comparison give, by the names of its targets. */
export type PairsOfRounds = Pick<
  Paired,
  'pairs' | 'lastPairs' | 'rawPairs' | 'excludedEvenlyP' | 'control' | 'trends' | 'withheld'
>;

type Rounds = Pick<Paired, 'starts' | 'crowd' | 'equalWithin' | 'startsPlanned' | 'ended'> & {
  targets: readonly Pick<Paired['targets'][number], 'target' | 'twinOf'>[];
};

/** Returns the pairs of these rounds, both when they are kept and when `ringside show` computes them again. */
export function pairsOfRounds({ targets, starts, crowd, equalWithin, startsPlanned, ended }: Rounds): PairsOfRounds {
  const twin = targets.findIndex(({ twinOf }) => twinOf !== null);
  const twinOf = targets.findIndex(({ target }) => target === targets[twin]?.twinOf);
  const isLast = ended !== 'decided';
  const verdict = compareStarts(starts, { equalWithin, startsPlanned, isLast, twin, twinOf });
  const slots = starts.reduce((sum, [first]) => sum + (first?.p50Us.length ?? 0), 0);
  const excluded = targets.map((_, place) =>
    starts.reduce((sum, start) => sum + (start[place]?.excluded.length ?? 0), 0),
  );
  const excludedEvenlyP = evenness(excluded, slots) ?? null;
  if (!verdict) {
    const none = { pairs: [], lastPairs: [], rawPairs: [], trends: [] };
    return { ...none, excludedEvenlyP, control: null, withheld: ['tooFewStarts'] };
  }
  const named = ({ a, b, ...pair }: PairOfPlaces): KeptPairedRatio => ({
    ...pair,
    a: targets[a]!.target,
    b: targets[b]!.target,
  });
  const { lastPairs, rawPairs, control } = verdict;
  const pairs = verdict.pairs
    .map(named)
    .map((pair) => (isByCrowd(crowd, pair.a, pair.b) ? openBecause(pair, 'neighbours') : pair))
    .map((pair) => (isWithinControl(pair, control) ? openBecause(pair, 'control') : pair));
  const isNoneLeft = control?.holds === 'yes' && pairs.every(({ holds }) => holds === 'open');
  return {
    pairs,
    lastPairs: lastPairs.map(named),
    rawPairs: rawPairs.map(named).map(({ a, b, ratio, interval }) => ({ a, b, ratio, interval })),
    excludedEvenlyP,
    control: control ? named(control) : null,
    trends: verdict.trends.map(({ target, change }) => ({ target: targets[target]!.target, change })),
    withheld: isNoneLeft ? ['controlApart'] : [],
  };
}

function openBecause(pair: KeptPairedRatio, because: OpenReason): KeptPairedRatio {
  return pair.holds === 'open' ? pair : { ...pair, holds: 'open', because };
}

/** A target may differ as much from its own twin as these two do. A control that agrees rules this out. */
function isWithinControl({ holds, joint }: KeptPairedRatio, control: PairOfPlaces | undefined): boolean {
  if (control?.holds !== 'yes') return false;
  if (holds === 'no' || !control.joint) return true;
  const farthest = Math.max(...control.joint.map((end) => Math.abs(Math.log(end))));
  return joint !== null && Math.min(...joint.map((end) => Math.abs(Math.log(end)))) <= farthest;
}

/** Counts the rounds of all starts that do not count for a target: excluded for it, or void for all. */
export function leftOut(starts: Paired['starts'], place: number): number {
  return starts.reduce(
    (sum, start) => sum + new Set([...(start[place]?.excluded ?? []), ...overlappingIn(start)]).size,
    0,
  );
}

/** Returns a kept comparison with the pairs that its rounds give. Unchanged if it is not paired. */
export function recomputed(kept: Comparison): Comparison {
  return kept.paired ? { ...kept, paired: { ...kept.paired, ...pairsOfRounds(kept.paired) } } : kept;
}

/** Returns the probability of so uneven `counts` out of `rounds`: Pearson's χ², Wilson and Hilferty (1931). */
export function evenness(counts: readonly number[], rounds: number): number | undefined {
  const freedom = counts.length - 1;
  const expected = counts.length === 0 ? 0 : mean([...counts]);
  if (freedom < 1 || expected <= 0 || expected >= rounds) return undefined;
  const square = counts.reduce((sum, count) => sum + (count - expected) ** 2, 0);
  const chiSquared = square / expected + square / (rounds - expected);
  const spread = 2 / (9 * freedom);
  return 1 - cumulativeStdNormalProbability((Math.cbrt(chiSquared / freedom) - 1 + spread) / Math.sqrt(spread));
}
