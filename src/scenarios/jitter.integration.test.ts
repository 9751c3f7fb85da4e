import { describe, expect, it } from 'vitest';
import { broadcastBooks } from '../../test/latency.js';
import { entry, held } from '../../test/runs/jitter.js';

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
});
