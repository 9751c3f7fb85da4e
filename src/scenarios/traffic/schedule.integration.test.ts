import { expect, it } from 'vitest';
import { soundResult } from '../../../test/latency.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();

it.each([
  ['latency', 1],
  ['throughput', 2],
])('%s over %i shard(s) publishes all broadcasts of its stages', async (scenario, shards) => {
  const stages = ['--rate-stages', '1s:10/s,200ms:200/s,1s:10/s', '--warm-up', '3'];
  const args = [
    'run',
    scenario,
    '--target',
    'ws',
    '--clients',
    '7',
    ...stages,
    '--ramp-rate',
    '500/s',
    '--drain',
    '5s',
  ];
  const result = soundResult(await place.measure(args, shards));
  expect(result.job.options).toMatchObject({ broadcasts: 57, ratePerSecond: 60_000 / 2200 });
  expect(result.ledger).toMatchObject({ attempted: 57, acked: 57, expected: 399, delivered: 399, lost: 0 });
  const { timeline } = result.environment;
  if (scenario === 'throughput') expect(timeline.due?.reduce((sum, each) => sum + each, 0)).toBe(60);
});
