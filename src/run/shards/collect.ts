import type { ShardInfo, ShardResult } from '../../contract/shard.js';
import { stopInWords } from '../../contract/stop-reasons.js';
import { sumByCause } from '../../measure/causes.js';
import { decodeCounts, decodeSamples } from '../../measure/samples/sample-body.js';
import { mergeSamples, type Samples } from '../../measure/samples/samples.js';
import { longestOf, sumCounts, sumSeries } from '../../measure/samples/sums.js';
import type { ShardPart } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { withoutSecrets } from '../../units/urls.js';
import type { Member } from './member.js';

/** All that came back from the shards of a run, merged; and each shard's bodies as they came, to be kept. */
export interface Collected {
  parts: ShardPart[];
  results: ShardResult[];
  /** What those shards said of themselves before the job, in the same order. */
  infos: ShardInfo[];
  counts: Record<string, number>;
  causes: Record<string, Record<string, number>>;
  series: Record<string, Uint32Array>;
  timeline: Record<string, number[]>;
  longestMs: Record<string, number>;
  samples: Record<string, Samples>;
}

/**
 * Fetches every sample of every shard that has a result and merges the distributions. A shard lost on the way is a lost part. `zeroMs` is the zero of
 * the result's axis, as of `performance.now()`.
 */
export async function collect(scenario: Scenario, members: readonly Member[], zeroMs: number): Promise<Collected> {
  const parts: ShardPart[] = [];
  const results: ShardResult[] = [];
  const infos: ShardInfo[] = [];
  const runs: Record<string, Samples[]> = Object.fromEntries(Object.keys(scenario.metrics).map((name) => [name, []]));
  const series: Record<string, Uint32Array>[] = [];
  for (const member of members) {
    // One that fell silent may be there again.
    if (member.lost !== undefined) await member.poll();
    const result = member.status?.result ?? null;
    const fetched = result === null || member.lost !== undefined ? undefined : await fetchBodies(member, result);
    const silences = silencesOf(member, zeroMs);
    if (!fetched || result === null) {
      parts.push({
        url: withoutSecrets(member.url),
        state: 'lost',
        why: member.lost ?? 'ended without a result',
        result: null,
        ...lastSeenOf(member, zeroMs),
        ...silences,
      });
      continue;
    }
    await member.release();
    for (const [name, samples] of Object.entries(fetched.samples)) {
      runs[name] ??= [];
      runs[name].push(samples);
    }
    series.push(fetched.series);
    results.push(result);
    infos.push(member.info);
    const isComplete = result.stop.code === 'completed';
    parts.push({
      url: withoutSecrets(member.url),
      state: isComplete ? 'complete' : 'partial',
      why: isComplete ? '' : stopInWords(result.stop),
      result,
      ...silences,
    });
  }
  return {
    parts,
    results,
    infos,
    counts: sumCounts(results.map((result) => result.counts)),
    ...sumByCause(results),
    series: sumSeries(series),
    longestMs: longestOf(results.map((result) => result.longestMs)),
    samples: Object.fromEntries(Object.entries(runs).map(([name, list]) => [name, mergeSamples(list)])),
  };
}

function silencesOf(member: Member, zeroMs: number): Pick<ShardPart, 'silences'> {
  const silences = member
    .silencesUntil(performance.now())
    .map(({ fromMs, toMs }) => ({ fromMs: fromMs - zeroMs, toMs: toMs - zeroMs }));
  return silences.length > 0 ? { silences } : {};
}

function lastSeenOf({ status, heardMs }: Member, zeroMs: number): Pick<ShardPart, 'lastSeen'> {
  if (!status || heardMs === undefined) return {};
  return { lastSeen: { atMs: heardMs - zeroMs, stage: status.stage, progress: status.progress } };
}

async function fetchBodies(
  member: Member,
  result: ShardResult,
): Promise<{ samples: Record<string, Samples>; series: Record<string, Uint32Array> } | undefined> {
  const samples: Record<string, Samples> = {};
  const series: Record<string, Uint32Array> = {};
  try {
    for (const name of Object.keys(result.samples)) samples[name] = await decodeSamples(await member.samples(name));
    for (const name of result.series) series[name] = await decodeCounts(await member.samples(name));
    return { samples, series };
  } catch (error) {
    member.lost = `its samples could not be fetched: ${error instanceof Error ? error.message : String(error)}`;
    return undefined;
  }
}
