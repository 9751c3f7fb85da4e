import { describe, expect, it } from 'vitest';
import { soundResult, targetFlags } from '../../../test/latency.js';
import { counting, faultless, flags, place } from '../../../test/runs/in-process.js';
import { voidedBy } from '../../../test/workplace.js';

describe.concurrent('broadcasts that a target publishes by itself', () => {
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

  it('are in the books, too, when it dies in the middle of a batch', async () => {
    const target = await place.serve('servers/ws/main.js');
    let batches = 0;
    const url = await counting(target.port, () => {
      if (++batches === 4) target.command.kill('SIGKILL');
    });
    const run = ['run', 'throughput', ...targetFlags(target), '--in-process-url', url, ...flags];
    const result = soundResult(await place.measure(run));
    expect(result.stop.code).toBe('targetGone');
    const { acked = 0, failed = 0, refused = 0 } = result.ledger as Record<string, number>;
    // Three batches at most were answered, the 3 of the warm-up in them; the fourth was handed over.
    expect(acked).toBeLessThanOrEqual(3 * 66 - 3);
    expect(failed + refused).toBeGreaterThanOrEqual(66);
  });
});
