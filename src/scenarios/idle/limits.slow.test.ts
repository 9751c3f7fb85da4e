import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import { targetFlags } from '../../../test/latency.js';
import { started } from '../../../test/live.js';
import { canHaveOwnNetwork, inOwnNetwork, setPortRange } from '../../../test/namespace.js';
import { fewDescriptors } from '../../../test/runs/descriptors.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const ringside = `"${process.execPath}" "${built('src/cli/main.js')}"`;
const idleWs = (flags: string[]): string => `${ringside} run idle --target ws ${flags.join(' ')}`;

describe.runIf(process.platform === 'linux')('descriptors that run out all the same', () => {
  it('stop the run as ours; the probe finds one, and proves the part that was made', async () => {
    const [target, runner] = await Promise.all([place.serve('servers/metronome/main.js'), place.benchRunner()]);
    const flags = idleFlags(211, ['--ramp-rate', '23/s', '--shard', `http://127.0.0.1:${runner.port}`]);
    const driver = place.ringside(['run', 'idle', '--watch', ...targetFlags(target), ...flags]);
    await started(driver);
    const limited = spawnSync('prlimit', ['--pid', String(runner.command.pid), '--nofile=127:127']);
    expect(limited.status).toBe(0);
    const ended = await driver.ended;
    const result = heldResult(ended);
    expect(result.stop.code).toBe('descriptorsExhausted');
    const { opened, held, proven, failedByCause } = capacityBooks(result);
    expect(opened).toBeGreaterThan(0);
    expect([held, proven]).toEqual([opened, opened]);
    expect(failedByCause).toEqual({ 'descriptors-exhausted': 211 - opened });
    expect([ended.code, result.verdict.rig]).toEqual([4, 'void']);
  });
});

describe.runIf(process.platform === 'linux')('descriptors that are enough for each process', () => {
  it('are taken over', async () => {
    const result = heldResult(await fewDescriptors(place, 499).ended);
    expect(capacityBooks(result)).toMatchObject({ opened: 211, held: 211 });
  });
});

describe.runIf(canHaveOwnNetwork)('source ports (in a network of their own)', () => {
  it('of several addresses add up', async () => {
    const addresses = ['--local-address', '127.0.0.2-127.0.0.8'];
    const script = `${setPortRange(32_768, 32_798)} && exec ${idleWs(idleFlags(101, addresses))}`;
    const result = heldResult(await place.start('unshare', inOwnNetwork(script)).ended);
    expect(capacityBooks(result)).toMatchObject({ opened: 101, held: 101 });
  });

  it('that run out all the same stop the run as ours, with the part that was made', async () => {
    const flags = idleFlags(211, ['--ramp-rate', '23/s', '--local-address', '127.0.0.2']);
    const shrinkInRamp = [
      `{ ${idleWs(flags)} & }`,
      'driver=$!',
      // More connections than those of the driver are those of the ramp, both ends of each.
      `until [ "$(grep -c '^ *[0-9]*: [^ ]* [^ ]* 01 ' /proc/net/tcp)" -gt 22 ]; do sleep 0.03; done`,
      setPortRange(32_768, 32_798),
      'wait $driver',
    ].join('; ');
    const ended = await place.start('unshare', inOwnNetwork(shrinkInRamp)).ended;
    const result = heldResult(ended);
    expect(result.stop.code).toBe('portsExhausted');
    const { opened, held, failedByCause } = capacityBooks(result);
    expect(opened).toBeGreaterThan(0);
    expect(held).toBe(opened);
    expect(failedByCause).toEqual({ 'ports-exhausted': 211 - opened });
    expect([ended.code, result.verdict.rig]).toEqual([4, 'void']);
  });
});
