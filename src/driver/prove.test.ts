import { describe, expect, it } from 'vitest';
import { scenarioByName } from '../contract/catalog.js';
import { planRun } from './plan.js';
import { planProof, proofShards } from './prove.js';

const latency = scenarioByName('latency')!;
const plan = (flags: Record<string, unknown> = {}) =>
  planRun(latency, { flags: { target: 'ws', subscribers: '1009', ...flags }, env: {}, file: {} });
const rigs = (...args: Parameters<typeof planProof>) =>
  planProof(...args).variants.map(({ shards, workersPerShard, isBase }) => [shards, workersPerShard, isBase]);

describe('the rigs of a proof', () => {
  it('are the one asked for, twice its loops, and twice its shards where there are cores', () => {
    expect(rigs([plan({ workers: '3', localShards: '2' })], 17)).toEqual([
      [2, 3, true],
      [2, 6, false],
      [4, 3, false],
    ]);
  });

  it('leave out shards that would have no cores, or can not be had, and say so', () => {
    const onTwo = planProof([plan({ workers: '3', localShards: '2' })], 15);
    expect(onTwo.variants).toHaveLength(2);
    expect(onTwo.notTried).toEqual(['twice the shards: they would be 16 loops on 15 cores']);
    const fleet = planProof([plan({ shards: ['http://127.0.0.1:7001', 'http://127.0.0.1:7003'] })], 64);
    expect(fleet.variants.map(({ shards }) => shards)).toEqual([2, 2]);
    expect(fleet.notTried).toEqual(['twice the shards: those of --shard are all there are']);
  });

  it('name the loops that would have been taken by default, and ask for them', () => {
    const { variants } = planProof([plan()], 7);
    expect(variants.map(({ plan: { load }, workersPerShard }) => [load.workers, workersPerShard])).toEqual([
      [3, 3],
      [6, 6],
    ]);
    expect(new Set(variants.map(({ label }) => label)).size).toBe(variants.length);
  });

  it('are of one shape and one seed, for each target', () => {
    const two = planProof([plan(), plan({ target: 'uws' })], 64);
    expect(two.variants.filter(({ isBase }) => isBase).map(({ target }) => target)).toEqual(['ws', 'uws']);
    for (const { plan: variant } of two.variants) expect(variant.options).toEqual(plan().options);
    expect(proofShards(two)).toBe(2);
  });
});
