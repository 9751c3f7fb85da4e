import { compareStarts } from '../../measure/paired/compare-starts.js';
import type { PairedRatio as PairOfPlaces } from '../../measure/paired/conclude.js';
import { isByCrowd } from '../../measure/paired/crowd.js';
import { evenness } from '../../measure/paired/evenness.js';
import type { Comparison } from '../../results/comparison.js';
import type { Paired, PairedRatio } from '../../results/paired.js';
import { isNear } from '../../results/recompute.js';

/** What the rounds of a paired comparison say, by the names of its targets. */
export type PairsOfRounds = Pick<
  Paired,
  'pairs' | 'lastPairs' | 'rawPairs' | 'excludedEvenlyP' | 'control' | 'withheld'
>;

type Rounds = Pick<Paired, 'starts' | 'crowd' | 'equalWithin' | 'startsPlanned' | 'ended'> & {
  targets: readonly Pick<Paired['targets'][number], 'target' | 'twinOf'>[];
};

/** The pairs of these rounds: as they are kept, and as `ringside show` finds them again. */
export function pairsOfRounds(
  { targets, starts, crowd, equalWithin, startsPlanned, ended }: Rounds,
  options: Readonly<Record<string, unknown>>,
): PairsOfRounds {
  const twin = targets.findIndex(({ twinOf }) => twinOf !== null);
  const twinOf = targets.findIndex(({ target }) => target === targets[twin]?.twinOf);
  const lostUs = Number(options.drainMs ?? 0) * 1000;
  const isLast = ended !== 'decided';
  const verdict = compareStarts(starts, { equalWithin, startsPlanned, isLast, twin, twinOf, lostUs });
  const slots = starts.reduce((sum, [first]) => sum + (first?.p50Us.length ?? 0), 0);
  const excluded = targets.map((_, place) => excludedOf(starts, place));
  const excludedEvenlyP = evenness(excluded, slots) ?? null;
  if (!verdict) {
    return { pairs: [], lastPairs: [], rawPairs: [], excludedEvenlyP, control: null, withheld: ['tooFewStarts'] };
  }
  const named = ({ a, b, ...pair }: PairOfPlaces): PairedRatio => ({
    ...pair,
    a: targets[a]!.target,
    b: targets[b]!.target,
  });
  const { pairs, lastPairs, rawPairs, control } = verdict;
  return {
    pairs: pairs.map(named).map((pair) => (isByCrowd(crowd, pair.a, pair.b) ? { ...pair, conclusion: 'open' } : pair)),
    lastPairs: lastPairs.map(named),
    rawPairs: rawPairs.map(named).map(({ a, b, ratio, interval }) => ({ a, b, ratio, interval })),
    excludedEvenlyP,
    control: control ? named(control) : null,
    withheld: control?.conclusion === 'apart' ? ['controlApart'] : [],
  };
}

/** How many rounds of all starts a target has left out. */
export function excludedOf(starts: Paired['starts'], place: number): number {
  return starts.reduce((sum, start) => sum + (start[place]?.excluded.length ?? 0), 0);
}

/**
 * A kept comparison with the pairs that its kept rounds give, and the names of the pairs that were kept with other
 * figures; unchanged if it is not paired.
 */
export function recomputed(kept: Comparison): { comparison: Comparison; differing: string[] } {
  const options = kept.rows.flatMap(({ runs }) => runs)[0]?.result.job.options;
  if (!kept.paired || !options) return { comparison: kept, differing: [] };
  const found = pairsOfRounds(kept.paired, options);
  const { pairs, lastPairs, control, withheld } = kept.paired;
  const differing = [
    ...differingIn(pairs, found.pairs, ''),
    ...differingIn(lastPairs, found.lastPairs, ', last delivery'),
    ...differingIn(control ? [control] : [], found.control ? [found.control] : [], ''),
    ...(withheld.join() === found.withheld.join() ? [] : ['why no order is claimed']),
  ];
  return { comparison: { ...kept, paired: { ...kept.paired, ...found } }, differing };
}

function differingIn(kept: readonly PairedRatio[], found: readonly PairedRatio[], of: string): string[] {
  const name = ({ a, b }: PairedRatio): string => `${a} to ${b}${of}`;
  const names = new Set([...kept, ...found].map(name));
  return [...names].filter((each) => {
    const [one, other] = [kept, found].map((pairs) => pairs.find((pair) => name(pair) === each));
    return !one || !other || !isSame(one, other);
  });
}

function isSame(one: PairedRatio, other: PairedRatio): boolean {
  const figures = ({ ratio, interval, joint, theseProcesses }: PairedRatio): (number | undefined)[] => [
    ratio,
    ...interval,
    ...joint,
    ...(theseProcesses ?? [undefined, undefined]),
  ];
  const others = figures(other);
  return (
    one.conclusion === other.conclusion &&
    figures(one).every((each, place) => each === others[place] || isNear(each, others[place]))
  );
}
