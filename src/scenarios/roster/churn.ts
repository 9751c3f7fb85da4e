import { countText } from '../../units/text.js';
import { optionalRate } from '../options.js';
import { lastsMs } from '../pace.js';
import { mostVisits, type Visit } from './stages.js';

/** Declares the flag for clients that are replaced while traffic flows. */
export const churnPerSecond = optionalRate(
  'churn',
  100_000,
  'clients per second that leave, each replaced by a new one',
);

/** Describes clients that are replaced while a schedule of that length runs. */
export interface Churn {
  perSecond: number;
  scheduleMs: number;
}

/** Returns how many clients are replaced. */
export function replacedIn({ perSecond, scheduleMs }: Churn): number {
  return Math.floor((perSecond * scheduleMs) / 1000);
}

/** Returns when replacement `n`, from 0, is due: one client leaves, and another arrives. Infinite if none is. */
export function replacedAtMs(n: number, churn: Churn): number {
  return n < replacedIn(churn) ? lastsMs(n + 0.5, churn.perSecond) : Number.POSITIVE_INFINITY;
}

/** Returns the visits of those that arrive. The first `clients` replace those of the ramp, the others each other. */
export function visitsOfChurn(churn: Churn, clients: number): Visit[] {
  return Array.from({ length: replacedIn(churn) }, (_, n) => ({
    fromMs: replacedAtMs(n, churn),
    toMs: replacedAtMs(n + clients, churn),
  }));
}

/** Returns why a churn is refused, in words. */
export function churnRefused(churn: Churn | undefined, stages: string | undefined): string[] {
  if (churn === undefined) return [];
  const replaced = replacedIn(churn);
  const most = `--churn: expected at most ${countText(mostVisits)} replacements, received ${countText(replaced)}`;
  return [
    ...(stages === undefined ? [] : ['--churn: expected no --stages beside it, received both']),
    ...(replaced > mostVisits ? [most] : []),
  ];
}
