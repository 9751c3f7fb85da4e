import type { Series } from '../../measure/series.js';
import type { CoreWaits } from '../../measure/waits.js';
import type { TargetValues } from '../../results/progress.js';
import { memoryMetrics } from '../../results/progress.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { CoreWaitWatch } from '../../targets/observe/core-waits.js';
import { type Observation, startObservation } from '../../targets/observe/observe.js';
import { hostSource, procSource } from '../../targets/observe/proc.js';
import { prometheusSource } from '../../targets/observe/prometheus.js';
import { queriesIn } from '../../targets/observe/queries.js';
import { statsSource } from '../../targets/observe/source.js';

export interface ObservationUrls {
  pid?: number | undefined;
  statsUrl?: string | undefined;
  metricsUrl?: string | undefined;
  /** What `--series` asks of `metricsUrl`. */
  series?: readonly string[] | undefined;
}

/** Memory needs many readings in a short ramp, and a restart takes only seconds. */
export function readEveryMs({ isCapacity, disruption }: Pick<Scenario, 'isCapacity' | 'disruption'>): number {
  return isCapacity || disruption ? 250 : 1000;
}

/** Watches a target over a run. A source that fails ends its series with the reason. The run continues. */
export class TargetObservation {
  readonly fromMs = performance.now();
  readonly #first: Observation;
  /** Observations of processes that restarts started, the latest first. */
  readonly #later: Observation[] = [];
  readonly #waits: CoreWaitWatch | undefined;

  constructor(
    { pid, statsUrl, metricsUrl, series = [] }: ObservationUrls,
    private readonly everyMs: number,
  ) {
    const sources = [
      ...(isReadable(pid) ? [procSource(pid), hostSource()] : []),
      ...(statsUrl === undefined ? [] : [statsSource(statsUrl)]),
      ...(metricsUrl === undefined ? [] : [prometheusSource(metricsUrl, queriesIn(series))]),
    ];
    this.#first = startObservation(sources, everyMs);
    this.#waits = isReadable(pid) ? new CoreWaitWatch(pid, this.fromMs).start() : undefined;
  }

  addProcess(pid: number): void {
    this.#waits?.addProcess(pid);
    const offsetMs = performance.now() - this.fromMs;
    const observation = startObservation(isReadable(pid) ? [procSource(pid)] : [], this.everyMs);
    this.#later.unshift({
      peek: (name) => observation.peek(name),
      stop: async () => (await observation.stop()).map((series) => onAxis(series, offsetMs)),
    });
  }

  now(): TargetValues {
    return targetNow([...this.#later, this.#first]);
  }

  coreWaits(): CoreWaits | undefined {
    return this.#waits?.stop();
  }

  async stop(): Promise<Series[]> {
    this.#waits?.stop();
    return (await Promise.all([this.#first, ...this.#later].map((each) => each.stop()))).flat();
  }
}

/** Moves the points of a series by that time. */
export function onAxis(series: Series, offsetMs: number): Series {
  return { ...series, points: series.points.map(({ atMs, value }) => ({ atMs: atMs + offsetMs, value })) };
}

function isReadable(pid: number | undefined): pid is number {
  return pid !== undefined && process.platform === 'linux';
}

/** Returns the fresh values of several observations, the latest first. */
export function targetNow(observations: readonly Pick<Observation, 'peek'>[]): TargetValues {
  const latest = (...names: Parameters<Observation['peek']>[0][]): number | undefined =>
    names.flatMap((name) => observations.flatMap((each) => each.peek(name) ?? []))[0];
  const values = {
    cpuPercent: latest('cpuPercent'),
    memoryBytes: latest(...memoryMetrics),
    eventLoopDelayP99Ms: latest('eventLoopDelayP99Ms'),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
