import { expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../../../test/golden-result.js';
import { scenarioByName } from '../../../scenarios/list.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { jobSection } from './job.js';

const latency = scenarioByName('latency') as Scenario;

const assets = { uplotScript: '', uplotStyle: '', drawScript: '' };

it('names the event loops that had a load', () => {
  const { rig } = goldenShard(0);
  const workers = rig.workers.map((each) => (each.role === 'publisher' ? { ...each, windowMs: 0 } : each));
  const [part, ...others] = goldenResult().shards.map((each, index) => ({ ...each, result: goldenShard(index) }));
  const shards = [{ ...part!, result: { ...part!.result, rig: { ...rig, workers } } }, ...others];
  const runs = [{ label: 'ws', directory: 'results/ws', result: goldenResult({ shards }), curves: {} }];
  const text = jobSection({ scenario: latency, runs, difference: '', chosen: '', assets }).text;
  expect(
    ['shard 0 audience 0', 'shard 0 publisher 0', 'shard 1 publisher 0'].map((loop) => text.includes(loop)),
  ).toEqual([true, false, true]);
});
