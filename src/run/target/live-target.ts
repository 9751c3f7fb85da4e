import type { RunResult } from '../../results/result.js';
import type { Sights } from './observe.js';
import type { RestartOrder } from './restart-options.js';

/** A target that serves: ours until `stop`, or somebody's. */
export interface LiveTarget {
  wsUrls: readonly string[];
  /** Where publishes are taken, by the target or by the application that stands before it. */
  publishUrls: readonly [string, ...string[]];
  /** Where the target takes batches that it publishes by itself, where it does. */
  inProcessUrl?: string | undefined;
  publishHeaders: Record<string, string>;
  /** Resolves with how it went when a process that we started ends by itself, and in no restart; never for somebody's. */
  gone: Promise<string>;
  /** After a restart of the target, those of the new process. */
  readonly sights: Sights;
  /**
   * Restarts what the plan says, and has it serve again at the same addresses. Gives what shows it, in counts: of ours, how many processes answer with
   * another number than before. Rejects with an Error that says why it does not serve; `over` ends what still goes on beside us when the run does.
   */
  restart(order: RestartOrder, over: AbortSignal): Promise<Record<string, number>>;
  /** As the result names it. */
  describe(client: string): Promise<RunResult['target']>;
  stop(): Promise<void>;
}
