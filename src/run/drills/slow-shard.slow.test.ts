import { describe, expect, it } from 'vitest';
import { ControlGroup } from '../../../test/control-group.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, Network } from '../../../test/network.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const canLimit = canDrill('one slow shard of five', { 'a cpu cgroup of version 1': ControlGroup.isThere('cpu') });

describe.runIf(canLimit)('one shard of five that has a twentieth of a core', () => {
  it('is named, and what its bracket leaves open is marked; the counts stand', async () => {
    const net = await Network.open(place, 5);
    const names = ['s1', 's2', 's3', 's4', 's5'];
    const [{ flags }, ...runners] = await Promise.all([net.target(), ...names.map((name) => net.shard(name))]);
    const group = new ControlGroup('cpu', { 'cpu.cfs_quota_us': '5000' });
    group.take(runners[2]?.pid ?? 0);
    const driver = net.drive(['run', 'latency', ...latencyFlags(53, 211), '--rate', '20/s', ...flags], names);
    const result = soundResult(await driver.ended);
    for (const runner of runners) runner.kill('SIGKILL');
    await Promise.all(runners.map(({ ended }) => ended));
    group.remove();
    expect(result.shards.map(({ state }) => state)).toEqual(names.map(() => 'complete'));
    expect(result.ledger.lost).toBe(0);
    const behind = (result.verdict.doubts ?? []).filter(({ rule }) => rule === 'shard-behind');
    expect(behind.map(({ metric }) => metric)).toContain('delivery');
    for (const { text } of behind) expect(text).toContain('shard 2 ');
  });
});
