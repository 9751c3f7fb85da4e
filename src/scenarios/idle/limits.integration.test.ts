import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import type { Ended } from '../../../test/command.js';
import { targetFlags } from '../../../test/latency.js';
import { canHaveOwnNetwork, inOwnNetwork, setPortRange } from '../../../test/namespace.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const isLinux = process.platform === 'linux';
const ringside = `"${process.execPath}" "${built('src/cli/main.js')}"`;
const idleWs = (flags: string[]): string => `${ringside} run idle --target ws ${flags.join(' ')}`;

/** The refusal of a run before any load was made: its stderr. */
function refusal({ code, stdout, stderr }: Ended): string {
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).not.toContain('kept in');
  return stderr;
}

describe.runIf(isLinux).concurrent('what this machine can’t do is refused with the recipe', () => {
  it('more connections than a process can have descriptors', async () => {
    const shell = `ulimit -n 20000 && exec ${idleWs(idleFlags(100_003))}`;
    const said = refusal(await place.start('bash', ['-c', shell]).ended);
    expect(said).toMatch(/100003 clients need \d+ file descriptors, free are \d+ of 20000/);
    expect(said).toMatch(/the target: 100003 clients over 1 process\(es\) need \d+ file descriptors in each/);
    expect(said).toContain('--local-shards');
    expect(said).toContain('--target-processes');
    expect(said).toContain('ulimit -n');
  });

  it('the same over too few of each, and not over enough', async () => {
    const flags = idleFlags(211, ['--local-shards', '2', '--target-processes', '2']).join(' ');
    const run = (limit: number) =>
      place.start('bash', ['-c', `ulimit -n ${limit} && exec ${ringside} run idle --target uws ${flags}`]).ended;
    expect(refusal(await run(293))).toMatch(/106 clients need 370 file descriptors, free are \d+ of 293/);
    expect(capacityBooks(heldResult(await run(499)))).toMatchObject({ opened: 211, held: 211 });
  });
});

describe.runIf(isLinux)('descriptors that run out all the same', () => {
  it('stop the run as ours; the probe finds one, and proves the part that was made', async () => {
    const [target, runner] = await Promise.all([place.serve('servers/metronome/main.js'), place.benchRunner()]);
    const flags = idleFlags(211, ['--ramp-rate', '41/s', '--shard', `http://127.0.0.1:${runner.port}`]);
    const driver = place.ringside(['run', 'idle', ...targetFlags(target), ...flags]);
    await driver.said('stderr', / ramp .*started [1-9]/);
    const limited = spawnSync('prlimit', ['--pid', String(runner.command.pid), '--nofile=127:127']);
    expect(limited.status).toBe(0);
    const ended = await driver.ended;
    const result = heldResult(ended);
    expect(result.stop).toEqual({
      code: 'descriptorsExhausted',
      evidence: expect.arrayContaining([expect.stringMatching(/^211 asked, \d+ opened, \d+ held$/)]),
    });
    const { opened, held, proven, failedByCause } = capacityBooks(result);
    expect(opened).toBeGreaterThan(0);
    expect([held, proven]).toEqual([opened, opened]);
    expect(failedByCause).toEqual({ 'descriptors-exhausted': 211 - opened });
    expect([ended.code, result.verdict.rig]).toEqual([4, 'void']);
  });
});

describe.runIf(canHaveOwnNetwork).concurrent('source ports (in a network of their own)', () => {
  it('are counted before the run, which is refused with the recipe', async () => {
    const flags = idleFlags(101, ['--local-address', '127.0.0.2']);
    const script = `${setPortRange(32_768, 32_798)} && exec ${idleWs(flags)}`;
    const said = refusal(await place.start('unshare', inOwnNetwork(script)).ended);
    expect(said).toMatch(/101 clients need as many source ports; there are 31 \(31 × 1\)/);
    expect(said).toMatch(/--local-address.*ip_local_port_range/);
  });

  it('of several addresses add up', async () => {
    const addresses = ['--local-address', '127.0.0.2-127.0.0.8'];
    const script = `${setPortRange(32_768, 32_798)} && exec ${idleWs(idleFlags(101, addresses))}`;
    const result = heldResult(await place.start('unshare', inOwnNetwork(script)).ended);
    expect(capacityBooks(result)).toMatchObject({ opened: 101, held: 101 });
  });

  it('that run out all the same stop the run as ours, with the part that was made', async () => {
    const flags = idleFlags(211, ['--ramp-rate', '41/s', '--local-address', '127.0.0.2']);
    const shrinkInRamp = [
      `{ ${idleWs(flags)} 2> >(tee said >&2) & }`,
      'driver=$!',
      `until grep -qs ' ramp .*started [1-9]' said; do sleep 0.03; done`,
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
