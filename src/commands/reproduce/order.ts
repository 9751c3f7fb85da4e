import { type ComparedRuns, pairsIn, pairsOfProcesses } from '../../experiment/significance.js';
import { wholeError } from '../../measure/paired/compare-starts.js';
import { pairOf } from '../../measure/statement.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { Comparison } from '../../results/comparison.js';
import { leastShare } from '../../results/figures.js';
import type { KeptPairedRatio } from '../../results/paired.js';
import { type PublishedFigure, publishedUnits } from '../../results/published.js';
import type { ReproducedPair } from '../../results/reproduction.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { columnOf, noFigure, overSteps, type Reproduced, tooFew } from './figures.js';

/** A value that the source calls approximate may differ by this share. */
const aboutShare = 0.1;

interface Published {
  target: string;
  least: number;
  most: number;
}

/**
 * Returns all pairs of contenders whose published values of a metric lie apart, and their order here. A pair without a
 * figure here is open. Medians of contenders in turn are judged by their rounds. All others are judged as on a
 * scoreboard of whole runs, with one error for all pairs of the table, or by the blocks within too few runs. An order
 * must hold both with and without what the rig may have added. Pure.
 */
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
