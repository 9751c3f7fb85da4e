import { ProblemError } from '../../contract/problems.js';
import type { ShardInfo, ShardResult } from '../../contract/shard.js';
import { stopInWords } from '../../contract/stop-reasons.js';
import { sumByCause } from '../../measure/causes.js';
import { decodeCounts, decodeSamples } from '../../measure/samples/encoding.js';
import { addSeries, longestOf, SampleSum, sumCounts } from '../../measure/samples/sample-sum.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { ShardPart } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { withoutSecrets } from '../../units/addresses.js';
import { type Member, refuseTaken, type TimeSpan } from './member.js';

export interface Collected {
  parts: ShardPart[];
  results: ShardResult[];
  /** Identity of those shards before the job, in the same order. */
  infos: ShardInfo[];
  counts: Record<string, number>;
  causes: Record<string, Record<string, number>>;
  series: Record<string, Uint32Array>;
  timeline: Record<string, number[]>;
  longestMs: Record<string, number>;
  samples: Record<string, Samples>;
  bodies?: Record<string, Uint8Array>;
}

/** Shards that are read at a time. More would not be faster, and their bodies would fill memory. */
const shardsAtOnce = 8;
/** Renewals per lease. Every shard keeps its lease until all are read, even while its own reading takes long. */
const renewals = 3;
/** A driver that is silent for 5 s may be replaced, whatever the length of its lease. */
const renewAtLeastEveryMs = 2000;

/** Fetches and merges the samples of all shards, which keep them until `release`. Throws if a driver took over. */
export async function collect(scenario: Scenario, members: readonly Member[], zeroMs: number): Promise<Collected> {
  const declared = Object.entries(scenario.metrics).flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  // Each of these metrics has a distribution, even if it is empty.
  const sums = new Map(declared.map((name) => [name, new SampleSum()]));
  const wholeSeries: Record<string, Uint32Array> = {};
  const add = ({ samples, series }: Part): void => {
    for (const [name, more] of Object.entries(samples)) {
      const sum = sums.get(name) ?? new SampleSum();
      sums.set(name, sum);
      sum.add(more);
    }
    for (const [name, values] of Object.entries(series)) {
      const sum = wholeSeries[name];
      wholeSeries[name] = sum ? addSeries(sum, values, name) : values;
    }
  };
  const fetched: (ShardResult | undefined)[] = [];
  let bodies: Record<string, Uint8Array> = {};
  const queue = members.entries();
  const reading = new Set<Member>();
  const leasesMs = members.map(({ leaseMs }) => leaseMs / renewals);
  const renew = setInterval(
    () => {
      for (const member of members) void (reading.has(member) ? member.renew() : member.poll());
    },
    Math.min(renewAtLeastEveryMs, ...leasesMs),
  );
  const takeTurns = async (): Promise<void> => {
    for (const [index, member] of queue) {
      reading.add(member);
      const part = await fetchPart(member).finally(() => reading.delete(member));
      if (!part) continue;
      fetched[index] = member.status?.result ?? undefined;
      add(part);
      // The bodies of a single shard are kept unchanged.
      if (members.length === 1) bodies = part.bodies;
    }
  };
  await Promise.all(Array.from({ length: shardsAtOnce }, takeTurns)).finally(() => clearInterval(renew));
  refuseTaken(members);
  const results = fetched.flatMap((result) => result ?? []);
  return {
    parts: members.map((member, index) => partOf(member, fetched[index], zeroMs)),
    results,
    infos: members.flatMap(({ info }, index) => (fetched[index] && info) ?? []),
    counts: sumCounts(results.map((result) => result.counts)),
    ...sumByCause(results),
    series: wholeSeries,
    longestMs: longestOf(results.map((result) => result.longestMs)),
    samples: Object.fromEntries([...sums].map(([name, sum]) => [name, sum.finish()])),
    bodies,
  };
}

/** Lets the shards discard their data once the result is kept. */
export async function release(members: readonly Member[]): Promise<void> {
  await Promise.all(members.filter(({ lost }) => lost === undefined).map((member) => member.release()));
}

interface Part {
  samples: Record<string, Samples>;
  series: Record<string, Uint32Array>;
  bodies: Record<string, Uint8Array>;
}

/** Reads one shard; undefined if it is lost or ended without a result. Reads all of it before any of it counts. */
async function fetchPart(member: Member): Promise<Part | undefined> {
  // A silent shard may answer again.
  if (member.lost !== undefined) await member.poll();
  const result = member.status?.result;
  if (!result || member.lost !== undefined) return undefined;
  const names = Object.keys(result.samples);
  try {
    const bodies: Record<string, Uint8Array> = {};
    for (const name of [...names, ...result.series]) bodies[name] = await member.samples(name);
    const read = <T>(list: string[], decode: (body: Uint8Array) => T): Record<string, T> =>
      Object.fromEntries(list.map((name) => [name, decode(bodies[name] as Uint8Array)]));
    return { samples: read(names, decodeSamples), series: read(result.series, decodeCounts), bodies };
  } catch (error) {
    if (error instanceof ProblemError) member.fault = 'samplesDamaged';
    member.lost = `its samples could not be fetched: ${error instanceof Error ? error.message : String(error)}`;
    return undefined;
  }
}

/** Returns the silences of a shard, on an axis with its zero at `zeroMs`. */
export function silencesOf(member: Member, zeroMs: number): TimeSpan[] {
  const spans = member.silencesUntil(performance.now());
  return spans.map(({ fromMs, toMs }) => ({ fromMs: fromMs - zeroMs, toMs: toMs - zeroMs }));
}

function partOf(member: Member, result: ShardResult | undefined, zeroMs: number): ShardPart {
  const silences = silencesOf(member, zeroMs);
  const shared = { url: withoutSecrets(member.url), ...(silences.length > 0 && { silences }) };
  if (!result) {
    const { status, heardMs, fault } = member;
    const lastSeen = status &&
      heardMs !== undefined && { atMs: heardMs - zeroMs, stage: status.stage, progress: status.progress };
    const why = member.lost ?? 'ended without a result';
    return { ...shared, state: 'lost', why, ...(fault && { fault }), result: null, ...(lastSeen && { lastSeen }) };
  }
  const isComplete = result.stop.code === 'completed';
  return {
    ...shared,
    state: isComplete ? 'complete' : 'partial',
    why: isComplete ? '' : stopInWords(result.stop),
    result,
  };
}
