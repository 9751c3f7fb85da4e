import { describe, expect, it } from 'vitest';
import { asked, ended } from '../../test/runs/few-clients.js';

describe.concurrent('a run with fewer clients than loops', () => {
  it('of jitter, over three shards', async () => {
    const sizes = { clients: 2, broadcasts: 31, 'warm-up': 2, rate: '4/s', every: '4s', seed: 7 };
    const result = await ended('jitter', sizes, 3);
    expect(asked(result)).toEqual([
      ['complete', 1, 1],
      ['complete', 1, 1],
      ['complete', 0, 0],
    ]);
    // A shard does not know when another one sent a broadcast that none of its clients heard: it may blame the target.
    const { delivered = 0, lostOffline = 0, lostOnline = 0 } = result.ledger as Record<string, number>;
    const lost = lostOffline + lostOnline;
    expect(result.ledger).toMatchObject({ attempted: 31, acked: 31, expected: 62, lost, live: 62 - lost, notBack: 0 });
    expect([delivered, result.ledger.replayed]).toEqual([62 - lost, 0]);
  });

  it('of deploy, with three workers for two', async () => {
    const sizes = { clients: 2, workers: 3, broadcasts: 32, rate: '4/s', before: '1s', 'warm-up': 1 };
    const result = await ended('deploy', sizes);
    expect(asked(result)).toEqual([['complete', 2, 2]]);
    expect(result.ledger).toMatchObject({ attempted: 32, subscribers: 2, dropped: 2, notBack: 0 });
  });

  it('of avalanche, over three shards', async () => {
    const result = await ended('avalanche', { clients: 2 }, 3);
    expect(asked(result).map(([, clients]) => clients)).toEqual([1, 1, 0]);
    expect(result.ledger).toMatchObject({ opened: 2, cut: 2, notBack: 0 });
  });
});
