/** How long so many events of an even schedule take, one interval each, in milliseconds. */
export function lastsMs(events: number, ratePerSecond: number): number {
  return (events / ratePerSecond) * 1000;
}

/** How many events an even schedule makes in so long: one at least. */
export function eventsIn(ms: number, ratePerSecond: number): number {
  return Math.max(1, Math.round((ratePerSecond * ms) / 1000));
}

/** So many events in so long, to a tenth; zero where it is not known how long, or where that was no time. */
export function perSecond(events: number, inMs = 0): number {
  return inMs > 0 ? Math.round((events * 10_000) / inMs) / 10 : 0;
}

/** When number `n` (from 0) of an even schedule is due, in nanoseconds after its start. */
export function dueAtNs(n: number, ratePerSecond: number): number {
  return (n * 1e9) / ratePerSecond;
}

/** How many of `total` are due `elapsedNs` after the start of an even schedule; the first is due at once. */
export function dueCount(elapsedNs: number, total: number, ratePerSecond: number): number {
  if (elapsedNs < 0) return 0;
  const near = Math.floor((elapsedNs * ratePerSecond) / 1e9);
  // Rounding can put the product on either side of an instant; `dueAtNs` has the last word.
  if (dueAtNs(near + 1, ratePerSecond) <= elapsedNs) return Math.min(total, near + 2);
  return Math.min(total, dueAtNs(near, ratePerSecond) > elapsedNs ? near : near + 1);
}
