import { type GaugeName, startsAtZero } from '../../../results/over-time/series.js';
import type { GaugeValues, ProgressView, RunSecond } from '../../../results/progress.js';
import { type LiveCharts, valuesOf } from './charts.js';

/** This is more points than a screen has columns. */
const mostPoints = 2000;

/** Holds the data of every update of an open page. Seconds are sent as points. */
export type LiveView = Omit<ProgressView, 'seconds'>;

/** Describes one second of every chart since the load began: by chart, a value or null for each line. */
export interface LivePoint {
  x: number;
  y: Record<string, (number | null)[]>;
}

/** Keeps the points that live pages have drawn so far, for a page that is opened late. */
export class LiveHistory {
  readonly #charts: LiveCharts;
  #points: LivePoint[] = [];
  #every = 1;
  #seconds = 0;

  constructor(charts: LiveCharts) {
    this.#charts = charts;
  }

  get points(): readonly LivePoint[] {
    return this.#points;
  }

  /** Returns the points of the seconds in this view. The first point is the start of the load. */
  take({ loadAtMs, seconds }: Pick<ProgressView, 'loadAtMs' | 'seconds'>): LivePoint[] {
    return seconds.flatMap((second) => {
      if (loadAtMs === null || second.atMs <= loadAtMs) return [];
      const both = [...(this.#seconds === 0 ? [startOf(second, loadAtMs)] : []), second];
      const points = both.map((each) => ({
        x: Math.round(each.atMs - loadAtMs) / 1000,
        y: valuesOf(this.#charts, each),
      }));
      for (const point of points) if (this.#seconds++ % this.#every === 0) this.#keep(point);
      return points;
    });
  }

  #keep(point: LivePoint): void {
    this.#points.push(point);
    if (this.#points.length <= mostPoints) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }
}

/** Returns the start of the load, with zero for each gauge of the first second. */
function startOf({ gauges, shards }: RunSecond, atMs: number): RunSecond {
  const none = (told: GaugeValues): GaugeValues =>
    Object.fromEntries(
      (Object.keys(told) as GaugeName[]).flatMap((name) => (startsAtZero.has(name) ? [[name, 0]] : [])),
    );
  return {
    atMs,
    gauges: none(gauges),
    shards: shards.map((told) => told && none(told)),
    percentiles: { count: 0, p50: null, p99: null, max: null },
    target: {},
  };
}
