import { setTimeout as delay } from 'node:timers/promises';
import type { RestartOrder } from './live-target.js';

/** Runs actions at once, or one after another with pauses until `over` is aborted, and sums their results. */
export async function inTurn(
  actions: readonly (() => Promise<number>)[],
  { isRolling, pauseMs }: Pick<RestartOrder, 'isRolling' | 'pauseMs'>,
  over: AbortSignal,
): Promise<number> {
  if (!isRolling) return sum(await Promise.all(actions.map((act) => act())));
  let total = 0;
  for (const [index, act] of actions.entries()) {
    if (index > 0) await delay(pauseMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    total += await act();
  }
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
