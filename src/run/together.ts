import { setTimeout as delay } from 'node:timers/promises';

/** Between the last arrival at a gate and the common start: every shard must hear of it. */
const startAfterMs = 300;

/** One of several runs that go through their gates together. */
export interface Attendant {
  /** When the stage behind the gate starts for all, by `performance.now()`; undefined before all stand at it. */
  standsAt(gate: string): number | undefined;
  /** Resolves after `ms`, and at once when all stand at a gate at which this run waits. */
  pause(ms: number): Promise<void>;
  /** How long this run has stood at gates until all started. */
  waitedMs(): number;
  /** The run is over: nobody waits for it any more. */
  leave(): void;
}

/**
 * Lets `count` runs of one process start each stage at one instant. A run that ended is not waited for. `starts` learns
 * of each gate and the instant, before it comes.
 */
export function startTogether(
  count: number,
  starts: (gate: string, atMs: number) => void = () => undefined,
  nowMs: () => number = () => performance.now(),
): Attendant[] {
  const there = new Set(Array.from({ length: count }, (_, number) => number));
  const standing = new Map<string, Set<number>>();
  const instants = new Map<string, number>();
  let pauses = new AbortController();
  /** Settles the instant of every gate at which all stand that are still there. */
  const settle = (): void => {
    for (const [gate, at] of standing) {
      if (instants.has(gate) || ![...there].every((each) => at.has(each))) continue;
      const atMs = nowMs() + startAfterMs;
      instants.set(gate, atMs);
      starts(gate, atMs);
      pauses.abort();
      pauses = new AbortController();
    }
  };
  return [...there].map((number) => {
    const arrivals = new Map<string, number>();
    /** Gates at which this run waits, as far as it knows. */
    const waiting = new Set<string>();
    return {
      standsAt(gate) {
        standing.set(gate, (standing.get(gate) ?? new Set()).add(number));
        if (!arrivals.has(gate)) arrivals.set(gate, nowMs());
        settle();
        if (instants.has(gate)) waiting.delete(gate);
        else waiting.add(gate);
        return instants.get(gate);
      },
      async pause(ms) {
        if ([...waiting].some((gate) => instants.has(gate))) return;
        // Others that arrive meanwhile end the pause.
        await delay(ms, undefined, { signal: pauses.signal }).catch(() => undefined);
      },
      waitedMs: () =>
        [...arrivals].reduce((sum, [gate, arrivedMs]) => sum + (instants.get(gate) ?? nowMs()) - arrivedMs, 0),
      leave() {
        there.delete(number);
        settle();
      },
    };
  });
}
