import { setTimeout as delay } from 'node:timers/promises';
import type { RunResult } from '../../results/result.js';
import type { ObservationUrls } from './observe.js';

/** Describes a restart of processes: at once, or one after another with pauses. */
export interface RestartOrder {
  signal: 'SIGTERM' | 'SIGKILL';
  isRolling: boolean;
  pauseMs: number;
  downMs: number;
}

/** A running target: a managed one until `stop`, or an external one. */
export interface LiveTarget {
  wsUrls: readonly string[];
  /** Addresses at which the target, or the application in front of it, accepts publishes. */
  publishUrls: readonly [string, ...string[]];
  /** Address for batches that the target publishes by itself, if it supports that. */
  inProcessUrl?: string | undefined;
  publishHeaders: Record<string, string>;
  /** Resolves with the reason when a managed target ends outside a restart; otherwise never. */
  gone: Promise<string>;
  /** Addresses to observe the target. They follow the new process after a restart. */
  readonly sights: ObservationUrls;
  /** Returns counts that prove the restart. Rejects if the target does not come back. `over` ends the wait. */
  restart(order: RestartOrder, over: AbortSignal): Promise<Record<string, number>>;
  describe(client: string): Promise<RunResult['target']>;
  stop(): Promise<void>;
}

/** Runs actions at once, or in turn until `over` is aborted. Returns the sum of their results. */
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
