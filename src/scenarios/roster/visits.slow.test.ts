import { describe, expect, it } from 'vitest';
import { broadcastBooks } from '../../../test/latency.js';
import { metronome, visited } from '../../../test/runs/visits.js';

describe.concurrent('visitors', () => {
  it('of a target that delivers late lose nothing by leaving, over two shards', async () => {
    const result = await visited('latency', await metronome(['--delay=constant:120ms']), 2);
    expect(broadcastBooks(result)).toMatchObject({ acked: 57, lost: 0 });
    expect(result.ledger).toMatchObject({ duplicate: 0, outOfOrder: 0, late: 0 });
    expect(result.metrics.delivery?.min).toBeGreaterThanOrEqual(120_000);
  });

  it('of a target that drops lose their share of it', async () => {
    const { expected, lost } = broadcastBooks(await visited('latency', await metronome(['--drop=0.2', '--seed=7'])));
    expect(lost).toBeGreaterThan(expected * 0.1);
    expect(lost).toBeLessThan(expected * 0.3);
  });
});
