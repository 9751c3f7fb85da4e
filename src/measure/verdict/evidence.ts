import type { ShardFacts, WorkerFacts } from './facts.js';

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function wholePercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Says the worst of all workers, and how many others are bad; undefined where none has a badness above zero. */
export function worst(
  shards: readonly ShardFacts[],
  badness: (worker: WorkerFacts) => number,
  say: (label: string, value: number) => string,
): string | undefined {
  const bad = shards
    .flatMap((shard) =>
      shard.workers.map((worker) => ({ label: `${shard.label} ${worker.label}`, value: badness(worker) })),
    )
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
  const [first] = bad;
  if (!first) return undefined;
  const others = bad.length - 1;
  return say(first.label, first.value) + (others > 0 ? ` (and ${others} more worker${others > 1 ? 's' : ''})` : '');
}
