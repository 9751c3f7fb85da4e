import { setTimeout as delay } from 'node:timers/promises';
import type { RestartOrder } from './restart-options.js';

/** Does several things one after the other, with the pause of the order between them, or all at once, and adds up what they give; those whose turn comes when `over` is aborted are left out. */
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
