import { describe, expect, it, vi } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { eventually, isShard, isTarget, midRun, pidOf, place, start } from '../../test/runs/survival.js';
import { Switchboard } from '../../test/switchboard.js';

describe.runIf(process.platform === 'linux')('what a run survives', { concurrent: true }, () => {
  it('its target is killed', async () => {
    const driver = start(latencyFlags(31, 997));
    await midRun(driver);
    process.kill(pidOf(driver, isTarget), 'SIGKILL');
    const ended = await driver.ended;
    expect(ended.code).toBe(4);
    const { stop, ledger, shards, verdict } = soundResult(ended);
    expect(stop).toEqual({ code: 'targetGone', evidence: expect.arrayContaining([expect.any(String)]) });
    expect(shards).toMatchObject([{ state: 'partial' }]);
    expect(ledger.delivered).toBeGreaterThan(0);
    expect(verdict.rig).toBe('void');
    expect(driver.family()).toEqual([]);
  });

  it('one of its own bench-runners is killed: what the other measured is kept as partial', async () => {
    const driver = start([...latencyFlags(31, 997), '--local-shards', '2']);
    await midRun(driver);
    process.kill(pidOf(driver, isShard), 'SIGKILL');
    const ended = await driver.ended;
    expect(ended.code).toBe(5);
    const { stop, ledger, shards } = soundResult(ended);
    expect(stop).toEqual({ code: 'shardLost', evidence: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+: /)] });
    expect(shards.map(({ state }) => state).sort()).toEqual(['lost', 'partial']);
    expect(shards.find(({ state }) => state === 'lost')).toMatchObject({
      result: null,
      why: expect.stringMatching(/./),
    });
    expect(ledger.delivered).toBeGreaterThan(0);
    expect(driver.family()).toEqual([]);
  });

  it('a bench-runner is restarted at its address: that shard is lost at once', async () => {
    const runners = await Promise.all([place.benchRunner(), place.benchRunner(), place.benchRunner()]);
    const [one, other, another] = runners;
    // Its successor runs already: one that took too long to start would rightly be lost by its silence.
    const board = await Switchboard.open(other.port);
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
      { state: 'partial', why: 'ended by the driver', result: { stop: { code: 'endedByDriver' } } },
      { state: 'lost', why: expect.stringMatching(/^another process answers at .* restarted$/), result: null },
    ]);
    // The shard that was brought is not the driver's to end.
    expect(one.command.family()).toHaveLength(1);
  });

  it.for([
    ['the ramp', ['--ramp-rate', '11/s'], / ramp .*started [1-9]/],
    ['the publishing', [], /publish .*published [1-9]/],
  ] as const)('Ctrl-C in %s: the partial result is kept and nothing is left', async ([, flags, there]) => {
    const driver = start([...latencyFlags(101, 997), ...flags]);
    await driver.said('stderr', there);
    expect(driver.family(isTarget)).toHaveLength(1);
    driver.kill('SIGINT');
    const ended = await driver.ended;
    expect(ended.code).toBe(130);
    const { stop, shards, verdict } = soundResult(ended);
    expect(stop).toEqual({ code: 'interrupted', evidence: ['ended by the user'] });
    expect(shards).toMatchObject([{ state: 'partial' }]);
    expect(verdict.rig).toBe('void');
    expect(ended.stdout).toContain('VOID');
    expect(driver.family()).toEqual([]);
  });

  it.each(['SIGKILL', 'a second Ctrl-C'])('%s of the driver: what it started ends by itself', async (end) => {
    const driver = start([...latencyFlags(31, 997), '--local-shards', '2']);
    await driver.said('stderr', / publish /);
    expect(driver.family()).toHaveLength(4);
    if (end === 'SIGKILL') driver.kill('SIGKILL');
    else {
      driver.kill('SIGINT');
      await driver.said('stderr', /once more to quit/);
      driver.kill('SIGINT');
    }
    await vi.waitFor(() => expect(driver.family()).toEqual([]), eventually);
    expect(await driver.ended).toMatchObject(end === 'SIGKILL' ? { signal: 'SIGKILL' } : { code: 130 });
  });
});
