import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import { ofStep } from './deal.js';

/** Records a metric's samples, of the whole run and of each step. */
export class StepTimes {
  readonly #metric: string;
  readonly #recorder: () => Recorder;
  readonly #all: Recorder;
  readonly #steps: Recorder[] = [];

  constructor(metric: string, recorder: () => Recorder) {
    this.#metric = metric;
    this.#recorder = recorder;
    this.#all = recorder();
  }

  begin(): void {
    this.#steps.push(this.#recorder());
  }

  /** Hot path: allocates nothing. `step` is counted from 0. */
  record(step: number, us: number): void {
    this.#all.record(us);
    (this.#steps[step] as Recorder).record(us);
  }

  finish(): Record<string, Samples> {
    const steps = this.#steps.map((recorder, step) => [ofStep(this.#metric, step + 1), recorder.finish()] as const);
    return { [this.#metric]: this.#all.finish(), ...Object.fromEntries(steps) };
  }
}
