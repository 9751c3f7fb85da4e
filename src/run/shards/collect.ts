import type { ShardInfo, ShardResult } from '../../contract/shard.js';
import { stopInWords } from '../../contract/stop-reasons.js';
import { sumByCause } from '../../measure/causes.js';
import { decodeCounts, decodeSamples, mergeSamples, type Samples } from '../../measure/samples/samples.js';
import { longestOf, sumCounts, sumSeries } from '../../measure/samples/sums.js';
import type { ShardPart } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { withoutSecrets } from '../../units/urls.js';
import type { Member, Span } from './member.js';

/** What the shards of a run measured, merged; each shard's part as it came. */
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
  /** Encoded samples of the metrics that a single shard has: they can be kept as they came. */
  bodies?: Record<string, Uint8Array>;
}

interface Fetched {
  result: ShardResult;
  samples: Record<string, Samples>;
  series: Record<string, Uint32Array>;
  bodies: Record<string, Uint8Array>;
}

/** Fetches and merges all samples. A shard lost meanwhile is a lost part. `zeroMs`: zero of the result's axis. */
export async function collect(scenario: Scenario, members: readonly Member[], zeroMs: number): Promise<Collected> {
  const fetched = await Promise.all(members.map(fetchPart));
  const whole = fetched.flatMap((each) => each ?? []);
  const results = whole.map(({ result }) => result);
  const metrics = new Set([Object.keys(scenario.metrics), ...whole.map(({ samples }) => Object.keys(samples))].flat());
  const [only] = whole;
  return {
    parts: members.map((member, index) => partOf(member, fetched[index], zeroMs)),
    results,
    infos: members.flatMap(({ info }, index) => (fetched[index] && info) ?? []),
    counts: sumCounts(results.map((result) => result.counts)),
    ...sumByCause(results),
    series: sumSeries(whole.map((each) => each.series)),
    longestMs: longestOf(results.map((result) => result.longestMs)),
    samples: Object.fromEntries(
      [...metrics].map((name) => [name, mergeSamples(whole.flatMap(({ samples }) => samples[name] ?? []))]),
    ),
    bodies: only && whole.length === 1 ? only.bodies : {},
  };
}

/** Undefined if the shard is lost, or ended without a result. */
async function fetchPart(member: Member): Promise<Fetched | undefined> {
  // A silent shard may be back.
  if (member.lost !== undefined) await member.poll();
  const result = member.status?.result;
  if (!result || member.lost !== undefined) return undefined;
  const fetched: Fetched = { result, samples: {}, series: {}, bodies: {} };
  try {
    for (const name of Object.keys(result.samples)) {
      const body = await member.samples(name);
      fetched.samples[name] = decodeSamples(body);
      fetched.bodies[name] = body;
    }
    for (const name of result.series) fetched.series[name] = decodeCounts(await member.samples(name));
  } catch (error) {
    member.lost = `its samples could not be fetched: ${error instanceof Error ? error.message : String(error)}`;
    return undefined;
  }
  await member.release();
  return fetched;
}

/** When a shard was silent, on an axis with its zero at `zeroMs`. */
export function silencesOf(member: Member, zeroMs: number): Span[] {
  const spans = member.silencesUntil(performance.now());
  return spans.map(({ fromMs, toMs }) => ({ fromMs: fromMs - zeroMs, toMs: toMs - zeroMs }));
}

function partOf(member: Member, fetched: Fetched | undefined, zeroMs: number): ShardPart {
  const silences = silencesOf(member, zeroMs);
  const shared = { url: withoutSecrets(member.url), ...(silences.length > 0 && { silences }) };
  if (!fetched) {
    const { status, heardMs } = member;
    const lastSeen = status &&
      heardMs !== undefined && { atMs: heardMs - zeroMs, stage: status.stage, progress: status.progress };
    const why = member.lost ?? 'ended without a result';
    return { ...shared, state: 'lost', why, result: null, ...(lastSeen && { lastSeen }) };
  }
  const { result } = fetched;
  const isComplete = result.stop.code === 'completed';
  return {
    ...shared,
    state: isComplete ? 'complete' : 'partial',
    why: isComplete ? '' : stopInWords(result.stop),
    result,
  };
}
