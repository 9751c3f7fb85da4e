import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import { targetFlags } from '../../../test/latency.js';
import { heldAll, inHold, managed, measured, metronome, place } from '../../../test/runs/idle.js';
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
});

describe.runIf(process.platform === 'linux').concurrent('a hold that is ended', () => {
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
