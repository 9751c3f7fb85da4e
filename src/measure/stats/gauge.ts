/** Open connections over time, read from events per second named `opened` and `closed CAUSE`. */
export interface Gauge {
  /** At the end of each second. */
  atEnd: number[];
  /** The most that were open at once; up to what closed within one second too high, never too low. */
  peak: number;
}

/** Adds up a timeline of connections. */
export function openGauge(timeline: Readonly<Record<string, readonly number[]>>): Gauge {
  const seconds = Math.max(0, ...Object.values(timeline).map((events) => events.length));
  const closings = Object.entries(timeline).filter(([name]) => name.startsWith('closed '));
  const gauge: Gauge = { atEnd: [], peak: 0 };
  let open = 0;
  for (let second = 0; second < seconds; second++) {
    open += timeline.opened?.[second] ?? 0;
    gauge.peak = Math.max(gauge.peak, open);
    open -= closings.reduce((sum, [, events]) => sum + (events[second] ?? 0), 0);
    gauge.atEnd.push(open);
  }
  return gauge;
}
