/** Between the last arrival at a gate and the common start: every run polls, and every shard hears of it. */
const startAfterMs = 700;

/** One of several runs that go through their gates together. */
export interface Attendant {
  /** When the stage behind the gate starts for all, by `performance.now()`; undefined before all stand at it. */
  standsAt(gate: string): number | undefined;
  /** The run is over: nobody waits for it any more. */
  leave(): void;
}

/**
 * Lets `count` runs of one process start each stage at one instant. A run that ended is not waited for. `starts` learns
 * of each gate and the instant, before it comes.
 */
export function together(
  count: number,
  starts: (gate: string, atMs: number) => void = () => undefined,
  nowMs: () => number = () => performance.now(),
): Attendant[] {
  const there = new Set(Array.from({ length: count }, (_, number) => number));
  const standing = new Map<string, Set<number>>();
  const instants = new Map<string, number>();
  return [...there].map((number) => ({
    standsAt(gate) {
      const at = standing.get(gate) ?? new Set();
      standing.set(gate, at.add(number));
      if (!instants.has(gate) && [...there].every((each) => at.has(each))) {
        const atMs = nowMs() + startAfterMs;
        instants.set(gate, atMs);
        starts(gate, atMs);
      }
      return instants.get(gate);
    },
    leave: () => void there.delete(number),
  }));
}
