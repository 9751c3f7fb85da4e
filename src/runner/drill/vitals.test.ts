import { expect, it } from 'vitest';
import { readCpuQuota } from './vitals.js';

const of = (files: Record<string, string>) =>
  readCpuQuota({ text: (path) => files[path], inode: (path) => path.length });

it('the CPU quota of a process is the tightest of its control group and of those above', () => {
  const files = {
    '/proc/self/cgroup': '0::/fleet/shard\n',
    '/sys/fs/cgroup/fleet/shard/cpu.max': 'max 100000\n',
    '/sys/fs/cgroup/fleet/cpu.max': '150000 100000\n',
    '/sys/fs/cgroup/fleet/cpu.stat': 'usage_usec 7919\nnr_throttled 3\nthrottled_usec 211000\n',
  };
  expect(of(files)).toEqual({ cores: 1.5, group: String('/sys/fs/cgroup/fleet'.length), throttledMs: 211 });
  expect(of({ ...files, '/sys/fs/cgroup/fleet/shard/cpu.max': '20000 100000\n' })).toEqual({
    cores: 0.2,
    group: String('/sys/fs/cgroup/fleet/shard'.length),
    throttledMs: null,
  });
});

it('is read from version 1, at the root where a container sees no other folder', () => {
  const quota = {
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '70000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.stat': 'nr_periods 7\nnr_throttled 3\nthrottled_time 307000000\n',
  };
  const groups = '7:memory:/docker/49ac5d31\n3:cpu,cpuacct:/docker/49ac5d31\n0::/\n';
  expect(of({ '/proc/self/cgroup': groups, ...quota })).toMatchObject({ cores: 0.7, throttledMs: 307 });
});

it('is none where there is no limit or no such file', () => {
  const none = { cores: null, group: null, throttledMs: null };
  expect(of({})).toEqual(none);
  expect(of({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' })).toEqual(none);
  const unlimited = {
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  };
  expect(of({ '/proc/self/cgroup': '1:cpu:/\n', ...unlimited })).toEqual(none);
});
