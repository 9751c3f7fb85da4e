import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import { recordOf } from '../../../test/known-truth.js';
import { targetFlags } from '../../../test/latency.js';
import { heldAll, inHold, managed, measured, metronome, place, walled } from '../../../test/runs/idle.js';
import { voidedBy } from '../../../test/workplace.js';

describe.concurrent('connections that a target holds', () => {
  it('are all held and proven over two processes of uws and two shards, and the target was watched', async () => {
    const ended = await measured('uws', idleFlags(211, ['--target-processes', '2', '--json']), 2);
    const result = heldResult(ended);
    expect(JSON.parse(ended.stdout)).toEqual(result);
    expect(capacityBooks(result)).toMatchObject({ ...heldAll(211), peak: 211, lostByCause: {}, failedByCause: {} });
    expect(result.stop).toEqual({ code: 'completed', evidence: [] });
    expect(voidedBy(result)).toEqual([]);
    expect(result.metrics).toMatchObject({ connect: { count: 211 }, subscribe: { count: 211 } });
    expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([106, 105]);
    const { observations, footprint } = result.environment;
    const resident = observations.filter(({ source, name }) => source === 'proc' && name === 'rssBytes');
    expect(resident.length).toBeGreaterThanOrEqual(2);
    for (const { points } of resident) expect(points.length).toBeGreaterThanOrEqual(2);
    // A line needs three seconds of a ramp, which this one takes only on a machine that is held up.
    const ramped = (result.environment.timeline.opened ?? []).filter((opened) => opened > 0).length;
    if (ramped < 3) expect(footprint).toBeNull();
  });
});

describe.concurrent('connections that a target does not hold', () => {
  it('are lost by the code with which it closed them in the hold', () =>
    place.fleet.lend(1, async (env) => {
      const target = await place.serve(metronome);
      const flags = [...targetFlags(target), ...idleFlags(101, ['--duration', '7s'])];
      const driver = place.ringside(['run', 'idle', '--watch', ...flags], { ...env });
      await inHold(driver);
      await fetch(`http://127.0.0.1:${target.port}/_close?first=13&code=1001`, { method: 'POST' });
      const result = heldResult(await driver.ended);
      const lostByCause = { 'close-code:1001': 13 };
      expect(capacityBooks(result)).toMatchObject({ asked: 101, opened: 101, held: 88, proven: 88, lostByCause });
      expect(result.ledger).toMatchObject({
        ...{ lostInRampByCause: {}, lostInHoldByCause: lostByCause, lostAtProbeByCause: {} },
      });
      expect(result.stop.code).toBe('connectionsLost');
      expect(result.stop.evidence.join()).toContain('close-code:1001 × 13');
      expect(result.shards).toMatchObject([{ state: 'complete' }]);
      expect(voidedBy(result)).toEqual([]);
    }));

  it('are not held when the probe does not reach them: as many as the target says that it left out', async () => {
    const target = await place.serve(metronome, ['--drop=0.2', '--seed=7']);
    const flags = idleFlags(101, ['--probe-timeout', '5s']);
    const result = heldResult(await place.measure(['run', 'idle', ...targetFlags(target), ...flags]));
    const { totals } = await recordOf(target);
    expect(totals).toMatchObject({ broadcasts: 1, owed: 101 });
    expect(totals.dropped).toBeGreaterThan(0);
    expect(capacityBooks(result)).toMatchObject({
      ...{ asked: 101, opened: 101, held: totals.delivered, proven: totals.delivered, lost: totals.dropped },
      lostByCause: { unproven: totals.dropped },
    });
    expect(result.ledger).toMatchObject({ lostInHoldByCause: {}, lostAtProbeByCause: { unproven: totals.dropped } });
    expect(result.stop.code).toBe('connectionsLost');
  });

  it('are none when the probe reaches nobody: the run failed', async () => {
    const { ended, result } = await walled(['--drop=1'], idleFlags(31, ['--probe-timeout', '1s']));
    expect(capacityBooks(result)).toMatchObject({ opened: 31, held: 0, proven: 0, lostByCause: { unproven: 31 } });
    expect(result.stop.code).toBe('connectionsLost');
    expect(result.verdict.evidence.map(({ rule }) => rule)).toEqual(['nothing-delivered']);
    expect(ended.code).toBe(4);
  });

  it('prove nothing when the target takes no probe', async () => {
    const { ended, result } = await walled(['--refuse-publish=1'], idleFlags(31, ['--probe-timeout', '5s']), 1);
    expect(capacityBooks(result)).toMatchObject({ opened: 31, held: 0, proven: 0, lostByCause: { unproven: 31 } });
    expect(result.verdict.rig).toBe('void');
    expect(ended.code).toBe(4);
  });
});

describe.runIf(process.platform === 'linux').concurrent('a hold that is ended', () => {
  const long = idleFlags(101, ['--duration', '1m', '--local-shards', '2']);

  it('by the end of the target’s process keeps what was seen until then', async () => {
    const driver = managed('ws', long);
    await inHold(driver);
    const target = driver.family('servers/ws/main.js').at(-1);
    process.kill(target?.pid ?? 0, 'SIGKILL');
    const ended = await driver.ended;
    const result = heldResult(ended);
    expect([ended.code, result.stop.code, result.verdict.rig]).toEqual([4, 'targetGone', 'void']);
    expect(result.shards).toMatchObject([{ state: 'partial' }, { state: 'partial' }]);
    const { opened, held, lost } = capacityBooks(result);
    expect([opened, held, lost]).toEqual([101, 0, 101]);
    expect(driver.family()).toEqual([]);
  });

  it('by the user still proves what is held', () =>
    place.fleet.lend(2, async (env) => {
      const driver = managed('ws', idleFlags(101, ['--duration', '1m']), { ...env });
      await inHold(driver);
      driver.kill('SIGINT');
      const ended = await driver.ended;
      const result = heldResult(ended);
      expect([ended.code, result.stop.code, voidedBy(result)]).toEqual([130, 'endedByUser', []]);
      expect(capacityBooks(result)).toMatchObject({ ...heldAll(101), lostByCause: {}, failedByCause: {} });
      expect(driver.family()).toEqual([]);
    }));
});
