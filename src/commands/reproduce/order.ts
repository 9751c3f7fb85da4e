import { pairsIn } from '../../experiment/significance.js';
import { wholeError } from '../../measure/paired/looks.js';
import { type Holds, pairOf, worstOf } from '../../measure/statement.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { Comparison } from '../../results/comparison.js';
import { leastShare } from '../../results/figures.js';
import { type PublishedFigure, publishedUnits } from '../../results/published.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import { columnOf, overSteps, type Reproduced } from './reproduced.js';
import type { ReproducedPair } from './reproduction.js';

/** How far a value that the source calls approximate may lie from what it says. */
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
 * Every two contenders whose published values of a metric lie apart, all of them, and their order here. It is judged
 * as on a scoreboard of whole runs, with one error for all pairs of the table, and must hold at both ends: with and
 * without what the rig may have added. Pure.
 */
export function pairsOf(
  rows: readonly Reproduced[],
  scenario: Scenario,
  comparison: Pick<Comparison, 'rows'>,
): ReproducedPair[] {
  const metrics = [...new Set(rows.map(({ figure }) => figure.metric))];
  const ran = comparison.rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const apart = metrics.flatMap((metric) => {
    const known = rows.filter(({ figure, row }) => figure.metric === metric && row.measured !== null);
    const pairs = apartIn(known.map(({ figure }) => figure));
    return pairs.length === 0 ? [] : { metric, pairs };
  });
  return apart.flatMap(({ metric, pairs }) => {
    const asked = ran.filter(({ target }) => pairs.flat().includes(target));
    const judge = judgeOf(metric, scenario, asked, wholeError / apart.length);
    return pairs.map(([a, b]): ReproducedPair => ({ metric, a, b, ...judge(a, b) }));
  });
}

/** What all pairs say together: one that is reversed makes the order another one; one that is open leaves it so. */
export function orderOf(pairs: readonly Pick<ReproducedPair, 'holds'>[]): Record<Holds, number> & { holds?: Holds } {
  const count = (asked: Holds): number => pairs.filter(({ holds }) => holds === asked).length;
  const counts = { yes: count('yes'), no: count('no'), open: count('open') };
  return pairs.length === 0 ? counts : { holds: worstOf(pairs.map(({ holds }) => holds)), ...counts };
}

/** The names of every two whose published ranges do not meet, the lower one first. */
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

type Judgement = Pick<ReproducedPair, 'holds' | 'because'>;

/** The order of two contenders in a metric: whether `a` lies below `b` here. */
function judgeOf(
  metric: string,
  scenario: Scenario,
  ran: readonly Ran[],
  error: number,
): (a: string, b: string) => Judgement {
  const column = columnOf(metric, scenario);
  if (!column) return () => ({ holds: 'open', because: 'noFigure' });
  const found = pairsIn(column, ran, error);
  const runsOf = (name: string): readonly RunResult[] => ran.find(({ target }) => target === name)?.runs ?? [];
  // Runs keep the lower ends of a metric over all steps.
  const bounded = columnOf(overSteps(metric), scenario) ?? column;
  const least = (name: string): number => leastShare(bounded, runsOf(name), scenario);
  const isValid = ({ verdict }: RunResult): boolean => verdict.rig !== 'void';
  return (a, b) => {
    const few = [a, b].some((name) => runsOf(name).filter(isValid).length < minRuns);
    if (few) return { holds: 'open', because: 'fewRuns' };
    const pair = pairOf(found, a, b);
    if (!pair?.isBeyondNoise) return { holds: 'open', because: 'chance' };
    const [low, high] = pair.joint;
    if (high < 1) return high / least(b) < 1 ? { holds: 'yes' } : { holds: 'open', because: 'rig' };
    return low * least(a) > 1 ? { holds: 'no' } : { holds: 'open', because: 'rig' };
  };
}
