import { type Estimate, estimate, interval95, isOfRuns, lowerMedian, ratioOf } from '../../measure/stats/estimate.js';
import type { HeadlineFigure, Pair } from '../../results/comparison.js';
import { headlineValue } from '../../results/headline.js';
import type { RunResult } from '../../results/result.js';
import type { HeadlineColumn, Scenario } from '../../run/catalog.js';

/** The runs of one target. */
export interface Contender {
  target: string;
  runs: readonly RunResult[];
}

/** What the runs of a target say together in one column. */
export interface Judged {
  figure: HeadlineFigure;
  /** Undefined where no spread is known. */
  estimate: Estimate | undefined;
}

/** What the runs of each target say together, and which targets differ by more than the noise, of those with enough runs to know it; void runs say nothing. Pure. */
export function significance(
  { headline }: Scenario,
  contenders: readonly Contender[],
): { figures: HeadlineFigure[][]; pairs: Pair[] } {
  const judged = contenders.map(({ runs }) => headline.flatMap((column) => judge(column, runs) ?? []));
  const pairs = contenders.flatMap((a, one) =>
    contenders.flatMap((b, other) =>
      other > one ? pairsOf(a.target, judged[one] ?? [], b.target, judged[other] ?? []) : [],
    ),
  );
  return { figures: judged.map((each) => each.map(({ figure }) => figure)), pairs };
}

/** Undefined where no run that is not void has the figure. */
export function judge(column: HeadlineColumn, runs: readonly RunResult[]): Judged | undefined {
  const measured = runs.flatMap((run) => {
    const value = run.verdict.rig === 'void' ? null : headlineValue(column, run);
    const within = column.kind === 'figure' ? run.metrics[column.metric]?.intervals[column.figure] : undefined;
    return value === null ? [] : [{ value, within }];
  });
  if (measured.length === 0) return undefined;
  const values = measured.map(({ value }) => value);
  const found = estimate(
    values,
    measured.map(({ within }) => within),
  );
  const figure = {
    column: column.title,
    median: lowerMedian(values),
    least: Math.min(...values),
    most: Math.max(...values),
    interval: found ? interval95(found) : null,
  };
  return { figure, estimate: found };
}

/** How many times the one is the other, whatever their noise is known from; undefined where of either it is not known. */
export function ratioBetween(
  one: Judged,
  other: Judged,
): Pick<Pair, 'ratio' | 'interval' | 'isBeyondNoise'> | undefined {
  if (!one.estimate || !other.estimate) return undefined;
  const ratio = ratioOf(one.estimate, other.estimate);
  const interval = interval95(ratio);
  return { ratio: Math.exp(ratio.centre), interval, isBeyondNoise: interval[0] > 1 || interval[1] < 1 };
}

function pairsOf(a: string, ofA: readonly Judged[], b: string, ofB: readonly Judged[]): Pair[] {
  return ofA.flatMap((one) => {
    const { column } = one.figure;
    const other = ofB.find(({ figure }) => figure.column === column);
    if (!other || [one, other].some(({ estimate: known }) => !known || !isOfRuns(known))) return [];
    const ratio = ratioBetween(one, other);
    return ratio ? [{ column, a, b, ...ratio }] : [];
  });
}
