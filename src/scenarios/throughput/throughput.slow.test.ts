import { describe, expect, it } from 'vitest';
import { targetFlags } from '../../../test/latency.js';
import { faultless, place, run, sum, warmUp } from '../../../test/runs/throughput.js';

describe.concurrent('broadcasts that a target takes', () => {
  it.each(['ws', 'uws', 'socketio'])('%s: all reach all, over two shards with two workers each', async (target) => {
    const result = await run(['--target', target], { workers: 2 }, 2);
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
    const result = await run(['--target', target], { publish: 'clients', publishers: 3 }, 2);
    expect(result.ledger).toMatchObject({ ...faultless, attempted: 101, acked: 101, delivered: 101 * 23 });
    expect(result.metrics.publishAck?.count).toBe(0);
  });
});

describe.concurrent('broadcasts that a target of known truth spoils', () => {
  it('pile up by its delay, and drain after it', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--delay=constant:1503ms']);
    const sizes = { clients: 7, broadcasts: 100, rate: '50/s', 'warm-up': 0 };
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
