import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../testing/capacity.js';
import type { Command } from '../../testing/command.js';
import { recordOf } from '../../testing/known-truth.js';
import { targetFlags } from '../../testing/latency.js';
import { workplace } from '../../testing/workplace.js';

const place = workplace();
const metronome = 'servers/metronome/main.js';
const anycableGo = process.env.ANYCABLE_GO_BIN;

/** Runs idle against a target of ours. */
const ours = (target: string, flags: string[], env: Record<string, string | undefined> = {}): Command =>
  place.ringside(['run', 'idle', '--target', target, ...flags], env);

/** Runs idle against a target with walls of its own. */
async function walled(walls: string[], flags: string[], breaks: string[] = []) {
  const target = await place.serve(metronome, walls);
  const ended = await place.run(['run', 'idle', ...targetFlags(target), ...flags]);
  target.command.kill('SIGKILL');
  return { ended, result: heldResult(ended, breaks) };
}

const inHold = (driver: Command) => driver.said('stderr', / hold .*subscribers 101/);
const heldAll = (n: number) => ({ asked: n, opened: n, held: n, proven: n, lost: 0 });

describe.concurrent('connections that a target holds', () => {
  it('are all held and proven over two processes of uws and two shards, and the target was watched', async () => {
    const ended = await ours('uws', idleFlags(211, ['--target-processes', '2', '--local-shards', '2', '--json'])).ended;
    const result = heldResult(ended);
    expect(JSON.parse(ended.stdout)).toEqual(result);
    expect(capacityBooks(result)).toMatchObject({ ...heldAll(211), peak: 211, lostByCause: {}, failedByCause: {} });
    expect(result.stop).toEqual({ code: 'completed', evidence: [] });
    expect(result.verdict.rig).not.toBe('void');
    expect(result.metrics).toMatchObject({ connect: { count: 211 }, subscribe: { count: 211 } });
    expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([106, 105]);
    const { observations, footprint } = result.environment;
    const resident = observations.filter(({ source, name }) => source === 'proc' && name === 'rssBytes');
    expect(resident.length).toBeGreaterThanOrEqual(2);
    for (const { points } of resident) expect(points.length).toBeGreaterThanOrEqual(2);
    // A line needs three seconds of a ramp; one of less than half a second is that long on a machine that is held up alone.
    const ramped = (result.environment.timeline.opened ?? []).filter((opened) => opened > 0).length;
    if (ramped < 3) expect(footprint).toBeNull();
  });

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
  it('are lost by the code with which it closed them in the hold', async () => {
    const target = await place.serve(metronome);
    const driver = place.ringside(['run', 'idle', ...targetFlags(target), ...idleFlags(101, ['--hold', '7s'])]);
    await inHold(driver);
    await fetch(`http://127.0.0.1:${target.port}/_close?first=13&code=1001`, { method: 'POST' });
    const ended = await driver.ended;
    const result = heldResult(ended);
    expect(capacityBooks(result)).toMatchObject({
      asked: 101,
      opened: 101,
      held: 88,
      proven: 88,
      lostByCause: { 'close-code:1001': 13 },
    });
    expect(result.ledger).toMatchObject({
      lostInRampByCause: {},
      lostInHoldByCause: { 'close-code:1001': 13 },
      lostAtProbeByCause: {},
    });
    expect(ended.stdout).toMatch(/^lost +in the hold close-code:1001 × 13$/m);
    expect(result.stop).toEqual({
      code: 'connectionsLost',
      evidence: ['101 asked, 101 opened, 88 held', 'cut: close-code:1001 × 13'],
    });
    expect(result.shards).toMatchObject([{ state: 'complete' }]);
    expect(result.verdict.rig).not.toBe('void');
  });

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
    expect(result.verdict.rig).not.toBe('void');
    expect(ended.code).toBe(result.verdict.rig === 'clean' ? 0 : 4);
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

  it('get no answer, and the ramp ends by the stall before all were started', async () => {
    const { result } = await walled(
      ['--take=31', '--wall=mute'],
      idleFlags(101, ['--stall', '7s', '--max-pending', '7']),
    );
    expect(capacityBooks(result)).toMatchObject({
      ...heldAll(31),
      asked: 101,
      failedByCause: { 'connect-timeout': 7, 'not-started': 63 },
    });
    expect(result.stop.code).toBe('handshakeTimeouts');
  });

  it('are not held when the probe does not reach them: as many as the target says that it left out', async () => {
    const target = await place.serve(metronome, ['--drop=0.2', '--seed=7']);
    const flags = idleFlags(101, ['--probe-timeout', '5s']);
    const result = heldResult(await place.run(['run', 'idle', ...targetFlags(target), ...flags]));
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

  it('prove nothing when the target takes no probe', async () => {
    const { ended, result } = await walled(['--refuse-publish=1'], idleFlags(31, ['--probe-timeout', '5s']), [
      'no probe was acked: nothing is proven',
    ]);
    expect(capacityBooks(result)).toMatchObject({ opened: 31, held: 0, proven: 0, lostByCause: { unproven: 31 } });
    expect(result.verdict.rig).toBe('void');
    expect(ended.code).toBe(4);
  });
});

describe.runIf(process.platform === 'linux').concurrent('a hold that is ended', () => {
  const long = idleFlags(101, ['--hold', '1m', '--local-shards', '2']);

  it('by the end of the target’s process keeps what was seen until then', async () => {
    const driver = ours('ws', long);
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

  it('by the user keeps the books of the part that was made', async () => {
    const driver = ours('ws', long);
    await inHold(driver);
    driver.kill('SIGINT');
    const ended = await driver.ended;
    const result = heldResult(ended);
    expect([ended.code, result.stop.code, result.verdict.rig]).toEqual([130, 'interrupted', 'void']);
    expect(capacityBooks(result)).toMatchObject({
      asked: 101,
      opened: 101,
      held: 0,
      lostByCause: { unproven: 101 },
      failedByCause: {},
    });
    expect(driver.family()).toEqual([]);
  });

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
