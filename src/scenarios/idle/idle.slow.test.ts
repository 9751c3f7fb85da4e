import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import { recordOf } from '../../../test/known-truth.js';
import { targetFlags } from '../../../test/latency.js';
import { subscribed } from '../../../test/live.js';
import { anycableGo, heldAll, inHold, managed, measured, metronome, place, walled } from '../../../test/runs/idle.js';
import { exitOf, voidedBy } from '../../../test/workplace.js';

describe.concurrent('connections that a target holds', () => {
  it('have a footprint when the ramp is long enough to see it', async () => {
    const ended = await measured('ws', idleFlags(1009, ['--ramp-rate', '211/s']));
    const result = heldResult(ended);
    expect(capacityBooks(result)).toMatchObject(heldAll(1009));
    const { footprint } = result.environment;
    expect(footprint?.points).toBeGreaterThanOrEqual(3);
    // A connection of ws costs some kilobytes.
    expect(footprint?.bytesPerConnection).toBeGreaterThan(500);
    expect(footprint?.bytesPerConnection).toBeLessThan(200_000);
    expect(footprint?.errorBytes).toBeGreaterThan(0);
  });

  it('are held by as many processes as a million connections need, over several bench-runners', async () => {
    const flags = idleFlags(5407, ['--ramp-rate', '1009/s', '--target-processes', '54', '--local-shards', '7']);
    const driver = managed('uws', flags);
    const result = heldResult(await driver.ended);
    expect(capacityBooks(result)).toMatchObject(heldAll(5407));
    expect(result.target.settings).toMatchObject({ processes: 54 });
    expect(result.shards).toHaveLength(7);
    expect(driver.family()).toEqual([]);
  });

  it('are held by socketio, by its real library, too', async () => {
    for (const client of ['wire', 'library']) {
      const result = heldResult(await measured('socketio', idleFlags(53, ['--client', client])));
      expect(capacityBooks(result)).toMatchObject(heldAll(53));
    }
  });

  it.runIf(anycableGo !== undefined)('are held by anycable for longer than its pings are apart', async () => {
    const env = { ANYCABLE_GO_BIN: anycableGo };
    const result = heldResult(await measured('anycable', idleFlags(101, ['--duration', '4s']), 1, env));
    expect(capacityBooks(result)).toMatchObject(heldAll(101));
  });
});

describe.concurrent('connections that a target does not hold', () => {
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

  it('are refused beyond its limit, which is the finding', async () => {
    const { ended, result } = await walled(['--take=89'], idleFlags(101));
    expect(capacityBooks(result)).toMatchObject({
      ...heldAll(89),
      asked: 101,
      failedByCause: { 'http-status:503': 12 },
    });
    expect(result.stop.code).toBe('refused');
    expect(result.stop.evidence.join()).toContain('http-status:503 × 12');
    expect(voidedBy(result)).toEqual([]);
    expect(ended.code).toBe(exitOf(result));
  });

  it('get no answer to their upgrade', async () => {
    const { result } = await walled(['--take=89', '--wall=mute'], idleFlags(101, ['--connect-timeout', '7s']));
    expect(capacityBooks(result)).toMatchObject({
      ...heldAll(89),
      asked: 101,
      failedByCause: { 'connect-timeout': 12 },
    });
    expect(result.stop.code).toBe('handshakeTimeouts');
    expect(result.stop.evidence.join()).toContain('connect-timeout × 12');
  });
});

describe.runIf(process.platform === 'linux').concurrent('a hold that is ended', () => {
  it('by the end of the target’s process keeps what was seen until then', async () => {
    const driver = managed('ws', idleFlags(101, ['--duration', '1m', '--local-shards', '2']));
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

  it('in its ramp by the user blames nobody for what was not there yet', async () => {
    const driver = managed('ws', idleFlags(101, ['--ramp-rate', '11/s']));
    await subscribed(driver, 'ramp', 1);
    driver.kill('SIGINT');
    const result = heldResult(await driver.ended);
    expect(result.stop.code).toBe('endedByUser');
    const { opened, held, failedByCause } = capacityBooks(result);
    expect(opened).toBeGreaterThan(0);
    expect(held).toBe(opened);
    expect(failedByCause['not-started']).toBeGreaterThan(0);
    expect(Object.keys(failedByCause).filter((cause) => cause !== 'not-started' && cause !== 'ours')).toEqual([]);
  });
});
