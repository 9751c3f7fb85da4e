import type { LiveTarget } from '../../../run/target/live-target.js';
import type { PlannedTarget } from '../../../run/target/planned.js';
import { startPlanned } from '../../../run/target/start-target.js';

/** A target that stays one process over several runs. */
export class HeldTarget {
  readonly #planned: PlannedTarget;
  #live: LiveTarget | undefined;
  #isGone = false;
  #starts = 0;

  constructor(planned: PlannedTarget) {
    this.#planned = planned;
  }

  /** How often it was started; null for an external target. */
  get generation(): number | null {
    return this.#planned.isOurs ? this.#starts : null;
  }

  /** The running target, which no run can stop. Throws `ProblemError` if it can't start. */
  async ready(): Promise<LiveTarget> {
    if (this.#live === undefined || this.#isGone) {
      await this.stop();
      const live = await startPlanned(this.#planned, { processes: 1, redeployment: undefined });
      this.#live = live;
      this.#isGone = false;
      this.#starts++;
      void live.gone.then(() => {
        if (this.#live === live) this.#isGone = true;
      });
    }
    return { ...this.#live, stop: async () => undefined };
  }

  async stop(): Promise<void> {
    await this.#live?.stop();
    this.#live = undefined;
  }
}
