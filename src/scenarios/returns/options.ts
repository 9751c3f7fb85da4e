import { draw } from '../draws.js';
import { choiceOption, durationOption } from '../options.js';

/** Fewer of those that were there can be cut by any accident: that is no restart. */
const leastCutShare = 0.01;

/** Whether so many cuts of so many clients show that what they were connected to was restarted. */
export function wereCut(cut: number, clients: number): boolean {
  return cut > 0 && cut >= clients * leastCutShare;
}

/** The first and the last cut, in whole milliseconds after the order; nothing without a cut. */
export function spreadOf(cutInMs: Uint32Array): Record<string, number> {
  const first = cutInMs.findIndex((each) => each > 0);
  return first < 0 ? {} : { firstCutMs: first, lastCutMs: cutInMs.findLastIndex((each) => each > 0) };
}

/** How all clients wait, of either kind and whatever the target. */
export interface Backoff {
  seed: number;
  backoffMs: number;
  backoffMaxMs: number;
}

/** How they do where nothing else is asked for. */
export const defaultBackoff = { backoffMs: 500, backoffMaxMs: 5000 } as const;

/** The wait before attempt `attempt` (from 0), with full jitter (Brooker 2015, "Exponential Backoff And Jitter"). */
export function backoffDelayMs(backoff: Backoff, client: number, attempt: number): number {
  const { seed, backoffMs, backoffMaxMs } = backoff;
  return draw(seed, 'retry', client, attempt) * Math.min(backoffMaxMs, backoffMs * 2 ** attempt);
}

/** How processes that Ringside started are ended. */
export const endedBy = choiceOption('by', ['term', 'kill'], 'term', 'stop signal for processes Ringside started');

/** How clients come back, the same for every target and kind of client. */
export const returnOptions = {
  backoffMs: durationOption(
    'backoff',
    defaultBackoff.backoffMs,
    [1, 600_000],
    'base of the exponential backoff with full jitter',
  ),
  backoffMaxMs: durationOption(
    'backoff-max',
    defaultBackoff.backoffMaxMs,
    [1, 600_000],
    'longest wait between two attempts',
  ),
};
