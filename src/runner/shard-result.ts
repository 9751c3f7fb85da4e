import type { ShardResult, ShardSelf } from '../contract/shard.js';
import type { Stop } from '../contract/stop-reasons.js';
import { sumByCause } from '../measure/causes.js';
import { decodeSamples, encodeCounts, encodeSamples } from '../measure/samples/sample-body.js';
import { mergeSamples, type Samples } from '../measure/samples/samples.js';
import { longestOf, sumCounts, sumSeries } from '../measure/samples/sums.js';
import type { ReportMessage } from '../worker/messages.js';
import type { Job } from '../worker/parse-job.js';
import type { Identity } from './identity.js';

interface Parts {
  workers: number;
  stages: ShardResult['stages'];
  shard: ShardSelf;
  stop: Stop;
}

/** Puts the workers' reports together to the shard's one result, and the bodies that `GET /jobs/:id/samples/:name` gives. */
export async function assemble(
  job: Job,
  identity: Identity,
  reports: readonly ReportMessage[],
  parts: Parts,
): Promise<{ result: ShardResult; bodies: Map<string, Uint8Array> }> {
  const bodies = new Map<string, Uint8Array>();
  const samples: ShardResult['samples'] = {};
  const reported = reports.flatMap((report) => Object.keys(report.samples));
  for (const metric of new Set([...Object.keys(job.scenario.metrics), ...reported])) {
    const recorded: Samples[] = [];
    for (const report of reports) {
      const body = report.samples[metric];
      if (body) recorded.push(await decodeSamples(body));
    }
    const merged = mergeSamples(recorded);
    bodies.set(metric, await encodeSamples(merged));
    samples[metric] = {
      kind: merged.kind,
      count: merged.kind === 'raw' ? merged.values.length : merged.histogram.totalCount,
    };
  }
  const series = sumSeries(reports.map((report) => report.series));
  for (const [name, values] of Object.entries(series)) bodies.set(name, await encodeCounts(values));
  const result: ShardResult = {
    slice: job.slice,
    ...identity,
    workers: parts.workers,
    counts: sumCounts(reports.map((report) => report.counts)),
    ...sumByCause(reports),
    samples,
    series: Object.keys(series),
    longestMs: longestOf(reports.map((report) => report.longestMs ?? {})),
    stages: parts.stages,
    rig: { shard: parts.shard, workers: reports.map((report) => report.self) },
    stop: parts.stop,
  };
  return { result, bodies };
}
