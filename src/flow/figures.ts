import { CauseNames } from '../measure/causes.js';
import type { Recorder } from '../measure/samples/recorder.js';
import type { Samples } from '../measure/samples/samples.js';
import { FigureNames } from './names.js';

/** Counts, causes and durations of one worker's flows. Names come from users and targets, so they are bounded. */
export class FlowFigures {
  readonly #counts: Record<string, number> = {};
  readonly #causes: Record<string, Record<string, number>> = {};
  readonly #names = new CauseNames();
  readonly #recorders = new Map<string, Recorder>();
  readonly #namesOf = new Map<string, FigureNames>();

  constructor(private readonly recorder: () => Recorder) {}

  count(name: string, events = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + events;
  }

  of(name: string): number {
    return this.#counts[name] ?? 0;
  }

  /** Counts an event, and its cause by the occasion. */
  cause(name: string, occasion: string, cause: string): void {
    this.count(name);
    const causes = this.#causes[occasion] ?? {};
    this.#causes[occasion] = causes;
    const known = this.#names.nameOf(cause);
    causes[known] = (causes[known] ?? 0) + 1;
  }

  /** Records a duration of a metric, in microseconds. */
  time(metric: string, us: number): void {
    let recorder = this.#recorders.get(metric);
    if (recorder === undefined) {
      recorder = this.recorder();
      this.#recorders.set(metric, recorder);
    }
    recorder.record(Math.max(0, us));
  }

  /** Records a duration of a family, and of the name within it if there is one. */
  named(family: string, name: string | undefined, us: number): void {
    this.time(family, us);
    if (name === undefined) return;
    const names = this.#namesOf.get(family) ?? new FigureNames();
    this.#namesOf.set(family, names);
    this.time(`${family}:${names.nameOf(name)}`, us);
  }

  report() {
    const samples: Record<string, Samples> = {};
    for (const [metric, recorder] of this.#recorders) samples[metric] = recorder.finish();
    return { counts: { ...this.#counts }, causes: this.#causes, samples };
  }
}
