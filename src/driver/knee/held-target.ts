import { ProblemError, problem } from '../../contract/problems.js';
import { type RunningTarget, startTarget } from '../../targets/process.js';
import { TargetStartError } from '../../targets/start-error.js';
import type { PlannedTarget } from '../plan.js';

/** A target that stays the same process over several runs; each of them takes it for one that somebody else started. */
export class HeldTarget {
  readonly #planned: PlannedTarget;
  #running: RunningTarget | undefined;
  #hasExited = false;
  #starts = 0;

  constructor(planned: PlannedTarget) {
    this.#planned = planned;
  }

  /** How often it was started; null for a target that is not ours to know of. */
  get generation(): number | null {
    return this.#planned.isOurs ? this.#starts : null;
  }

  get settings(): Record<string, unknown> {
    return this.#running?.settings ?? {};
  }

  /** The target as a run is given it; it is started where it does not run, or no longer. Throws `ProblemError` when it can't be. */
  async ready(): Promise<PlannedTarget> {
    const planned = this.#planned;
    if (!planned.isOurs) return planned;
    if (this.#running === undefined || this.#hasExited) {
      this.#running = await startTarget(planned.target, { host: '127.0.0.1', options: planned.options }).catch(
        (error: unknown) => {
          if (!(error instanceof TargetStartError)) throw error;
          throw new ProblemError([problem('targetFailed', `${planned.name}: ${error.why}`, error.hint)]);
        },
      );
      this.#starts++;
      this.#hasExited = false;
      const started = this.#running;
      void started.exited.then(() => {
        if (this.#running === started) this.#hasExited = true;
      });
    }
    const { wsUrl, publishUrl, statsUrl, metricsUrl } = this.#running.endpoints;
    const { name, protocol } = planned;
    return {
      ...{ isOurs: false, name, protocol, wsUrl, publishUrl, statsUrl, metricsUrl },
      railway: undefined,
      publishHeaders: {},
    };
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }
}
