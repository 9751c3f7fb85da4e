import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { interrupted, isTarget, midRun, pidOf, place, quits, start } from '../../test/runs/survival.js';
import { Switchboard } from '../../test/switchboard.js';
import { voidedBy } from '../../test/workplace.js';

describe.runIf(process.platform === 'linux')('what a run survives', { concurrent: true }, () => {
  it('its target freezes for a second: nothing is lost, and the intended latency shows it', async () => {
    const [broadcasts, perSecond, frozenMs] = [211, 50, 1000];
    const driver = start(latencyFlags(31, broadcasts));
    await driver.said('stderr', / publish /);
    await delay(503);
    const target = pidOf(driver, isTarget);
    process.kill(target, 'SIGSTOP');
    await delay(frozenMs + 7);
    process.kill(target, 'SIGCONT');
    const ended = await driver.ended;
    const { stop, ledger, metrics } = soundResult(ended);
    expect(stop.code).toBe('completed');
    expect(ledger).toMatchObject({ acked: broadcasts, delivered: 31 * broadcasts, lost: 0 });
    // The slowest twentieth, and one more, were due early in the freeze and waited for the rest of it.
    const slowest = Math.ceil(broadcasts / 20) + 1;
    const leastMs = frozenMs - (slowest * 1000) / perSecond;
    expect(metrics.deliveryFromIntended?.p95).toBeGreaterThanOrEqual(leastMs * 1000);
    expect(metrics.deliveryFromIntended?.max).toBeGreaterThanOrEqual((frozenMs - 1000 / perSecond) * 1000);
  });

  it('Ctrl-C in the ramp: the partial result is kept and nothing is left', () => interrupted('ramp'));

  it('a second Ctrl-C: what it started ends by itself', () => quits('a second Ctrl-C'));

  it('a bench-runner is restarted at its address: that shard is lost at once', async () => {
    const runners = await Promise.all([place.benchRunner(), place.benchRunner(), place.benchRunner()]);
    const [one, other, another] = runners;
    // Its successor runs already: one that took too long to start would rightly be lost by its silence.
    const board = await Switchboard.open(other.port);
    const { port } = board;
    const shards = [one, board].flatMap(({ port }) => ['--shard', `http://127.0.0.1:${port}`]);
    const driver = start([...latencyFlags(31, 997), ...shards]);
    await midRun(driver);
    board.turn(another.port);
    other.command.kill('SIGKILL');
    const ended = await driver.ended;
    board.close();
    expect(ended.code).toBe(5);
    const { stop, shards: parts } = soundResult(ended);
    expect(stop.code).toBe('shardLost');
    expect(parts).toMatchObject([
      { state: 'partial', result: { stop: { code: 'endedByDriver' } } },
      { state: 'lost', why: expect.stringContaining(`:${port}`), result: null },
    ]);
    // The driver does not end a shard that it did not start.
    expect(one.command.family()).toHaveLength(1);
  });

  it('Ctrl-C while deliveries are under way: they are awaited, and none counts as lost', async () => {
    const late = ['--target', 'metronome', '--target-option', 'delay=constant:2s'];
    const driver = place.ringside(['run', 'latency', '--watch', ...late, ...latencyFlags(7, 997)]);
    await midRun(driver);
    driver.kill('SIGINT');
    const ended = await driver.ended;
    const result = soundResult(ended);
    const { stop, ledger } = result;
    expect([ended.code, stop.code, voidedBy(result)]).toEqual([130, 'endedByUser', []]);
    expect(ledger.acked).toBeGreaterThan(0);
    expect(ledger).toMatchObject({ expected: 7 * Number(ledger.acked), lost: 0 });
  });

  it('SIGKILL of the driver: what it started ends by itself', () => quits('SIGKILL'));
});
