import type { ShardResult, ShardSelf } from '../contract/shard.js';
import type { Stop } from '../contract/stop-reasons.js';
import { sumByCause } from '../measure/causes.js';
import { encodeCounts, encodeSamples } from '../measure/samples/sample-body.js';
import { mergeSamples, sampleCount } from '../measure/samples/samples.js';
import { longestOf, sumCounts, sumSeries } from '../measure/samples/sums.js';
import { moveIn, type WorkerReport } from '../worker/messages.js';
import type { Job } from '../worker/parse-job.js';
import type { Identity } from './shard-self.js';

interface Parts {
  workers: number;
  stages: ShardResult['stages'];
  shard: ShardSelf;
  stop: Stop;
}

/** Merges the workers' reports into the shard's result, and the bodies that `GET /jobs/:id/samples/:name` gives. */
export async function assemble(
  job: Job,
  identity: Identity,
  reports: readonly WorkerReport[],
  { workers, stages, shard, stop }: Parts,
): Promise<{ result: ShardResult; bodies: Map<string, Uint8Array> }> {
  const bodies = new Map<string, Uint8Array>();
  const samples: ShardResult['samples'] = {};
  const reported = reports.flatMap((report) => Object.keys(report.samples));
  for (const metric of new Set([...Object.keys(job.scenario.metrics), ...reported])) {
    const merged = mergeSamples(reports.flatMap((report) => report.samples[metric] ?? []).map(moveIn));
    bodies.set(metric, await encodeSamples(merged));
    samples[metric] = { kind: merged.kind, count: sampleCount(merged) };
  }
  const series = sumSeries(reports.map((report) => report.series));
  for (const [name, values] of Object.entries(series)) bodies.set(name, await encodeCounts(values));
  const result: ShardResult = {
    slice: job.slice,
    ...identity,
    workers,
    counts: sumCounts(reports.map((report) => report.counts)),
    ...sumByCause(reports),
    samples,
    series: Object.keys(series),
    longestMs: longestOf(reports.map((report) => report.longestMs ?? {})),
    stages,
    rig: { shard, workers: reports.map((report) => report.self) },
    stop,
  };
  return { result, bodies };
}
