import { setTimeout as delay } from 'node:timers/promises';

/** Time between the last arrival at a gate and the common start, in which every shard must receive it. */
const startAfterMs = 300;

/** One of several runs that pass their gates together. */
export interface Attendant {
  /** Returns the start of the stage behind a gate, by `performance.now()`; undefined until all runs are there. */
  standsAt(gate: string): number | undefined;
  /** Resolves after `ms`, or as soon as all runs have arrived at a gate at which this run waits. */
  pause(ms: number): Promise<void>;
  waitedMs(): number;
  /** Ends this run. The others no longer wait for it. */
  leave(): void;
}

/** Lets `count` runs start each stage together. `starts` receives each gate and its instant in advance. */
export function startTogether(
  count: number,
  starts: (gate: string, atMs: number) => void = () => undefined,
  nowMs: () => number = () => performance.now(),
): Attendant[] {
  const there = new Set(Array.from({ length: count }, (_, number) => number));
  const standing = new Map<string, Set<number>>();
  const instants = new Map<string, number>();
  let pauses = new AbortController();
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
        // The arrival of other runs ends the pause.
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
