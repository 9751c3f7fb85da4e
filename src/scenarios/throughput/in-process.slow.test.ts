import { describe, expect, it } from 'vitest';
import { soundResult } from '../../../test/latency.js';
import { faultless, flags, place } from '../../../test/runs/in-process.js';
import { voidedBy } from '../../../test/workplace.js';

describe('broadcasts that a target publishes by itself', () => {
  it.each([
    ['ws', ['--workers', '2']],
    ['uws', ['--target-processes', '2']],
    ['socketio', []],
  ] as const)('%s: all reach all over two shards, counted and not timed', async (target, more) => {
    const result = soundResult(await place.measure(['run', 'throughput', '--target', target, ...flags, ...more], 2));
    expect(result.ledger).toMatchObject({ ...faultless, attempted: 307, acked: 307, delivered: 307 * 23 });
    // Six loops of 33 broadcasts a second each have 51 or 52: two batches.
    expect(result.ledger.batches).toBe(12);
    for (const name of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast', 'publishAck', 'drain'])
      expect([name, result.metrics[name]?.count]).toEqual([name, 0]);
    expect(result.stop.code).toBe('completed');
    expect(voidedBy(result)).toEqual([]);
    expect(result.ledger.achievedPerSecond).toBeGreaterThan(0);
    expect(result.environment.timeline.published).toBeUndefined();
    expect(result.environment.gauges.map(({ name }) => name)).not.toContain('backlog');
  });
});
