import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import { anycableGo, heldAll, ours, walled } from '../../../test/runs/idle.js';
import { exitOf, voidedBy } from '../../../test/workplace.js';

describe.concurrent('connections that a target holds', () => {
  it('have a footprint when the ramp is long enough to see it', async () => {
    const ended = await ours('ws', idleFlags(1009, ['--ramp-rate', '211/s'])).ended;
    const result = heldResult(ended);
    expect(capacityBooks(result)).toMatchObject(heldAll(1009));
    const { footprint } = result.environment;
    expect(footprint?.points).toBeGreaterThanOrEqual(3);
    // A connection of ws costs some kilobytes; what a noisy machine adds is far from the bounds.
    expect(footprint?.bytesPerConnection).toBeGreaterThan(500);
    expect(footprint?.bytesPerConnection).toBeLessThan(200_000);
    expect(footprint?.errorBytes).toBeGreaterThan(0);
    expect(ended.stdout).toMatch(/per connection/);
  });

  it('are held by socketio, by its real library, too', async () => {
    for (const client of ['wire', 'library']) {
      const result = heldResult(await ours('socketio', idleFlags(53, ['--client', client])).ended);
      expect(capacityBooks(result)).toMatchObject(heldAll(53));
    }
  });

  it.runIf(anycableGo !== undefined)('are held by anycable for longer than its pings are apart', async () => {
    const env = { ANYCABLE_GO_BIN: anycableGo };
    const result = heldResult(await ours('anycable', idleFlags(101, ['--hold', '4s']), env).ended);
    expect(capacityBooks(result)).toMatchObject(heldAll(101));
  });
});

describe.concurrent('connections that a target does not hold', () => {
  it('are refused beyond its limit, which is the finding', async () => {
    const { ended, result } = await walled(['--take=89'], idleFlags(101));
    expect(capacityBooks(result)).toMatchObject({
      ...heldAll(89),
      asked: 101,
      failedByCause: { 'http-status:503': 12 },
    });
    expect(result.stop).toEqual({
      code: 'refused',
      evidence: ['101 asked, 89 opened, 89 held', 'not opened: http-status:503 × 12'],
    });
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
    expect(result.stop).toMatchObject({
      code: 'handshakeTimeouts',
      evidence: expect.arrayContaining(['not opened: connect-timeout × 12']),
    });
  });
});

describe.runIf(process.platform === 'linux').concurrent('a hold that is ended', () => {
  it('in its ramp by the user blames nobody for what was not there yet', async () => {
    const driver = ours('ws', idleFlags(101, ['--ramp-rate', '11/s']));
    await driver.said('stderr', / ramp .*subscribers [1-9]/);
    driver.kill('SIGINT');
    const result = heldResult(await driver.ended);
    expect(result.stop.code).toBe('interrupted');
    const { opened, failedByCause } = capacityBooks(result);
    expect(opened).toBeGreaterThan(0);
    expect(failedByCause['not-started']).toBeGreaterThan(0);
    expect(Object.keys(failedByCause).filter((cause) => cause !== 'not-started' && cause !== 'ours')).toEqual([]);
  });
});
