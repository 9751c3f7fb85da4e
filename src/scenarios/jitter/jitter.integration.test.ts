import { describe, expect, it } from 'vitest';
import { broadcastBooks, targetFlags } from '../../../test/latency.js';
import { entry, held, jitterFlags, losesNothing, measure, place, subscribers } from '../../../test/runs/jitter.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('a target', () => {
  it('that drops one delivery in twenty and doubles another: lost while online, and duplicates', async () => {
    const { result, totals } = await held(['--drop=0.05', '--duplicate=0.05', '--seed=11']);
    const { expected, delivered, lost } = broadcastBooks(result);
    expect(totals.dropped).toBeGreaterThan(50);
    expect(totals.duplicated).toBeGreaterThan(50);
    // A delivery can be written in the very instant in which its client is dropped.
    const underWay = totals.delivered - delivered;
    expect(lost).toBe(expected - totals.owed + totals.gone + totals.dropped + underWay);
    expect(underWay).toBeGreaterThanOrEqual(0);
    // Of those that were dropped in the very instant in which the client was nobody can say why they did not arrive.
    expect(entry(result, 'lostOnline')).toBeLessThanOrEqual(totals.dropped);
    expect(entry(result, 'lostOnline')).toBeGreaterThanOrEqual(totals.dropped - entry(result, 'drops') * 0.2);
    expect(totals.duplicated - entry(result, 'duplicate')).toBeGreaterThanOrEqual(0);
    expect(totals.duplicated - entry(result, 'duplicate')).toBeLessThanOrEqual(entry(result, 'drops'));
    expect(result.metrics.delivery?.count).toBe(entry(result, 'live'));
  });

  it('of Socket.IO with recovery, by a close, over two shards, loses nothing', async () => {
    losesNothing(await measure(jitterFlags('--target', 'socketio-csr', '--drop', 'close', '--local-shards', '2')));
  });
});

it('a target that ends while its clients are away is gone, and they are counted by cause', async () => {
  const target = await place.serve('servers/ws/main.js');
  const driver = place.ringside(['run', 'jitter', ...targetFlags(target), ...jitterFlags()]);
  await driver.said('stderr', /drops [1-9]/);
  target.command.kill('SIGKILL');
  const ended = await driver.ended;
  const result = keptResult(ended);
  expect(ended.code).toBe(4);
  expect(result.stop.code).toBe('targetGone');
  expect(result.stop.evidence.join()).toContain('no client of a worker could come back any more');
  expect(result.verdict.rig).toBe('void');
  expect(result.verdict.evidence.map(({ rule }) => rule)).not.toContain('ledger-broken');
  expect(result.ledger.notBack).toBe(subscribers);
});
