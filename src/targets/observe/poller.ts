import { type MetricName, type Series, together } from '../../measure/series.js';
import { SeriesRecorder } from './recorder.js';
import { type Axis, type ObservationSource, reasonOf } from './source.js';

const freshIntervals = 3;

/** Reads one source from its making on, on a fixed beat, one reading at a time. */
export class Poller {
  readonly #source: ObservationSource;
  readonly #axis: Axis;
  readonly #everyMs: number;
  readonly #recorder: SeriesRecorder;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #underWay: Promise<void>;

  constructor(source: ObservationSource, axis: Axis, everyMs: number) {
    this.#source = source;
    this.#axis = axis;
    this.#everyMs = Math.max(everyMs, source.everyMs ?? 0);
    this.#recorder = new SeriesRecorder(source);
    this.#underWay = this.#turn();
  }

  /** The values of all processes together; undefined where none is fresh. */
  peek(name: MetricName): number | undefined {
    const everyMs = Math.max(this.#everyMs, this.#source.rarely?.[name] ?? 0);
    return together(name, this.#recorder.latest(name, this.#axis.nowMs() - freshIntervals * everyMs));
  }

  /** Cuts off a reading under way and gives what was recorded. */
  async stop(): Promise<Series[]> {
    clearTimeout(this.#timer);
    this.#end.abort();
    await this.#underWay;
    if (this.#source.isRetrospective) await this.#read(new AbortController().signal);
    return this.#recorder.series;
  }

  async #turn(): Promise<void> {
    await this.#read(this.#end.signal);
    if (this.#end.signal.aborted) return;
    const nowMs = this.#axis.nowMs();
    // The beat is fixed from the start: a slow reading shifts no later one. Nor does the next follow it so closely that a rate would be all noise.
    do this.#dueMs += this.#everyMs;
    while (this.#dueMs < nowMs + this.#everyMs / 2);
    this.#timer = setTimeout(() => {
      this.#underWay = this.#turn();
    }, this.#dueMs - nowMs);
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const readings = await this.#source.read(this.#axis, signal);
      this.#recorder.take(this.#axis.nowMs(), readings);
    } catch (error) {
      // A reading that our own end cut off says nothing of the source.
      if (!signal.aborted) this.#recorder.fail(reasonOf(error));
    }
  }
}
