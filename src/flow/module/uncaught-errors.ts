import { thrownInWords } from './line.js';

/** Such errors in a second of one worker from which the run stops, as the flow has lost control. */
const mostPerSecond = 100;

/** Counts errors of users' code that nobody caught or awaited. A few end nothing; a storm stops the run. */
export class UncaughtErrors {
  #second = Number.NEGATIVE_INFINITY;
  #errors = 0;

  /** `caught` counts an error by its line. `stop` gets the evidence, once. */
  constructor(
    private readonly nowNs: () => number,
    private readonly caught: (error: unknown) => void,
    private readonly stop: (evidence: string) => void,
  ) {}

  take(error: unknown): void {
    this.caught(error);
    const second = Math.floor(this.nowNs() / 1e9);
    if (second !== this.#second) [this.#second, this.#errors] = [second, 0];
    this.#errors++;
    if (this.#errors === mostPerSecond)
      this.stop(
        `${mostPerSecond} errors in a second that nobody caught, the last ${thrownInWords(error, 'in a package')}`,
      );
  }
}
