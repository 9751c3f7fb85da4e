import { type GaugeName, startsAtZero } from '../../../results/over-time/series.js';
import type { GaugeValues, ProgressView, RunSecond } from '../../../results/progress.js';
import { type LiveCharts, valuesOf } from './charts.js';

/** More points than a screen has columns. */
const mostPoints = 2000;

/** What an open page gets at every update; seconds come as points. */
export type LiveView = Omit<ProgressView, 'seconds'>;

/** One second of every chart, since the load began: by chart, a value for each line or null. */
export interface LivePoint {
  x: number;
  y: Record<string, (number | null)[]>;
}

/** What live pages have drawn so far, for one that is opened late. */
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

  /** The points of the seconds in this view; the first one is the start of the load. */
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

/** The start of the load: zero for each gauge of the first second. */
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
