import { digestOf } from '../contract/bodies.js';
import { enginesTogether } from '../contract/engine.js';
import type { ShardResult, ShardSelf } from '../contract/shard.js';
import { sumByCause } from '../measure/causes.js';
import { mergeSamples } from '../measure/samples/sample-sum.js';
import { encodeCounts, encodeSamples, keptKind, sampleCount } from '../measure/samples/samples.js';
import { longestOf, sumCounts, sumSeries } from '../measure/samples/sums.js';
import { isSilent, talkTogether } from '../measure/talk.js';
import { type WorkerReport, moveIn } from '../worker/messages.js';
import type { Job } from '../scenarios/job.js';
import type { Identity } from './shard-self.js';

/** What a shard adds to the reports of its workers. */
interface Parts extends Pick<ShardResult, 'workers' | 'stages' | 'stop'> {
  series: Record<string, Uint32Array>;
  shard: ShardSelf;
}

/** Merges the workers' reports into the shard's result, and the bodies that `GET /jobs/:id/samples/:name` gives. */
export async function assemble(
  job: Job,
  identity: Identity,
  reports: readonly WorkerReport[],
  { shard, series: ofShard, ...parts }: Parts,
): Promise<{ result: ShardResult; bodies: Map<string, Uint8Array> }> {
  const bodies = new Map<string, Uint8Array>();
  const samples: ShardResult['samples'] = {};
  const reported = reports.flatMap((report) => Object.keys(report.samples));
  const declared = Object.entries(job.scenario.metrics).flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  for (const metric of new Set([...declared, ...reported])) {
    const merged = mergeSamples(reports.flatMap((report) => report.samples[metric] ?? []).map(moveIn));
    bodies.set(metric, await encodeSamples(merged));
    samples[metric] = { kind: keptKind(merged), count: sampleCount(merged) };
  }
  const series = { ...sumSeries(reports.map((report) => report.series)), ...ofShard };
  for (const [name, values] of Object.entries(series)) bodies.set(name, await encodeCounts(values));
  const engines = enginesTogether(reports.flatMap((report) => report.engines));
  const talk = talkTogether(reports.map((report) => report.talk));
  const result: ShardResult = {
    slice: job.slice,
    ...identity,
    ...parts,
    counts: sumCounts(reports.map((report) => report.counts)),
    ...sumByCause(reports),
    samples,
    series: Object.keys(series),
    digests: Object.fromEntries([...bodies].map(([name, body]) => [name, digestOf(body)])),
    longestMs: longestOf(reports.map((report) => report.longestMs ?? {})),
    rig: { shard, workers: reports.map((report) => report.self), ...(engines.length > 0 && { engines }) },
    ...(!isSilent(talk) && { talk }),
  };
  return { result, bodies };
}
