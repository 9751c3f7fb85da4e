/** Holds the number of open connections over time. */
export interface Gauge {
  /** At the end of each second. */
  atEnd: number[];
  /** Never too low. Too high by at most the closings of one second. */
  peak: number;
}

/** Adds up the events `opened` and `closed CAUSE` of a timeline. */
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
