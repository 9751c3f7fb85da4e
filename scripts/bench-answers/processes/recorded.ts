import type { ComparisonRow } from '../../../src/results/comparison.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { owedMedian } from '../record.js';
import type { Compared } from './compared.js';
import { writtenByBroadcastUs } from './servers.js';

/**
 * What each metronome of a comparison did by its own record, by server, start and round: the median of its deliveries
 * in microseconds, from the read of the publish to the write. Empty for a server without runs.
 */
export function recordedRounds(servers: readonly RunningTarget[], { rows }: Compared): Promise<number[][][]> {
  return Promise.all(
    servers.map((server, place) => Promise.all(rows[place]?.runs.map((run) => roundsOf(server, run)) ?? [])),
  );
}

async function roundsOf(server: RunningTarget, { result: { job } }: ComparisonRow['runs'][number]): Promise<number[]> {
  const { warmUp, broadcasts, subscribers } = job.options;
  const written = await writtenByBroadcastUs(server, job.stream, Number(warmUp));
  return Array.from({ length: Number(broadcasts) }, (_, round) =>
    owedMedian(written[round] ?? [], Number(subscribers)),
  );
}
