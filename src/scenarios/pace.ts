/** Returns the time of so many events of an even schedule, one interval each, in milliseconds. */
export function lastsMs(events: number, ratePerSecond: number): number {
  return (events / ratePerSecond) * 1000;
}

/** Returns the number of events that an even schedule makes in that time, at least one. */
export function eventsIn(ms: number, ratePerSecond: number): number {
  return Math.max(1, Math.round((ratePerSecond * ms) / 1000));
}

/** Returns events per second, to a tenth. Returns 0 if the time is unknown or zero. */
export function perSecond(events: number, inMs = 0): number {
  return inMs > 0 ? Math.round((events * 10_000) / inMs) / 10 : 0;
}

/** Returns when number `n` (from 0) of an even schedule is due, in nanoseconds after its start. */
export function dueAtNs(n: number, ratePerSecond: number): number {
  return (n * 1e9) / ratePerSecond;
}

interface Plan {
  slots?: { beginNs: Float64Array };
  dueMs?: Float64Array;
}

/** Returns when a broadcast is due after the start, in nanoseconds. Allocates nothing. */
export function plannedNs({ slots, dueMs }: Plan, sequence: number, ratePerSecond: number): number {
  const inStagesMs = dueMs?.[sequence];
  if (inStagesMs !== undefined) return inStagesMs * 1e6;
  return slots?.beginNs[sequence] ?? dueAtNs(sequence, ratePerSecond);
}

/** Counts the events of `total` due `elapsedNs` after the start of an even schedule. The first is due at once. */
export function dueCount(elapsedNs: number, total: number, ratePerSecond: number): number {
  if (elapsedNs < 0) return 0;
  const near = Math.floor((elapsedNs * ratePerSecond) / 1e9);
  // Rounding can put the product on either side of an instant, so `dueAtNs` decides.
  if (dueAtNs(near + 1, ratePerSecond) <= elapsedNs) return Math.min(total, near + 2);
  return Math.min(total, dueAtNs(near, ratePerSecond) > elapsedNs ? near : near + 1);
}
