import { describe, expect, it } from 'vitest';
import { ControlGroup } from '../../../test/control-group.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { canDrill, Network } from '../../../test/network.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const canLimit = canDrill('one slow shard of five', { 'a cpu cgroup of version 1': ControlGroup.isThere('cpu') });

/** All shards have equal work. If each took over a fifth of a core, two would hardly carry them, target and driver. */
const slow = {
  'has a twentieth of a core': { quotaUs: 5000, isShared: false },
  'shares a fifth of a core with a program that never rests': { quotaUs: 20_000, isShared: true },
};

describe.runIf(canLimit)('one shard of five', () => {
  it.each(Object.entries(slow))(
    'that %s is named and marked; the counts stand',
    async (_what, { quotaUs, isShared }) => {
      const net = await Network.open(place, 5);
      const names = ['s1', 's2', 's3', 's4', 's5'];
      const [{ flags }, ...runners] = await Promise.all([net.target(), ...names.map((name) => net.shard(name))]);
      const group = new ControlGroup('cpu', { 'cpu.cfs_quota_us': String(quotaUs) });
      const beside = isShared ? [place.start(process.execPath, ['-e', 'for (;;);'])] : [];
      for (const each of [...runners.slice(2, 3), ...beside]) group.take(each.pid);
      const driver = net.drive(['run', 'latency', ...latencyFlags(53, 211), '--rate', '20/s', ...flags], names);
      const result = soundResult(await driver.ended);
      const all = [...runners, ...beside];
      for (const each of all) each.kill('SIGKILL');
      await Promise.all(all.map(({ ended }) => ended));
      group.remove();
      expect(result.shards.map(({ state }) => state)).toEqual(names.map(() => 'complete'));
      expect(result.ledger.lost).toBe(0);
      const behind = (result.verdict.bounds ?? []).filter(({ rule }) => rule === 'shard-behind');
      expect(behind.map(({ metric }) => metric)).toContain('delivery');
      for (const { text } of behind) expect(text).toContain('shard 2 ');
    },
  );
});
