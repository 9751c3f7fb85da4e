import type { JobStatus } from '../../contract/shard.js';
import type { RunResult } from '../../results/result.js';

type Stages = RunResult['environment']['stages'];

/** The stages that any shard went through, each from the first beginning to the last end; one that is not over ends at infinity. `postedAtMs`: when the jobs began, on the axis of the result. Pure. */
export function stagesOf(shards: readonly JobStatus['stages'][], postedAtMs: number): Stages {
  const spans = new Map<string, Stages[number]>();
  for (const { name, atMs, durationMs } of shards.flat()) {
    const fromMs = postedAtMs + atMs;
    const known = spans.get(name) ?? { name, fromMs, toMs: fromMs };
    const toMs = Math.max(known.toMs, fromMs + (durationMs ?? Number.POSITIVE_INFINITY));
    spans.set(name, { name, fromMs: Math.min(known.fromMs, fromMs), toMs });
  }
  return [...spans.values()];
}
