import { cumulativeStdNormalProbability, mean } from 'simple-statistics';
import { compareStarts, overlappingIn } from '../../measure/paired/compare-starts.js';
import type { PairedRatio as PairOfPlaces } from '../../measure/paired/conclude.js';
import { isByCrowd } from '../../measure/paired/neighbours.js';
import type { OpenReason } from '../../measure/statement.js';
import type { Comparison } from '../../results/comparison.js';
import type { KeptPairedRatio, Paired } from '../../results/paired.js';
import { isNear } from '../../results/recompute.js';

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
  const excluded = targets.map((_, place) => excludedOf(starts, place));
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

/**
 * Returns true if a target may differ as much from its own twin as these two do. A control that agrees rules this out.
 */
function isWithinControl({ holds, joint }: KeptPairedRatio, control: PairOfPlaces | undefined): boolean {
  if (control?.holds !== 'yes') return false;
  if (holds === 'no' || !control.joint) return true;
  const farthest = Math.max(...control.joint.map((end) => Math.abs(Math.log(end))));
  return joint !== null && Math.min(...joint.map((end) => Math.abs(Math.log(end)))) <= farthest;
}

/** Counts the rounds of all starts that a target leaves out for the CPU that the hypervisor took. */
function excludedOf(starts: Paired['starts'], place: number): number {
  return starts.reduce((sum, start) => sum + (start[place]?.excluded.length ?? 0), 0);
}

/** Counts the rounds of all starts that do not count for a target: excluded for it, or void for all. */
export function leftOut(starts: Paired['starts'], place: number): number {
  return starts.reduce(
    (sum, start) => sum + new Set([...(start[place]?.excluded ?? []), ...overlappingIn(start)]).size,
    0,
  );
}

/**
 * Returns a kept comparison with the pairs that its kept rounds give, and the names of the pairs that were kept with
 * other figures. Unchanged if it is not paired.
 */
export function recomputed(kept: Comparison): { comparison: Comparison; differing: string[] } {
  if (!kept.paired) return { comparison: kept, differing: [] };
  const found = pairsOfRounds(kept.paired);
  const { pairs, lastPairs, control, withheld } = kept.paired;
  const differing = [
    ...differingIn(pairs, found.pairs, ''),
    ...differingIn(lastPairs, found.lastPairs, ', last delivery'),
    ...differingIn(control ? [control] : [], found.control ? [found.control] : [], ''),
    ...(withheld.join() === found.withheld.join() ? [] : ['why no order is claimed']),
  ];
  return { comparison: { ...kept, paired: { ...kept.paired, ...found } }, differing };
}

function differingIn(kept: readonly KeptPairedRatio[], found: readonly KeptPairedRatio[], of: string): string[] {
  const name = ({ a, b }: KeptPairedRatio): string => `${a} to ${b}${of}`;
  const names = new Set([...kept, ...found].map(name));
  return [...names].filter((each) => {
    const [one, other] = [kept, found].map((pairs) => pairs.find((pair) => name(pair) === each));
    return !one || !other || !isSame(one, other);
  });
}

function isSame(one: KeptPairedRatio, other: KeptPairedRatio): boolean {
  const ends = (of: [number, number] | null): readonly (number | undefined)[] => of ?? [undefined, undefined];
  const figures = ({ ratio, ofMedians, interval, joint, theseProcesses }: KeptPairedRatio): (number | undefined)[] => [
    ratio ?? undefined,
    ofMedians ?? undefined,
    ...ends(interval),
    ...ends(joint),
    ...ends(theseProcesses),
  ];
  const others = figures(other);
  return (
    one.holds === other.holds &&
    one.because === other.because &&
    figures(one).every((each, place) => each === others[place] || isNear(each, others[place]))
  );
}

/**
 * Returns the probability that rounds of equal targets are left out as unevenly as these `counts` out of `rounds` each:
 * Pearson's χ² with the cube root of Wilson and Hilferty (1931). Undefined if none or all are left out.
 */
export function evenness(counts: readonly number[], rounds: number): number | undefined {
  const freedom = counts.length - 1;
  const expected = counts.length === 0 ? 0 : mean([...counts]);
  if (freedom < 1 || expected <= 0 || expected >= rounds) return undefined;
  const square = counts.reduce((sum, count) => sum + (count - expected) ** 2, 0);
  const chiSquared = square / expected + square / (rounds - expected);
  const spread = 2 / (9 * freedom);
  return 1 - cumulativeStdNormalProbability((Math.cbrt(chiSquared / freedom) - 1 + spread) / Math.sqrt(spread));
}
