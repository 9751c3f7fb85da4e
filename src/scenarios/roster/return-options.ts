import { draw } from '../draws.js';
import { choiceOption, durationOption } from '../options.js';

/** Least share of the clients that a restart cuts. Anything else can cut fewer. */
const leastCutShare = 0.01;

/** Returns true if so many cuts of so many clients show that their server was restarted. */
export function wereCut(cut: number, clients: number): boolean {
  return cut > 0 && cut >= clients * leastCutShare;
}

/** Returns the first and the last cut, in whole milliseconds after the order, or nothing without a cut. */
export function spreadOf(cutInMs: Uint32Array): Record<string, number> {
  const first = cutInMs.findIndex((each) => each > 0);
  return first < 0 ? {} : { firstCutMs: first, lastCutMs: cutInMs.findLastIndex((each) => each > 0) };
}

/** Describes the waits of clients of either kind, the same for every target. */
export interface Backoff {
  seed: number;
  backoffMs: number;
  backoffMaxMs: number;
}

/** Waits of clients unless options set others. */
export const defaultBackoff = { backoffMs: 500, backoffMaxMs: 5000 } as const;

/**
 * Returns the wait before attempt `attempt` (from 0), with full jitter (Brooker 2015, "Exponential Backoff And
 * Jitter").
 */
export function backoffDelayMs(backoff: Backoff, client: number, attempt: number): number {
  const { seed, backoffMs, backoffMaxMs } = backoff;
  return draw(seed, 'retry', client, attempt) * Math.min(backoffMaxMs, backoffMs * 2 ** attempt);
}

/** Declares the signal that ends processes started by Ringside. */
export const endedBy = choiceOption('by', ['term', 'kill'], 'term', 'stop signal for processes Ringside started');

/** Options of the waits before clients come back, the same for every target and kind of client. */
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
