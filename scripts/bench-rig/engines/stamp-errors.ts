import { quantileSorted } from 'simple-statistics';
import type { Stamp } from '../processes/stamps-child.js';

/** What stamps are worth beside the times of the `send()` calls, in milliseconds. */
export interface StampErrors {
  /** How far exact stamps lie outside their `send()` call, or all stamps of a reader that has no exact ones. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  exact: number;
  of: number;
  /** Intervals that do not reach the `send()` call. */
  missed: number;
}

/** Two processes read the origin of their clocks to some hundred nanoseconds. */
const clocksApartNs = 1000;

/** Compares stamps with the times before and after each `send()`, in turn, by sequence number. */
export function stampErrors(stamps: readonly Stamp[], sendNs: readonly number[]): StampErrors {
  const errorOf = ({ sequence, receivedAtNs }: Stamp): number => {
    const [beforeNs, afterNs] = [sendNs[2 * sequence] as number, sendNs[2 * sequence + 1] as number];
    return Math.max(0, receivedAtNs - afterNs, beforeNs - receivedAtNs) / 1e6;
  };
  const isMissed = ({ sequence, notBeforeNs, receivedAtNs }: Stamp): boolean =>
    notBeforeNs > (sendNs[2 * sequence + 1] as number) + clocksApartNs ||
    receivedAtNs < (sendNs[2 * sequence] as number) - clocksApartNs;
  const exact = stamps.filter(({ notBeforeNs, receivedAtNs }) => notBeforeNs === receivedAtNs);
  const errors = (exact.length > 0 ? exact : stamps).map(errorOf).sort((a, b) => a - b);
  const at = (share: number): number => (errors.length === 0 ? Number.NaN : quantileSorted(errors, share));
  return {
    ...{ p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) },
    exact: exact.length,
    of: stamps.length,
    missed: stamps.filter(isMissed).length,
  };
}
