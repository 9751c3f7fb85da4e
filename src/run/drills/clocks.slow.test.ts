import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, Network } from '../../../test/network.js';
import { exitOf, workplace } from '../../../test/workplace.js';

const place = workplace();
const pattern = process.env.TEST_FAKETIME ?? '/usr/lib/*/faketime/libfaketimeMT.so.1';
const library = spawnSync('sh', ['-c', `ls ${pattern}`], { encoding: 'utf8' }).stdout.split('\n')[0] ?? '';
const isThere = canDrill('clocks that differ and step', { 'libfaketime (apt-get install faketime)': library !== '' });

describe.runIf(isThere)('wall clocks', () => {
  it('that are minutes apart, and one that steps during the run, change no figure and no time shown', async () => {
    const net = await Network.open(place, 2);
    const wallClock = join(place.folder, 'wall-clock');
    writeFileSync(wallClock, '-7m');
    const faked = { LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' };
    const [{ flags }] = await Promise.all([
      net.target(),
      net.shard('s1', [], { ...faked, FAKETIME: '+5m' }),
      net.shard('s2', [], { ...faked, FAKETIME_TIMESTAMP_FILE: wallClock }),
    ]);
    const driver = net.drive(['run', 'latency', ...latencyFlags(31, 499), ...flags], ['s1', 's2']);
    await driver.said('stderr', / publish /);
    await delay(3000);
    writeFileSync(wallClock, '+11m');
    await delay(2000);
    writeFileSync(wallClock, '-3m');
    const ended = await driver.ended;
    const result = soundResult(ended);
    const { stop, ledger, metrics, environment } = result;
    expect([ended.code, stop.code]).toEqual([exitOf(result), 'completed']);
    expect(ledger).toMatchObject({ acked: 499, delivered: 31 * 499, lost: 0 });
    // A clock that stepped by minutes would show in a maximum.
    for (const name of ['delivery', 'deliveryFromIntended', 'publishAck', 'connect'])
      expect([name, metrics[name]?.max]).toEqual([
        name,
        expect.toSatisfy((us) => us >= 0 && us < environment.elapsedMs * 1000),
      ]);
    const times = [
      ...environment.stages.flatMap(({ fromMs, toMs }) => [fromMs, toMs]),
      ...environment.gauges.flatMap(({ points }) => points.map(({ atMs }) => atMs)),
    ];
    expect(times.length).toBeGreaterThan(10);
    // Each shard counts from the arrival of its job, so its times are right to within a request, and not minutes off.
    const minuteMs = 60_000;
    for (const atMs of times) {
      expect(atMs).toBeGreaterThanOrEqual(0);
      expect(atMs).toBeLessThanOrEqual(environment.loadAtMs + environment.elapsedMs + minuteMs);
    }
    expect(Math.abs(Date.parse(result.startedAt) - Date.now())).toBeLessThan(120_000);
  });
});
