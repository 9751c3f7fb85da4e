/** Between the last arrival at a gate and the common start: every run polls, and every shard hears of it. */
const startAfterMs = 700;

/** One of several runs that go through their gates together. */
export interface Attendant {
  /** The instant at which the stage behind the gate starts for all, by `performance.now()`; undefined until all stand. */
  standsAt(gate: string): number | undefined;
  /** The run is over: nobody waits for it any more. */
  leave(): void;
}

/** Lets `count` runs of one process start each stage at one instant. A run that ended is not waited for. */
export function together(count: number, nowMs: () => number = () => performance.now()): Attendant[] {
  const there = new Set(Array.from({ length: count }, (_, number) => number));
  const standing = new Map<string, Set<number>>();
  const starts = new Map<string, number>();
  return [...there].map((number) => ({
    standsAt(gate) {
      const at = standing.get(gate) ?? new Set();
      standing.set(gate, at.add(number));
      if (!starts.has(gate) && [...there].every((each) => at.has(each))) starts.set(gate, nowMs() + startAfterMs);
      return starts.get(gate);
    },
    leave: () => void there.delete(number),
  }));
}
