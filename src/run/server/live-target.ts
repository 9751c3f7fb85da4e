import { setTimeout as delay } from 'node:timers/promises';
import type { RunResult } from '../../results/result.js';
import type { ObservationUrls } from './observe.js';

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
  readonly sights: ObservationUrls;
  /** Restarts what the plan says; gives counts that show it. Rejects if it stays away; `over` ends the wait. */
  restart(order: RestartOrder, over: AbortSignal): Promise<Record<string, number>>;
  describe(client: string): Promise<RunResult['target']>;
  stop(): Promise<void>;
}

/** Runs actions at once, or one after another with pauses until `over` is aborted, and sums their results. */
export async function inTurn(
  actions: readonly (() => Promise<number>)[],
  { isRolling, pauseMs }: Pick<RestartOrder, 'isRolling' | 'pauseMs'>,
  over: AbortSignal,
): Promise<number> {
  if (!isRolling) return (await Promise.all(actions.map((act) => act()))).reduce((sum, each) => sum + each, 0);
  let total = 0;
  for (const [index, act] of actions.entries()) {
    if (index > 0) await delay(pauseMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    total += await act();
  }
  return total;
}
