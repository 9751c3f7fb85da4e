import { type ExitName, worstOfRuns } from '../contract/exit-codes.js';
import { countIn } from '../measure/ledger.js';
import { type OneSidedRatio, ratioOfStarts, type Timed } from '../measure/paired/compare-starts.js';
import { isByCrowd } from '../measure/paired/crowd.js';
import { decideRatio, decideTotals, type RatioThreshold } from '../measure/paired/ratio-threshold.js';
import { agreed, type Holds, pairOf } from '../measure/statement.js';
import type { Comparison, JudgedRatio } from '../results/comparison.js';
import { figureName, subjectsOf } from '../results/figures.js';
import type { Paired } from '../results/paired.js';
import type { Scenario } from '../run/catalog.js';

type Found = Pick<JudgedRatio, 'ratio' | 'ofMedians' | 'totals' | 'bounds' | 'boundsAtLeast' | 'holds'>;

const notFound: Found = {
  ...{ ratio: null, ofMedians: null, totals: null },
  ...{ bounds: null, boundsAtLeast: null, holds: 'open' },
};

/** A comparison with what its runs and rounds say of these ratios; unchanged without any. Pure. */
export function withRatios(comparison: Comparison, asked: readonly RatioThreshold[], scenario: Scenario): Comparison {
  if (asked.length === 0) return comparison;
  const ratioThresholds = asked.map(({ text, a, b, of, comparison: sign, bound }): JudgedRatio => {
    const threshold: RatioThreshold = { text, a, b, of, comparison: sign, bound };
    const isCount = subjectsOf(scenario).counts.includes(of);
    return { ...threshold, ...(isCount ? byTotals : byFigure)(comparison, threshold, scenario) };
  });
  return { ...comparison, ratioThresholds };
}

/** The same comparison with its ratios computed again from the kept runs and rounds. */
export function ratiosAgain(kept: Comparison, scenario: Scenario): Comparison {
  return withRatios(kept, kept.ratioThresholds ?? [], scenario);
}

/** How a comparison ends by its ratios: a broken one outweighs an undecided one. */
export function ratioExit({ ratioThresholds = [] }: Pick<Comparison, 'ratioThresholds'>): ExitName {
  const ends = { yes: 'clean', no: 'threshold', open: 'rig' } as const;
  return worstOfRuns(ratioThresholds.map(({ holds }) => ends[holds]));
}

/** Totals of unlike numbers of runs, or of void ones, are not compared. */
function byTotals({ rows }: Comparison, threshold: RatioThreshold): Found {
  const runsOf = (name: string) => rows.find(({ target }) => target === name)?.runs ?? [];
  const [ofA, ofB] = [runsOf(threshold.a), runsOf(threshold.b)];
  const isWhole = [...ofA, ...ofB].every(({ result }) => result.verdict.rig !== 'void');
  const totalOf = (runs: typeof ofA): number | null => {
    const counts = runs.map(({ result }) => countIn(result.ledger, threshold.of));
    return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
  };
  const [a, b] = [totalOf(ofA), totalOf(ofB)];
  if (!isWhole || ofA.length === 0 || ofA.length !== ofB.length || a === null || b === null) return notFound;
  return { ...notFound, ratio: b === 0 ? null : a / b, totals: [a, b], holds: decideTotals(threshold, a, b) };
}

function byFigure(comparison: Comparison, threshold: RatioThreshold, scenario: Scenario): Found {
  return comparison.paired ? byRounds(comparison.paired, threshold) : byWholeRuns(comparison, threshold, scenario);
}

function byRounds(paired: Paired, threshold: RatioThreshold): Found {
  const { targets, starts, withheld, crowd, equalWithin } = paired;
  const [a, b] = [threshold.a, threshold.b].map((name) => targets.findIndex(({ target }) => target === name));
  if (a === undefined || b === undefined || a < 0 || b < 0) return notFound;
  const of = (timed: Timed): OneSidedRatio | undefined => ratioOfStarts(starts, timed, { a, b, equalWithin });
  const isMedian = threshold.of.endsWith('.p50');
  const most = of(isMedian ? 'p50Us' : 'lastUs');
  const least = isMedian ? of('p50AtLeastUs') : undefined;
  if (!most || (isMedian && !least)) return notFound;
  const holds = agreed([most, ...(least ? [least] : [])].map((each) => holdsFor(threshold, each)));
  const isWithheld = withheld.length > 0 || isByCrowd(crowd, threshold.a, threshold.b);
  return {
    ...notFound,
    ratio: most.ratio,
    ofMedians: most.ofMedians,
    bounds: most.bounds,
    boundsAtLeast: least?.bounds ?? null,
    holds: isWithheld ? 'open' : holds,
  };
}

/** What rounds and medians say alike; undecided where a median did not arrive. */
function holdsFor(threshold: RatioThreshold, { bounds, ofMedians }: OneSidedRatio): Holds {
  if (!bounds || ofMedians === null) return 'open';
  return agreed([bounds, [ofMedians, ofMedians] as const].map((each) => decideRatio(threshold, each)));
}

/** By the interval that the scoreboard has for the pair: its ends hold with 97.5 % each. */
function byWholeRuns({ pairs }: Comparison, threshold: RatioThreshold, { headline }: Scenario): Found {
  const column = headline.find((each) => figureName(each) === threshold.of)?.title;
  const pair = pairOf(
    pairs.filter((each) => each.column === column),
    threshold.a,
    threshold.b,
  );
  if (!pair) return notFound;
  const { ratio, interval: bounds } = pair;
  return { ...notFound, ratio, bounds, holds: decideRatio(threshold, bounds) };
}
