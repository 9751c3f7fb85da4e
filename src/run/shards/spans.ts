/** A time from one instant to another, both of one axis. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** How much time lies in any of the spans. */
export function coveredMs(spans: readonly Span[]): number {
  let [covered, toMs] = [0, Number.NEGATIVE_INFINITY];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    covered += Math.max(0, span.toMs - Math.max(span.fromMs, toMs));
    toMs = Math.max(toMs, span.toMs);
  }
  return covered;
}
