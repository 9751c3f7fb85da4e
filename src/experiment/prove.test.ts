import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { plannedRun } from '../../test/planned.js';
import { naming } from '../../test/refusal.js';
import { contractVersion } from '../contract/job.js';
import { drawsOf } from '../measure/stats/bootstrap.js';
import type { RunResult } from '../results/result.js';
import type { ShardClient } from '../run/shards/shard-client.js';
import { scenarioByName } from '../scenarios/list.js';
import { heldAtOnce, leastCores, planProof, proofShards } from './prove.js';
import { significance } from './significance.js';

const latency = scenarioByName('latency')!;
const plan = (flags: Record<string, unknown> = {}) =>
  plannedRun(latency, { flags: { target: 'ws', clients: '1009', ...flags }, env: {}, file: {} });
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
    expect(onTwo.notTried).toEqual([naming('shards', 16, 15)]);
    const fleet = planProof([plan({ shards: ['http://127.0.0.1:7001', 'http://127.0.0.1:7003'] })], 64);
    expect(fleet.variants.map(({ shards }) => shards)).toEqual([2, 2]);
    expect(fleet.notTried).toEqual([naming('--shard')]);
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

  it('have no more loops than clients', () => {
    const few = planProof([plan({ workers: '3', clients: '5' })], 64);
    expect(few.variants.map(({ shards, workersPerShard }) => [shards, workersPerShard])).toEqual([
      [1, 3],
      [2, 3],
    ]);
    expect(few.notTried).toEqual([naming('loops', 5)]);
    expect(rigs([plan({ workers: '7', clients: '5' })], 2)).toEqual([[1, 5, true]]);
    expect(rigs([plan({ workers: '4', clients: '7', localShards: '1' })], 10)).toEqual([
      [1, 4, true],
      [2, 4, false],
    ]);
    // Of 3 and 2 clients.
    const halved = planProof([plan({ workers: '4', clients: '5' })], 64);
    expect(halved.variants.map(({ shards, workersPerShard }) => [shards, workersPerShard])).toEqual([
      [1, 4],
      [2, 3],
    ]);
    const alone = planProof([plan({ workers: '7', clients: '5' })], 64);
    expect(alone.variants).toHaveLength(1);
    expect(alone.notTried).toEqual([naming('loops', 5), naming('shards', 5)]);
  });

  it('have the loops that the smallest shard takes by itself, not those of this machine', async () => {
    const shards = [11, 5, 7].map((cores) => ({
      info: async () => ({ contract: contractVersion, bootId: String(cores), machine: { cores } }),
    }));
    expect(await leastCores(shards as unknown as ShardClient[])).toBe(5);
  });
});

/** Proofs of three rigs, `repeat` runs each; the delivery p99 of the second rig is `factor` times the others. */
function proofs(of: number, repeat: number, spread: number, factor = 1) {
  const draw = drawsOf(7);
  const uniform = (): number => (draw(1_000_003) + 0.5) / 1_000_003;
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const { metrics } = goldenResult();
  const measured = (times: number): RunResult => {
    const noisy = Object.entries(metrics).map(([name, summary]) => {
      const [p50, p99, max] = [743, 5003, 41_011].map((figure) => figure * Math.exp(spread * normal()));
      return [name, { ...summary, p50, p99: (p99 as number) * (name === 'delivery' ? times : 1), max }];
    });
    return goldenResult({ metrics: Object.fromEntries(noisy) });
  };
  return Array.from({ length: of }, () => {
    const rows = [1, factor, 1].map((times, rig) => ({
      target: `rig ${rig}`,
      runs: Array.from({ length: repeat }, () => ({ directory: '', result: measured(times) })),
    }));
    const contenders = rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
    const pairs = significance(latency, contenders, false).pairs.filter(({ a }) => a === 'rig 0');
    return { pairs, against: heldAtOnce(pairs, rows, latency) };
  });
}

describe('what moved in a proof', () => {
  it('finds nothing in 19 of 20 proofs of equal rigs, however many figures it compares', () => {
    for (const repeat of [3, 7]) {
      const found = proofs(400, repeat, 0.1);
      expect(found[0]?.against).toHaveLength(12);
      const alarms = found.filter(({ against }) => against.some(({ isBeyondNoise }) => isBeyondNoise)).length;
      expect(alarms).toBeLessThanOrEqual(400 / 20);
      const eachByItself = found.filter(({ pairs }) => pairs.some(({ isBeyondNoise }) => isBeyondNoise)).length;
      expect(eachByItself).toBeGreaterThan(400 / 20);
    }
  });

  it.each([
    [3, 0.03],
    [5, 0.1],
    [7, 0.15],
  ])('is a figure that doubled, of %i runs a rig that spread by %d', (repeat, spread) => {
    const found = proofs(200, repeat, spread, 2).filter(({ against }) =>
      against.some(({ column, b, isBeyondNoise }) => column === 'p99' && b === 'rig 1' && isBeyondNoise),
    );
    expect(found.length).toBeGreaterThan(180);
  });
});
