import type { RunResult, Verdict } from '../../src/results/result.js';

/** What one rig says of the server. Times in microseconds; null where there are too few samples. */
export interface Reading {
  client: string;
  /** Event loops that held subscribers, all shards together. */
  loops: number;
  shards: number;
  p50: number | null;
  p99: number | null;
  /** 95 % interval of the p99 over broadcasts. */
  p99Interval: readonly [number, number] | undefined;
  atLeastP50: number | null;
  atLeastP99: number | null;
  ackP50: number | null;
  ackMax: number | null;
  verdict: Verdict;
}

/** Reads the figures that the demonstration is about out of a run's result. */
export function readingOf({ target, job, shards, metrics, verdict }: RunResult): Reading {
  const { delivery, deliveryAtLeast, publishAck } = metrics;
  const workers = shards.flatMap(({ result }) => result?.rig.workers ?? []);
  return {
    client: target.client,
    loops: workers.filter(({ role }) => role === 'audience').length,
    shards: job.shards,
    p50: delivery?.p50 ?? null,
    p99: delivery?.p99 ?? null,
    p99Interval: delivery?.intervals.p99,
    atLeastP50: deliveryAtLeast?.p50 ?? null,
    atLeastP99: deliveryAtLeast?.p99 ?? null,
    ackP50: publishAck?.p50 ?? null,
    ackMax: publishAck?.max ?? null,
    verdict,
  };
}
