import type { HeadlineColumn, Scenario } from '../../contract/catalog.js';
import type { HeadlineFigure, Pair } from '../../contract/comparison.js';
import { headlineValue } from '../../contract/headline.js';
import type { RunResult } from '../../contract/result.js';
import { type Estimate, estimate, interval95, lowerMedian, ratioOf } from '../../measure/estimate.js';

/** The runs of one target. */
export interface Contender {
  target: string;
  runs: readonly RunResult[];
}

interface Judged {
  figure: HeadlineFigure;
  /** Undefined where no spread is known. */
  estimate: Estimate | undefined;
}

/** What the runs of each target say together, and which targets differ by more than the noise; void runs say nothing. Pure. */
export function significance(
  { headline }: Scenario,
  contenders: readonly Contender[],
): { figures: HeadlineFigure[][]; pairs: Pair[] } {
  const judged = contenders.map(({ runs }) => {
    const counted = runs.filter(({ verdict }) => verdict.rig !== 'void');
    return headline.flatMap((column) => judge(column, counted) ?? []);
  });
  const pairs = contenders.flatMap((a, one) =>
    contenders.flatMap((b, other) =>
      other > one ? pairsOf(a.target, judged[one] ?? [], b.target, judged[other] ?? []) : [],
    ),
  );
  return { figures: judged.map((each) => each.map(({ figure }) => figure)), pairs };
}

function judge(column: HeadlineColumn, runs: readonly RunResult[]): Judged | undefined {
  const measured = runs.flatMap((run) => {
    const value = headlineValue(column, run);
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

function pairsOf(a: string, ofA: readonly Judged[], b: string, ofB: readonly Judged[]): Pair[] {
  return ofA.flatMap(({ figure, estimate: one }) => {
    const other = ofB.find((each) => each.figure.column === figure.column);
    if (!one || !other?.estimate) return [];
    const ratio = ratioOf(one, other.estimate);
    const interval = interval95(ratio);
    const isBeyondNoise = interval[0] > 1 || interval[1] < 1;
    return { column: figure.column, a, b, ratio: Math.exp(ratio.centre), interval, isBeyondNoise };
  });
}
