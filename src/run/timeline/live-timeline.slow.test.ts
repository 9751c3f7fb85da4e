import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { published } from '../../../test/live.js';
import { workplace } from '../../../test/workplace.js';
import type { GaugeName } from '../../results/progress.js';
import type { RunResult } from '../../results/result.js';

const place = workplace();

const gauge = ({ environment }: RunResult, name: GaugeName, shard: number) =>
  environment.gauges.find((each) => each.name === name && each.source === `shard ${shard}`);

/** What the rates of a shard add up to over the time of their points. */
function total(result: RunResult, name: GaugeName, shard: number): number {
  const { points } = gauge(result, name, shard) ?? { points: [] };
  return points.reduce((sum, { atMs, value }, n) => sum + (value * (atMs - (points[n - 1]?.atMs ?? atMs))) / 1000, 0);
}

describe.concurrent('the course of a run', () => {
  it('adds up over both shards, and has every sample in spans of the schedule', async () => {
    const [subscribers, broadcasts, warmUp] = [31, 151, 3];
    const flags = ['run', 'latency', '--target', 'ws', ...latencyFlags(subscribers, broadcasts, warmUp)];
    const result = soundResult(await place.measure(flags, 2));
    expect(result.ledger).toMatchObject({ delivered: subscribers * broadcasts, lost: 0 });
    const sent = [0, 1].map((shard) => total(result, 'publishesPerSecond', shard));
    const came = [0, 1].map((shard) => total(result, 'deliveriesPerSecond', shard));
    expect(sent.map((each) => Math.round(each))).toEqual([77, 77]);
    expect(came.map((each) => Math.round(each))).toEqual([16 * (broadcasts + warmUp), 15 * (broadcasts + warmUp)]);
    for (const shard of [0, 1]) {
      expect(gauge(result, 'open', shard)?.points.at(-1)?.value).toBe([16, 15][shard]);
      expect(gauge(result, 'backlog', shard)?.points.at(-1)?.value).toBe(0);
      for (const name of ['loopDelayMs', 'cpuCores', 'rssBytes'] as const) {
        expect(gauge(result, name, shard)?.points.length).toBeGreaterThan(1);
      }
      expect(gauge(result, 'open', shard)).not.toHaveProperty('endedBecause');
    }
    const { overTime, stages } = result.environment;
    expect(Object.keys(overTime).sort()).toEqual(['delivery', 'deliveryFromIntended', 'publishAck']);
    for (const [metric, spans] of Object.entries(overTime)) {
      expect(spans.reduce((sum, { count }) => sum + count, 0)).toBe(result.metrics[metric]?.count);
    }
    expect(stages.map(({ name }) => name)).toEqual(['ramp', 'publish', 'drain']);
    // 3 of warm-up and 151 measured ones at 50 per second.
    const publish = stages[1]?.fromMs ?? Number.NaN;
    expect((overTime.delivery?.[0]?.fromMs ?? 0) - publish).toBeCloseTo(60, 6);
    expect((overTime.delivery?.at(-1)?.toMs ?? 0) - publish).toBeCloseTo(3080, 6);
  });

  it.runIf(process.platform === 'linux')('ends for a shard that is killed; the other one is partial', async () => {
    const flags = ['--target', 'ws', '--watch', '--local-shards', '2', ...latencyFlags(31, 997)];
    const driver = place.ringside(['run', 'latency', ...flags]);
    // Three seconds of rates.
    await published(driver, 151);
    process.kill(driver.family(' bench-runner ')[0]?.pid ?? Number.NaN, 'SIGKILL');
    const ended = await driver.ended;
    const result = soundResult(ended);
    expect([ended.code, result.stop.code]).toEqual([5, 'shardLost']);
    expect(result.stop.evidence).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+: /)]);
    expect(result.shards.map(({ state }) => state).sort()).toEqual(['lost', 'partial']);
    const lost = result.shards.findIndex(({ state }) => state === 'lost');
    expect(result.shards[lost]).toMatchObject({ result: null, why: expect.stringMatching(/./) });
    expect(result.ledger.delivered).toBeGreaterThan(0);
    const [ends, goesOn] = [lost, 1 - lost].map((shard) => gauge(result, 'deliveriesPerSecond', shard));
    expect(ends?.endedBecause).toBe(result.shards[lost]?.why);
    expect(goesOn).not.toHaveProperty('endedBecause');
    expect(ends?.points.length).toBeGreaterThan(1);
    // The other one tells of its load to the end.
    const lastMs = (points: readonly { atMs: number }[] = []): number => points.at(-1)?.atMs ?? Number.NaN;
    expect(lastMs(ends?.points)).toBeLessThan(lastMs(goesOn?.points));
    // What the lost one told last is kept to the delivery.
    const told = total(result, 'deliveriesPerSecond', lost);
    expect(told).toBeCloseTo(Math.round(told), 6);
    const received = result.shards[1 - lost]?.result?.counts.received ?? Number.NaN;
    // Both get all broadcasts, and the other one for longer.
    expect(told / [16, 15][lost]!).toBeLessThanOrEqual(received / [15, 16][lost]!);
    expect(Math.round(total(result, 'deliveriesPerSecond', 1 - lost))).toBe(received);
    expect(driver.family()).toEqual([]);
  });
});
