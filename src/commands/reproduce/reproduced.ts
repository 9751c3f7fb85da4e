import { type Estimate, estimate, interval95, isOfRuns, lowerMedian, ratioOf } from '../../measure/stats/estimate.js';
import type { Comparison } from '../../results/comparison.js';
import { type PublishedFigure, type PublishedTable, publishedUnits } from '../../results/published.js';
import type { Scenario } from '../../run/catalog.js';
import { type FigureOfRun, figureOfRun, isUncarried, partOf } from './figure-of-run.js';
import type { ReproducedFigure, ReproducedPair } from './reproduction.js';

/** A published figure and its measured value. */
export interface Reproduced {
  figure: PublishedFigure;
  row: ReproducedFigure;
  /** Undefined if no spread is known. */
  estimate: Estimate | undefined;
}

/** Each figure of a table with its measured value, void runs left out. Pure. */
export function rowsOf(table: PublishedTable, scenario: Scenario, { rows }: Comparison): Reproduced[] {
  return table.figures.map((figure) => {
    const without = (why: string): Reproduced => ({
      figure,
      row: { figure: figure.id, measured: null, why, ratio: null },
      estimate: undefined,
    });
    const row = rows.find(({ target }) => target === figure.target);
    if (!row) return without('no target here');
    if (row.runs.length === 0)
      return without({ ran: 'not run', failed: 'failed', notAvailable: 'not available' }[row.state]);
    const runs = row.runs.map(({ result }) => result).filter(({ verdict }) => verdict.rig !== 'void');
    if (runs.length === 0) return without('every run is void');
    const measured = runs.flatMap((run) => figureOfRun(figure.metric, scenario, run) ?? []);
    if (measured.length > 0) return reproduced(figure, measured);
    return without(isUncarried(figure.metric, runs) ? 'too few samples' : 'no such figure here');
  });
}

function reproduced(figure: PublishedFigure, runs: readonly FigureOfRun[]): Reproduced {
  const per = publishedUnits[figure.unit];
  const values = runs.map(({ value }) => value);
  const within = runs.map((run) => run.within);
  const found = estimate(values, within);
  // Intervals are computed on a logarithmic scale, which does not end a share at 1.
  const whole = partOf(figure.metric) === undefined ? Number.POSITIVE_INFINITY : 1;
  const intervalOf = ([low, high]: readonly [number, number]): [number, number] => [
    low / per,
    Math.min(high, whole) / per,
  ];
  const median = lowerMedian(values) / per;
  const measured = {
    median,
    least: Math.min(...values) / per,
    most: Math.max(...values) / per,
    interval: found ? intervalOf(interval95(found)) : null,
    runs: runs.length,
  };
  const ratio = figure.value > 0 && median > 0 ? median / figure.value : null;
  return { figure, row: { figure: figure.id, measured, why: '', ratio }, estimate: found };
}

/** The published and measured values of one metric of a target. */
interface Range {
  least: number;
  most: number;
  measured: Reproduced;
}

/**
 * Every two targets whose published values of a metric lie apart, and their order here. A target with several values
 * lies apart if all of them do. Values that the source gives roughly have no order. Pure.
 */
export function pairsOf(rows: readonly Reproduced[]): ReproducedPair[] {
  const metrics = [...new Set(rows.map(({ figure }) => figure.metric))];
  return metrics.flatMap((metric) => {
    const ranges = rangesOf(rows.filter(({ figure, row }) => figure.metric === metric && row.measured !== null));
    return ranges.flatMap((one, index) =>
      ranges.slice(index + 1).flatMap((other) => {
        const [low, high] = one.least <= other.least ? [one, other] : [other, one];
        if (low.most >= high.least) return [];
        const [a, b] = [low.measured.figure.target, high.measured.figure.target];
        return { metric, a, b, here: orderOf(low.measured, high.measured) };
      }),
    );
  });
}

function rangesOf(rows: readonly Reproduced[]): Range[] {
  const targets = [...new Set(rows.map(({ figure }) => figure.target))];
  return targets.flatMap((target) => {
    const own = rows.filter(({ figure }) => figure.target === target);
    const values = own.map(({ figure: { value, unit } }) => value * publishedUnits[unit]);
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
