import { performance } from 'node:perf_hooks';
import { type MetricName, type Series, together } from '../../measure/series.js';
import { SeriesRecorder } from './recorder.js';
import { type Axis, type ObservationSource, reasonOf } from './source.js';

/** An observation under way. */
export interface Observation {
  /** Ends it, cuts off readings, and gives every series in the order of the sources. Later calls give the same. */
  stop(): Promise<Series[]>;
  /** A metric's latest value, all processes together, from the first source with one younger than three intervals. */
  peek(name: MetricName): number | undefined;
}

/** Reads each source every `everyMs`, or as seldom as it asks. Its series record what fails. */
export function startObservation(sources: readonly ObservationSource[], everyMs = 1000): Observation {
  const startMs = performance.now();
  const axis: Axis = { nowMs: () => performance.now() - startMs, startedAtEpochMs: Date.now() };
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
  readonly #everyMs: number;
  readonly #recorder: SeriesRecorder;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #underWay: Promise<void>;

  constructor(
    private readonly source: ObservationSource,
    private readonly axis: Axis,
    everyMs: number,
  ) {
    this.#everyMs = Math.max(everyMs, source.everyMs ?? 0);
    this.#recorder = new SeriesRecorder(source);
    this.#underWay = this.#turn();
  }

  peek(name: MetricName): number | undefined {
    const everyMs = Math.max(this.#everyMs, this.source.rarely?.[name] ?? 0);
    return together(name, this.#recorder.latest(name, this.axis.nowMs() - freshIntervals * everyMs));
  }

  async stop(): Promise<Series[]> {
    clearTimeout(this.#timer);
    this.#end.abort();
    await this.#underWay;
    if (this.source.isRetrospective) await this.#read(new AbortController().signal);
    return this.#recorder.series;
  }

  async #turn(): Promise<void> {
    await this.#read(this.#end.signal);
    if (this.#end.signal.aborted) return;
    const nowMs = this.axis.nowMs();
    // A slow reading does not shift later ones, and the next keeps enough distance for its rates to mean something.
    do this.#dueMs += this.#everyMs;
    while (this.#dueMs < nowMs + this.#everyMs / 2);
    this.#timer = setTimeout(() => {
      this.#underWay = this.#turn();
    }, this.#dueMs - nowMs);
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const readings = await this.source.read(this.axis, signal);
      this.#recorder.take(this.axis.nowMs(), readings);
    } catch (error) {
      // A reading that our end cut off says nothing about the source.
      if (!signal.aborted) this.#recorder.fail(reasonOf(error));
    }
  }
}
