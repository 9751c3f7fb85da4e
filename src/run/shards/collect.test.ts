import { expect, it } from 'vitest';
import { goldenShard } from '../../../test/golden-result.js';
import { memberOf, tells } from '../../../test/members.js';
import { naming } from '../../../test/refusal.js';
import { scenarioCalled } from '../../../test/scenarios.js';
import { digestOf } from '../../contract/job.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { ShardResult } from '../../contract/shard.js';
import { encodeCounts, encodeSamples } from '../../measure/samples/encoding.js';
import { Recorder } from '../../measure/samples/recorder.js';
import { keptKind, type Samples, sampleCount } from '../../measure/samples/samples.js';
import { collect, release } from './collect.js';
import type { Member } from './member.js';

const scenario = scenarioCalled('latency');
const raw = (...values: number[]): Samples => ({ kind: 'raw', values: Uint32Array.from(values) });

/** What one shard measured, and the bodies that it gives. */
interface Kept {
  result: ShardResult | null;
  bodies: Record<string, Uint8Array>;
}

async function kept(index: number, delivery: Samples, more: Partial<ShardResult> = {}): Promise<Kept> {
  const count = sampleCount(delivery);
  const bodies = { delivery: await encodeSamples(delivery), acked: await encodeCounts(Uint32Array.of(1, index, 2)) };
  const result = goldenShard(index, {
    counts: { attempted: 3, subscribers: 7 },
    causes: { close: { reset: index + 1 } },
    samples: { delivery: { kind: keptKind(delivery), count } },
    series: ['acked'],
    digests: Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, digestOf(body)])),
    ...more,
  });
  return { result, bodies };
}

function member(index: number, { result, bodies }: Kept): Member {
  const samples = async (_jobId: string, name: string): Promise<Uint8Array> => {
    const body = bodies[name];
    if (!body) throw new Error(`no body of ${name}`);
    return body;
  };
  const made = memberOf({ url: `http://ring:${7001 + index}`, samples, collected: async () => undefined });
  return tells(made, { state: result ? 'done' : 'running', progress: {}, stages: [], seconds: [], result });
}

it('collect merges samples, adds counts, causes and series', async () => {
  const members = [member(0, await kept(0, raw(3, 7, 11))), member(1, await kept(1, raw(2, 7)))];
  const { parts, counts, causes, series, samples } = await collect(scenario, members, 0);
  expect(parts.map(({ url, state, why }) => [url, state, why])).toEqual([
    ['http://ring:7001', 'complete', ''],
    ['http://ring:7002', 'complete', ''],
  ]);
  expect(counts).toEqual({ attempted: 6, subscribers: 14 });
  expect(causes).toEqual({ close: { reset: 3 } });
  expect(series).toEqual({ acked: Uint32Array.of(2, 1, 4) });
  expect(samples.delivery).toEqual(raw(2, 3, 7, 7, 11));
});

it('collect leaves with the shards what it fetched, until they are released', async () => {
  const forgotten: string[] = [];
  const made = member(0, await kept(0, raw(3)));
  made.client.collected = async (jobId) => void forgotten.push(jobId);
  const lost = member(1, await kept(1, raw(5)));
  lost.lost = 'another process answers';
  await collect(scenario, [made, lost], 0);
  expect(forgotten).toEqual([]);
  await release([made, lost]);
  expect(forgotten).toEqual(['job']);
});

it('collect keeps nothing of a run that another driver has taken over', async () => {
  const made = member(0, await kept(0, raw(3)));
  const taken = new ProblemError([problem('runTaken', 'other/11 has taken the run over')]);
  made.client.samples = async () => Promise.reject(taken);
  const refused = await collect(scenario, [made, member(1, await kept(1, raw(5)))], 0).catch((error) => error);
  expect(refused).toBeInstanceOf(ProblemError);
  expect((refused as ProblemError).problems.map(({ code }) => code)).toEqual(['runTaken']);
});

it('collect has a distribution of every metric, be it empty', async () => {
  const { samples } = await collect(scenario, [member(0, await kept(0, raw(3)))], 0);
  const declared = Object.keys(scenario.metrics).filter((name) => !scenario.metrics[name]?.isOptional);
  expect(Object.keys(samples)).toEqual(declared);
  expect(samples.connect).toEqual(raw());
});

it('collect keeps a histogram where a shard sent one', async () => {
  const recorder = new Recorder(0);
  for (const value of [13, 17]) recorder.record(value);
  const members = [member(0, await kept(0, raw(3, 7, 11))), member(1, await kept(1, recorder.finish()))];
  const { delivery } = (await collect(scenario, members, 0)).samples;
  expect(delivery?.kind).toBe('histogram');
  expect(delivery && sampleCount(delivery)).toBe(5);
});

it('collect keeps what a shard measured that was stopped early, as a part', async () => {
  const stop = { code: 'timeOver' as const, evidence: ['the deadline passed', 'and so did the day'] };
  const { parts, counts } = await collect(scenario, [member(0, await kept(0, raw(3), { stop }))], 0);
  expect(parts[0]).toMatchObject({ state: 'partial', why: naming(...stop.evidence) });
  expect(counts.attempted).toBe(3);
});

it('collect has nothing of a shard that is lost, and says why', async () => {
  const lost = member(1, await kept(1, raw(5)));
  lost.lost = 'another process answers';
  const silent = member(2, { result: null, bodies: {} });
  const { parts, results, counts, samples } = await collect(
    scenario,
    [member(0, await kept(0, raw(3))), lost, silent],
    0,
  );
  expect(parts.slice(1)).toEqual([
    { url: 'http://ring:7002', state: 'lost', why: 'another process answers', result: null },
    { url: 'http://ring:7003', state: 'lost', why: expect.stringMatching(/./), result: null },
  ]);
  expect(results).toHaveLength(1);
  expect(counts.attempted).toBe(3);
  expect(samples.delivery).toEqual(raw(3));
});

it('collect loses a shard whose body cannot be read, though it is the one that the shard sent', async () => {
  const foreign = await encodeCounts(Uint32Array.of(7));
  const { result, bodies } = await kept(1, raw(5));
  const digests = { ...result?.digests, delivery: digestOf(foreign) };
  const lost = member(1, { result: result && { ...result, digests }, bodies: { ...bodies, delivery: foreign } });
  const { parts, series } = await collect(scenario, [member(0, await kept(0, raw(3))), lost], 0);
  expect([parts[1]?.state, parts[1]?.fault]).toEqual(['lost', undefined]);
  expect(series).toEqual({ acked: Uint32Array.of(1, 0, 2) });
});

it.each([
  ['is not there', () => undefined, undefined],
  ['has another digest', (body: Uint8Array) => body.subarray(0, body.length - 3), 'samplesDamaged'],
])('collect loses a shard whose body %s, with all that it counted', async (_how, spoil, fault) => {
  const whole = await kept(1, raw(5));
  const spoilt = spoil(whole.bodies.delivery as Uint8Array);
  const { delivery: _gone, ...others } = whole.bodies;
  const lost = member(1, { ...whole, bodies: spoilt ? { ...others, delivery: spoilt } : others });
  const { parts, counts, samples } = await collect(scenario, [member(0, await kept(0, raw(3))), lost], 0);
  expect(parts[1]).toMatchObject({ state: 'lost', result: null });
  expect(parts[1]?.fault).toBe(fault);
  expect(counts.attempted).toBe(3);
  expect(samples.delivery).toEqual(raw(3));
});
