import { describe, expect, it } from 'vitest';
import { asked, ended } from '../../test/runs/few-clients.js';

describe.concurrent('a run with fewer clients than loops', () => {
  it('of latency over more shards than subscribers: one publishes all the same', async () => {
    const sizes = { clients: 1, broadcasts: 11, 'warm-up': 2, rate: '20/s' };
    const result = await ended('latency', sizes, 2);
    expect(asked(result)).toEqual([
      ['complete', 1, 1],
      ['complete', 0, 0],
    ]);
    expect(result.ledger).toMatchObject({ attempted: 11, acked: 11, expected: 11, delivered: 11, lost: 0 });
    // The first two of thirteen are warm-up, and the shard without subscribers times none.
    expect(result.metrics.delivery?.count).toBe(6);
    expect(result.metrics.publishAck?.count).toBe(11);
  });

  it('of whisper, over three shards', async () => {
    const result = await ended('whisper', { clients: 2, rate: '10/s', duration: '1s' }, 3);
    expect(asked(result).map(([, clients]) => clients)).toEqual([1, 1, 0]);
    expect(result.ledger).toMatchObject({ sent: 20, unsent: 0, expected: 20, delivered: 20, lost: 0 });
  });
});
