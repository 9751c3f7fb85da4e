import { expect, it } from 'vitest';
import { broadcastBooks } from '../../../test/latency.js';
import { visited } from '../../../test/runs/visits.js';

it('a burst comes and goes over two shards while broadcasts flow, and nobody who was there lacks one', async () => {
  const flags = ['--target', 'ws', '--rate', '50/s', '--ramp-rate', '100/s', '--threshold', 'delivery.p95<60s'];
  const result = await visited('soak-and-burst', [...flags, '--threshold', 'delivery.mean<60s'], 2);
  expect(broadcastBooks(result)).toMatchObject({ attempted: 122, acked: 122, lost: 0 });
  expect(result.thresholds.map(({ isKept }) => isKept)).toEqual([true, true]);
  expect(result.metrics.arrival?.count).toBe(
    result.shards.reduce((sum, each) => sum + (each.result?.counts.arrived ?? 0), 0),
  );
});
