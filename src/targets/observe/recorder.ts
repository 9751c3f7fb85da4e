import { type MetricName, metricTable, type Series } from '../../measure/series.js';
import type { Ending, ObservationSource, Reading, Readings } from './source.js';

/** Keeps the readings of one source as series. A series that ended gets no further point. */
export class SeriesRecorder {
  readonly series: Series[] = [];
  /** The latest series of each metric and process, ended or not. */
  readonly #latest = new Map<string, Series>();

  constructor(private readonly source: Pick<ObservationSource, 'source' | 'reads' | 'clock'>) {}

  take(atMs: number, { endings, values }: Readings): void {
    for (const ending of endings) this.#end(ending);
    for (const reading of values) this.#open(reading).points.push({ atMs: reading.atMs ?? atMs, value: reading.value });
  }

  /** The source gave nothing: all series end, and a metric that never began becomes an empty one. */
  fail(because: string): void {
    this.#end({ because });
    const begun = new Set(this.series.map(({ name }) => name));
    for (const name of this.source.reads) if (!begun.has(name)) this.#begin({ name }).endedBecause = because;
  }

  /** The last value of a metric of each process whose series goes on, if not older than `sinceMs`. */
  latest(name: MetricName, sinceMs: number): number[] {
    return [...this.#latest.values()]
      .filter((series) => series.name === name && series.endedBecause === undefined)
      .map((series) => series.points.at(-1))
      .flatMap((point) => (point !== undefined && point.atMs >= sinceMs ? point.value : []));
  }

  #open(reading: Reading): Series {
    const latest = this.#latest.get(keyOf(reading));
    return latest !== undefined && latest.endedBecause === undefined ? latest : this.#begin(reading);
  }

  #begin({ name, process }: Pick<Reading, 'name' | 'process'>): Series {
    const { source, clock } = this.source;
    const series: Series = { source, name, unit: metricTable[name].unit, points: [] };
    if (process !== undefined) series.process = process;
    if (clock !== undefined) series.clock = clock;
    this.series.push(series);
    this.#latest.set(keyOf({ name, process }), series);
    return series;
  }

  #end({ process, name, because }: Ending): void {
    if (name !== undefined && !this.#latest.has(keyOf({ name, process }))) this.#begin({ name, process });
    for (const series of this.#latest.values()) {
      const isMeant =
        (process === undefined || series.process === process) && (name === undefined || series.name === name);
      if (isMeant && series.endedBecause === undefined) series.endedBecause = because;
    }
  }
}

function keyOf({ name, process }: Pick<Reading, 'name' | 'process'>): string {
  return `${name} ${process ?? ''}`;
}
