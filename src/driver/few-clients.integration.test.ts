import { describe, expect, it } from 'vitest';
import type { RunResult } from '../contract/result.js';
import { keptResult, workplace } from '../testing/workplace.js';

const place = workplace();

/** A run that went to its end with numbers that stand for something; each worker that there was had a client. */
async function ended(scenario: string, sizes: Record<string, string | number>): Promise<RunResult> {
  const flags = Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const command = await place.run(['run', scenario, '--target', 'ws', ...flags]);
  expect([0, 4]).toContain(command.code);
  const result = keptResult(command);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  // A machine with other things to do may take its time.
  const voids = result.verdict.evidence.filter(({ level, rule }) => level === 'void' && rule !== 'elapsed-overrun');
  expect(voids).toEqual([]);
  return result;
}

const asked = ({ shards }: RunResult) =>
  shards.map(({ state, result }) => [state, result?.counts.asked ?? 0, result?.workers]);

describe.concurrent('a run with fewer clients than loops', () => {
  it('of latency over more shards than subscribers: one publishes all the same', async () => {
    const sizes = { subscribers: 1, 'local-shards': 2, broadcasts: 11, 'warm-up': 2, rate: '20/s' };
    const result = await ended('latency', sizes);
    expect(asked(result)).toEqual([
      ['complete', 1, 1],
      ['complete', 0, 0],
    ]);
    expect(result.ledger).toMatchObject({ attempted: 11, acked: 11, expected: 11, delivered: 11, lost: 0 });
    // Of thirteen broadcasts the first two are warm-up, and those of the shard without subscribers are not timed.
    expect(result.metrics.delivery?.count).toBe(6);
    expect(result.metrics.publishAck?.count).toBe(11);
  });

  it('of jitter, over three shards', async () => {
    const sizes = {
      subscribers: 2,
      'local-shards': 3,
      broadcasts: 31,
      'warm-up': 2,
      rate: '4/s',
      every: '4s',
      seed: 7,
    };
    const result = await ended('jitter', sizes);
    expect(asked(result)).toEqual([
      ['complete', 1, 1],
      ['complete', 1, 1],
      ['complete', 0, 0],
    ]);
    const { live = 0, replayed, delivered, lostOffline = 0, lostOnline } = result.ledger as Record<string, number>;
    expect([delivered, live + lostOffline, replayed, lostOnline]).toEqual([live, 62, 0, 0]);
    expect(result.ledger).toMatchObject({ attempted: 31, acked: 31, expected: 62, lost: lostOffline, notBack: 0 });
  });

  it('of deploy, with three workers for two', async () => {
    const sizes = { subscribers: 2, workers: 3, broadcasts: 32, rate: '4/s', before: '1s', 'warm-up': 1 };
    const result = await ended('deploy', sizes);
    expect(asked(result)).toEqual([['complete', 2, 2]]);
    expect(result.ledger).toMatchObject({ attempted: 32, subscribers: 2, dropped: 2, notBack: 0 });
  });

  it('of whisper, over three shards', async () => {
    const result = await ended('whisper', { clients: 2, 'local-shards': 3, rate: '10/s', duration: '1s' });
    expect(asked(result).map(([, clients]) => clients)).toEqual([1, 1, 0]);
    expect(result.ledger).toMatchObject({ sent: 20, unsent: 0, expected: 20, delivered: 20, lost: 0 });
  });

  it('of avalanche, over three shards', async () => {
    const result = await ended('avalanche', { subscribers: 2, 'local-shards': 3 });
    expect(asked(result).map(([, clients]) => clients)).toEqual([1, 1, 0]);
    expect(result.ledger).toMatchObject({ opened: 2, cut: 2, notBack: 0 });
  });
});
