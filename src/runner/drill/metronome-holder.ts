import { metronomeLivesMs, type OwnMetronome } from '../../contract/drill.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { AllowList } from '../allow-list.js';

/** A metronome that serves on the loopback of this machine. */
export interface ServingMetronome extends OwnMetronome {
  stop(): Promise<void>;
}

/** Starts a metronome. Throws `ProblemError` if it can't start. */
export type StartMetronome = () => Promise<ServingMetronome>;

/** Holds the single metronome of a bench-runner. It ends on request, with the service, or after a minute. */
export class MetronomeHolder {
  readonly #start: StartMetronome | undefined;
  readonly #allowList: AllowList;
  #serving: Promise<ServingMetronome> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(start: StartMetronome | undefined, allowList: AllowList) {
    this.#start = start;
    this.#allowList = allowList;
  }

  /**
   * Returns the metronome and extends its life by a minute. Throws `ProblemError` if it is not allowed or can't start.
   */
  async take(): Promise<OwnMetronome> {
    const { entries } = this.#allowList;
    if (!this.#allowList.allows('ws://127.0.0.1'))
      throw new ProblemError([
        problem('targetNotAllowed', `its own loopback is not among the allowed targets: ${entries.join(', ')}`),
      ]);
    if (!this.#start) throw new ProblemError([problem('targetUnavailable', 'this bench-runner has no metronome')]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.end(), metronomeLivesMs);
    this.#serving ??= this.#start();
    try {
      const { wsUrl, publishUrl } = await this.#serving;
      return { wsUrl, publishUrl };
    } catch (error) {
      this.#serving = undefined;
      clearTimeout(this.#timer);
      throw error;
    }
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    const serving = this.#serving;
    this.#serving = undefined;
    // If the metronome did not start, the caller of `take` received the error.
    const metronome = await serving?.catch(() => undefined);
    await metronome?.stop();
  }
}
