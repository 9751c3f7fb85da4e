import { describe, expect, it } from 'vitest';
import { broadcastBooks, targetFlags } from '../../../test/latency.js';
import { shown } from '../../../test/live.js';
import { entry, held, jitterFlags, losesNothing, measure, place, subscribers } from '../../../test/runs/jitter.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('a target', () => {
  it('that drops one delivery in twenty and doubles one in twenty: lost while online, and duplicates', async () => {
    const { result, totals } = await held(['--drop=0.05', '--duplicate=0.05', '--seed=11']);
    const { expected, delivered, lost } = broadcastBooks(result);
    expect(totals.dropped).toBeGreaterThan(50);
    expect(totals.duplicated).toBeGreaterThan(50);
    // A delivery can be written in the very instant in which its client is dropped.
    const underWay = totals.delivered - delivered;
    expect(lost).toBe(expected - totals.owed + totals.gone + totals.dropped + underWay);
    expect(underWay).toBeGreaterThanOrEqual(0);
    // A delivery dropped in the instant in which its client is has no certain cause.
    expect(entry(result, 'lostOnline')).toBeLessThanOrEqual(totals.dropped);
    expect(entry(result, 'lostOnline')).toBeGreaterThanOrEqual(totals.dropped - entry(result, 'drops') * 0.2);
    expect(totals.duplicated - entry(result, 'duplicate')).toBeGreaterThanOrEqual(0);
    expect(totals.duplicated - entry(result, 'duplicate')).toBeLessThanOrEqual(entry(result, 'drops'));
    expect(result.metrics.delivery?.count).toBe(entry(result, 'live'));
  });

  it('of Socket.IO with recovery, by a close, over two shards, loses nothing', async () => {
    losesNothing(await measure(jitterFlags('--target', 'socketio-csr', '--drop', 'close'), 2));
  });

  it('that ends while its clients are away is gone, and they are counted by cause', () =>
    place.fleet.lend(1, async (env) => {
      const target = await place.serve('servers/ws/main.js');
      const driver = place.ringside(['run', 'jitter', '--watch', ...targetFlags(target), ...jitterFlags()], { ...env });
      await shown(driver, ({ figures }) => (figures.drops ?? 0) > 0);
      target.command.kill('SIGKILL');
      const ended = await driver.ended;
      const result = keptResult(ended);
      expect([ended.code, result.stop.code, result.verdict.rig]).toEqual([4, 'targetGone', 'void']);
      expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
      expect(result.ledger.notBack).toBe(subscribers);
    }));
});
