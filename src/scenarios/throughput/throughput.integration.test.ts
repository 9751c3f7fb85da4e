import { describe, expect, it } from 'vitest';
import { metronomeRecord } from '../../targets/metronome/record.js';
import { soundResult, targetFlags } from '../../testing/latency.js';
import { workplace } from '../../testing/workplace.js';

const place = workplace();
const warmUp = 3;

function flags(sizes: Record<string, string | number>): string[] {
  const given = { subscribers: 23, broadcasts: 101, rate: '200/s', 'ramp-rate': '500/s', drain: '10s', ...sizes };
  return Object.entries({ 'warm-up': warmUp, ...given }).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
}

const run = async (target: string[], sizes: Record<string, string | number> = {}) =>
  soundResult(await place.run(['run', 'throughput', ...target, ...flags(sizes)]));

const faultless = { duplicate: 0, outOfOrder: 0, late: 0, lost: 0, refused: 0, failed: 0 };
const sum = (seconds: readonly number[] = []): number => seconds.reduce((total, each) => total + each, 0);

describe.concurrent('broadcasts that a target takes', () => {
  it.each(['ws', 'uws', 'socketio'])('%s: all reach all, over two shards with two workers each', async (target) => {
    const result = await run(['--target', target], { 'local-shards': 2, workers: 2 });
    expect(result.ledger).toMatchObject({ ...faultless, attempted: 101, acked: 101, delivered: 101 * 23 });
    expect(result.stop).toEqual({ code: 'completed', evidence: [] });
    const { timeline } = result.environment;
    // Warm-up is in the seconds, and in no book.
    expect([sum(timeline.due), sum(timeline.published)]).toEqual([101 + warmUp, 101 + warmUp]);
    expect(sum(timeline.received)).toBe((101 + warmUp) * 23);
    expect(result.metrics.drain?.count).toBe(4);
    expect(result.ledger.offeredPerSecond).toBeCloseTo(200, 0);
    expect(result.ledger.achievedPerSecond).toBeGreaterThan(0);
    expect(result.ledger.deliveriesPerSecond).toBeGreaterThan(0);
  });

  it.each(['ws', 'uws', 'metronome'])('%s: all that clients say reach all, over two shards', async (target) => {
    const result = await run(['--target', target], { 'local-shards': 2, publish: 'clients', publishers: 3 });
    expect(result.ledger).toMatchObject({ ...faultless, attempted: 101, acked: 101, delivered: 101 * 23 });
    expect(result.metrics.publishAck?.count).toBe(0);
  });

  it('are refused where clients are to say them, and the protocol has no word for it', async () => {
    const ended = await place.run(['run', 'throughput', '--target', 'anycable', '--publish', 'clients']);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('"broadcast"') });
  });

  it('by their duration are as many as the rate makes', async () => {
    const args = ['--subscribers', '7', '--rate', '97/s', '--duration', '1s', '--ramp-rate', '500/s'];
    const result = soundResult(await place.run(['run', 'throughput', '--target', 'ws', ...args]));
    expect(result.ledger).toMatchObject({ attempted: 97, expected: 97 * 7, delivered: 97 * 7 });
  });
});

describe.concurrent('broadcasts that a target of known truth spoils', () => {
  it.each([1, 2])('are lost, doubled and refused as it says itself: %i shard(s)', async (shards) => {
    const orders = ['--drop=0.03', '--duplicate=0.05', '--refuse-publish=0.07', '--seed=7'];
    const target = await place.serve('servers/metronome/main.js', orders);
    const result = await run(targetFlags(target), { 'local-shards': shards });
    const answer = await fetch(`http://127.0.0.1:${target.port}/_record?from=${warmUp}`);
    const { totals } = metronomeRecord.parse(await answer.json());
    expect(totals.dropped * totals.duplicated * totals.refusedPublishes).toBeGreaterThan(0);
    expect(result.ledger).toMatchObject({
      attempted: 101,
      acked: totals.broadcasts,
      refused: totals.refusedPublishes,
      expected: totals.owed,
      delivered: totals.delivered,
      lost: totals.dropped,
      duplicate: totals.duplicated,
      late: 0,
    });
    expect(totals.owed).toBe(totals.broadcasts * 23);
  });

  it('pile up by its delay, and drain after it', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--delay=constant:1503ms']);
    const sizes = { subscribers: 7, broadcasts: 100, rate: '50/s', 'warm-up': 0 };
    const { ledger, metrics, environment } = await run(targetFlags(target), sizes);
    expect(ledger).toMatchObject({ ...faultless, delivered: 700 });
    expect(metrics.delivery?.min).toBeGreaterThanOrEqual(1_503_000);
    expect(metrics.drain?.max).toBeGreaterThanOrEqual(1_503_000);
    // Three quarters of the deliveries are under way at once, and a third at the end of whichever second.
    expect(ledger.backlogPeak).toBeGreaterThanOrEqual(233);
    expect(ledger.backlogPeak).toBeLessThanOrEqual(700);
    expect(sum(environment.timeline.received)).toBe(700);
  });
});
