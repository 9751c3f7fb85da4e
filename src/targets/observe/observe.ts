import { performance } from 'node:perf_hooks';
import { gaugeTogether, type MetricName, metricTable, type Series } from '../../measure/series.js';
import {
  type ObservationAxis,
  type ObservationSource,
  type Reading,
  type Readings,
  reasonOf,
  type SourceEnding,
} from './source.js';

/** Keeps the readings of one source as series. A series that ended gets no further point. */
export class SeriesRecorder {
  readonly series: Series[] = [];
  /** The latest series of each metric and process, ended or not. */
  readonly #latest = new Map<string, Series>();

  constructor(private readonly source: Pick<ObservationSource, 'source' | 'reads'>) {}

  take(atMs: number, { endings, values }: Readings): void {
    for (const ending of endings) this.#end(ending);
    for (const reading of values) this.#open(reading).points.push({ atMs: reading.atMs ?? atMs, value: reading.value });
  }

  /** Records that the source gave nothing. All series end, and a metric that never began becomes an empty one. */
  fail(because: string): void {
    this.#end({ because });
    const begun = new Set(this.series.map(({ name }) => name));
    for (const name of this.source.reads) if (!begun.has(name)) this.#begin({ name }).endedBecause = because;
  }

  /** Returns the last value of a metric of each process whose series goes on, if not older than `sinceMs`. */
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

  #begin({ name, process, unit = metricTable[name].unit }: Pick<Reading, 'name' | 'process' | 'unit'>): Series {
    const { source } = this.source;
    const series: Series = { source, name, unit, points: [] };
    if (process !== undefined) series.process = process;
    this.series.push(series);
    this.#latest.set(keyOf({ name, process }), series);
    return series;
  }

  #end({ process, name, because }: SourceEnding): void {
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

export interface Observation {
  /** Ends it, aborts readings, and returns every series in the order of the sources. Later calls return the same. */
  stop(): Promise<Series[]>;
  /** Returns a metric's latest sum over all processes, from the first source with one younger than three intervals. */
  peek(name: MetricName): number | undefined;
}

/** Reads each source every `everyMs`. Its series record failures. */
export function startObservation(sources: readonly ObservationSource[], everyMs = 1000): Observation {
  const startMs = performance.now();
  const axis: ObservationAxis = { nowMs: () => performance.now() - startMs };
  const pollers = sources.map((source) => new Poller(source, axis, everyMs));
  let stopped: Promise<Series[]> | undefined;
  return {
    stop() {
      stopped ??= Promise.all(pollers.map((poller) => poller.stop())).then((series) => series.flat());
      return stopped;
    },
    peek: (name) => pollers.map((poller) => poller.peek(name)).find((value) => value !== undefined),
  };
}

const freshIntervals = 3;

class Poller {
  readonly #recorder: SeriesRecorder;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #underWay: Promise<void>;

  constructor(
    private readonly source: ObservationSource,
    private readonly axis: ObservationAxis,
    private readonly everyMs: number,
  ) {
    this.#recorder = new SeriesRecorder(source);
    this.#underWay = this.#turn();
  }

  peek(name: MetricName): number | undefined {
    const everyMs = Math.max(this.everyMs, this.source.rarely?.[name] ?? 0);
    return gaugeTogether(name, this.#recorder.latest(name, this.axis.nowMs() - freshIntervals * everyMs));
  }

  async stop(): Promise<Series[]> {
    clearTimeout(this.#timer);
    this.#end.abort();
    await this.#underWay;
    return this.#recorder.series;
  }

  async #turn(): Promise<void> {
    await this.#read(this.#end.signal);
    if (this.#end.signal.aborted) return;
    const nowMs = this.axis.nowMs();
    // A slow reading does not shift later ones. The next keeps enough distance for meaningful rates.
    do this.#dueMs += this.everyMs;
    while (this.#dueMs < nowMs + this.everyMs / 2);
    this.#timer = setTimeout(() => {
      this.#underWay = this.#turn();
    }, this.#dueMs - nowMs);
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const readings = await this.source.read(this.axis, signal);
      this.#recorder.take(this.axis.nowMs(), readings);
    } catch (error) {
      // A reading that our end aborted says nothing about the source.
      if (!signal.aborted) this.#recorder.fail(reasonOf(error));
    }
  }
}
