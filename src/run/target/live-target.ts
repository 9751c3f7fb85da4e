import type { RunResult } from '../../results/result.js';
import type { Sights } from './observe.js';

/** How processes are restarted: by which signal, one after another or not, and how long they stay away. */
export interface RestartOrder {
  signal: 'SIGTERM' | 'SIGKILL';
  isRolling: boolean;
  pauseMs: number;
  downMs: number;
}

/** A target that serves: a managed one until `stop`, or an external one. */
export interface LiveTarget {
  wsUrls: readonly string[];
  /** Where the target, or the application in front of it, accepts publishes. */
  publishUrls: readonly [string, ...string[]];
  /** Where the target accepts batches that it publishes by itself, if it can. */
  inProcessUrl?: string | undefined;
  publishHeaders: Record<string, string>;
  /** Resolves, with how it ended, when a managed target ends outside a restart; otherwise never. */
  gone: Promise<string>;
  /** Those of the new process after a restart. */
  readonly sights: Sights;
  /**
   * Restarts what the plan says, until it serves again at the same addresses. Gives counts that show it: for a managed
   * target, how many processes have a new id. Rejects with the reason if it does not serve again; `over` ends the wait.
   */
  restart(order: RestartOrder, over: AbortSignal): Promise<Record<string, number>>;
  /** What the result says of it. */
  describe(client: string): Promise<RunResult['target']>;
  stop(): Promise<void>;
}
