import { type Estimate, estimate, interval95, isOfRuns, lowerMedian, ratioOf } from '../../measure/stats/estimate.js';
import type { Comparison } from '../../results/comparison.js';
import { type PublishedFigure, type PublishedTable, publishedUnits } from '../../results/published.js';
import type { Scenario } from '../../run/catalog.js';
import { type FigureOfRun, figureOfRun, isUncarried, partOf } from './figure-of-run.js';
import type { ReproducedFigure, ReproducedPair } from './reproduction.js';

/** A published figure with what was measured of it. */
export interface Reproduced {
  figure: PublishedFigure;
  row: ReproducedFigure;
  /** Undefined where no spread is known. */
  estimate: Estimate | undefined;
}

/** Each figure of a table beside what the runs of its target gave; void runs give nothing. Pure. */
export function rowsOf(table: PublishedTable, scenario: Scenario, { rows }: Comparison): Reproduced[] {
  return table.figures.map((figure) => {
    const row = rows.find(({ target }) => target === figure.target);
    if (!row) return without(figure, 'no target here');
    if (row.state !== 'ran' && row.runs.length === 0)
      return without(figure, row.state === 'failed' ? 'failed' : 'not available');
    const counted = row.runs.filter(({ result }) => result.verdict.rig !== 'void');
    if (counted.length === 0) return without(figure, row.runs.length === 0 ? 'not run' : 'every run is void');
    const measured = counted.flatMap(({ result }) => figureOfRun(figure.metric, scenario, result) ?? []);
    if (measured.length > 0) return reproduced(figure, measured);
    const runs = counted.map(({ result }) => result);
    return without(figure, isUncarried(figure.metric, runs) ? 'too few samples' : 'no such figure here');
  });
}

function without(figure: PublishedFigure, why: string): Reproduced {
  return { figure, row: { figure: figure.id, measured: null, why, ratio: null }, estimate: undefined };
}

function reproduced(figure: PublishedFigure, runs: readonly FigureOfRun[]): Reproduced {
  const per = publishedUnits[figure.unit];
  const values = runs.map(({ value }) => value);
  const found = estimate(
    values,
    runs.map(({ within }) => within),
  );
  const [low, high] = found ? interval95(found) : [];
  // On the scale of logarithms the interval of a share knows no whole.
  const whole = partOf(figure.metric) === undefined ? Number.POSITIVE_INFINITY : 1;
  const median = lowerMedian(values) / per;
  const measured = {
    median,
    least: Math.min(...values) / per,
    most: Math.max(...values) / per,
    interval:
      low === undefined || high === undefined ? null : ([low / per, Math.min(high, whole) / per] as [number, number]),
    runs: runs.length,
  };
  const ratio = figure.value > 0 && median > 0 ? median / figure.value : null;
  return { figure, row: { figure: figure.id, measured, why: '', ratio }, estimate: found };
}

/**
 * Of each metric every two targets that were published apart: whether they lie in that order here, too. A target of which a metric was published more than
 * once lies apart where all of its values do; what the source itself gives roughly tells no order. Pure.
 */
export function pairsOf(rows: readonly Reproduced[]): ReproducedPair[] {
  const metrics = [...new Set(rows.map(({ figure }) => figure.metric))];
  return metrics.flatMap((metric) => {
    const published = rangesOf(rows.filter(({ figure, row }) => figure.metric === metric && row.measured !== null));
    return published.flatMap((one, index) =>
      published.slice(index + 1).flatMap((other) => {
        const [low, high] = one.least <= other.least ? [one, other] : [other, one];
        if (low.most >= high.least) return [];
        const [a, b] = [low.measured.figure.target, high.measured.figure.target];
        return { metric, a, b, here: orderOf(low.measured, high.measured) };
      }),
    );
  });
}

/** What was published of one metric of a target, in base units, and what was measured of it, which is the same for all of its values. */
interface Range {
  least: number;
  most: number;
  measured: Reproduced;
}

function rangesOf(rows: readonly Reproduced[]): Range[] {
  const targets = [...new Set(rows.map(({ figure }) => figure.target))];
  return targets.flatMap((target) => {
    const own = rows.filter(({ figure }) => figure.target === target);
    const values = own.map(({ figure }) => inBase(figure));
    const [measured] = own;
    if (!measured || own.some(({ figure }) => figure.bound !== undefined)) return [];
    return { least: Math.min(...values), most: Math.max(...values), measured };
  });
}

function orderOf(low: Reproduced, high: Reproduced): ReproducedPair['here'] {
  const ratio = low.estimate && high.estimate && ratioOf(low.estimate, high.estimate);
  if (!ratio || !isOfRuns(ratio)) return 'open';
  const [least, most] = interval95(ratio);
  if (most < 1) return 'same';
  return least > 1 ? 'other' : 'open';
}

const inBase = ({ value, unit }: PublishedFigure): number => value * publishedUnits[unit];
