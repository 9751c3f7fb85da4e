import { describe, expect, it } from 'vitest';
import { FakeProc, type FakeProcess } from '../../../test/doubles/fake-proc.js';
import { CoreWaitWatch } from './core-waits.js';
import {
  parseAllowedCores,
  parseChildren,
  parseDescriptorLimit,
  parseListenOverflows,
  parseMemAvailable,
  parsePss,
  parseStat,
  parseStatus,
  parseThreadTimes,
} from './proc/files.js';

/** Threads that ran and waited so long, in milliseconds. */
const threads = (times: Record<string, [ranMs: number, waitedMs: number]>, children = ''): FakeProcess => ({
  threads: Object.fromEntries(
    Object.entries(times).map(([tid, [ranMs, waitedMs]]) => [
      tid,
      { ticks: 0, ranNs: ranMs * 1e6, waitedNs: waitedMs * 1e6, children },
    ]),
  ),
});

/** A watch of process 7 in a fake `/proc`, on a clock of its own; `busy` are ticks of the two cores. */
function watched(first: FakeProcess) {
  const files = new FakeProc();
  let nowUs = 1000;
  const watch = new CoreWaitWatch(7, 0, files, () => nowUs);
  const at = (ms: number, process: FakeProcess | undefined, busy: [number, number] = [0, 0]): void => {
    nowUs = ms * 1000;
    if (process === undefined) files.processes.delete(7);
    else files.processes.set(7, process);
    files.others.set('/proc/7/status', 'Cpus_allowed_list:\t0-1\n');
    files.others.set('/proc/stat', busy.map((ticks, core) => `cpu${core} ${ticks} 0 0 0 0 0 0 3`).join('\n'));
  };
  at(1, first);
  return { files, watch: watch.start(), at };
}

it('sums what all threads ran and waited, new ones from their beginning, and keeps what ended ones did', () => {
  const { files, watch, at } = watched(threads({ 7: [100, 10] }));
  at(26, threads({ 7: [120, 17], 8: [3, 2] }));
  watch.look();
  at(51, threads({ 7: [130, 19] }));
  const { waitUs, cpuUs, beganUs } = watch.stop()!;
  expect(waitUs).toEqual([10_000, 19_000, 21_000]);
  expect(cpuUs).toEqual([100_000, 123_000, 133_000]);
  expect(beganUs).toEqual([1000, 26_000, 51_000]);
  expect(files.opened.size).toBe(0);
});

it('reads the cores that the target may use twice a second, and at the end', () => {
  const { watch, at } = watched(threads({ 7: [0, 0] }));
  at(26, threads({ 7: [10, 0] }), [11, 13]);
  watch.look();
  at(501, threads({ 7: [200, 50] }), [31, 41]);
  watch.look();
  at(526, threads({ 7: [210, 57] }), [33, 42]);
  const { cores } = watch.stop()!;
  expect(cores.map(({ atUs, busyUs, waitUs }) => [atUs, busyUs, waitUs])).toEqual([
    [1000, 0, 0],
    [501_000, 720_000, 50_000],
    [526_000, 750_000, 57_000],
  ]);
  expect(cores[1]).toMatchObject({ cores: ['cpu0', 'cpu1'], stolenUs: 60_000, cpuUs: 200_000 });
});

it('also reads children, and the process that a restart brought', () => {
  const { files, watch, at } = watched(threads({ 7: [0, 5] }, '9'));
  files.processes.set(9, threads({ 9: [0, 11] }));
  at(501, threads({ 7: [0, 5] }, '9'));
  watch.look();
  files.processes.set(17, threads({ 17: [0, 23] }));
  files.others.set('/proc/17/status', 'Cpus_allowed_list:\t1\n');
  watch.addProcess(17);
  at(526, undefined);
  expect(watch.stop()!.waitUs).toEqual([5000, 16_000, 39_000]);
});

it('knows nothing where the kernel does not count waits, or something can’t be read', () => {
  const { watch, at } = watched({ threads: { 7: { ticks: 0 } } });
  at(501, { threads: { 7: { ticks: 0 } } });
  expect(watch.stop()).toBeUndefined();
  const other = watched(threads({ 7: [0, 0] }));
  other.files.forbidden.add('/proc/stat');
  other.at(501, threads({ 7: [0, 0] }));
  other.watch.look();
  expect(other.watch.stop()).toBeUndefined();
  expect(other.files.opened.size).toBe(0);
});

/** A `stat` line with the command name given; 523 and 131 ticks of CPU, begun at tick 437727. */
const stat = (name: string, state = 'S'): string =>
  `17939 (${name}) ${state} 17702 17702 15102 0 -1 4194304 100 0 0 0 523 131 7 11 20 0 13 0 437727 3133` +
  `440 412 18446744073709551615 0 0 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0\n`;

describe('stat', () => {
  it.each(['node', 'my server', 'a) R 1 2 3', '(((', ') )', ''])('is read behind the command name "%s"', (name) =>
    expect(parseStat(stat(name))).toEqual({ state: 'S', cpuMs: 6540, startTicks: 437727 }),
  );

  it('tells the dead', () => expect(parseStat(stat('node', 'Z')).state).toBe('Z'));

  it.each(['', 'nonsense', '17939 (node) S 1 2 3'])('is refused when it is "%s"', (text) =>
    expect(() => parseStat(text)).toThrow(/^stat\b/),
  );
});

const status = (rss: string): string =>
  `Name:\tnode\nState:\tS (sleeping)\nVmPeak:\t  999999 kB\n${rss}Threads:\t11\nvoluntary_ctxt_switches` +
  `:\t1709\nnonvoluntary_ctxt_switches:\t23\n`;

describe('status', () => {
  it('has memory of the process and switches of the thread', () =>
    expect(parseStatus(status('VmRSS:\t   61441 kB\n'))).toEqual({
      rssBytes: 61441 * 1024,
      voluntarySwitches: 1709,
      involuntarySwitches: 23,
    }));

  it('has no memory when the process gave it back at its end', () =>
    expect(parseStatus(status('')).rssBytes).toBeUndefined());

  it('is refused without switches', () => expect(() => parseStatus('Name:\tnode\n')).toThrow(/^status\b/));
});

it('reads children, none included', () => {
  expect(parseChildren('17 23 4194301 ')).toEqual([17, 23, 4194301]);
  expect(parseChildren('')).toEqual([]);
});

it('reads the proportional set size, and none of its parts for it', () => {
  const text =
    '555fc30b9000-7fff179ce000 ---p 00000000 00:00 0   [rollup]\nRss:      1692 kB\nPss:       239 kB\nPs' +
    's_Dirty: 112 kB\nSwapPss: 7 kB\n';
  expect(parsePss(text)).toBe(239 * 1024);
  expect(() => parsePss('SwapPss: 7 kB\n')).toThrow(/^smaps_rollup\b/);
});

it('reads the soft limit of open files', () => {
  const limits = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units     \nMax processes       ` +
    `      96365                96365                processes \nMax open files            ${soft.padEnd(21)}` +
    `1048576              files     \n`;
  expect(parseDescriptorLimit(limits('19997'))).toBe(19997);
  expect(parseDescriptorLimit(limits('unlimited'))).toBe(Number.POSITIVE_INFINITY);
  expect(() => parseDescriptorLimit('Max processes 7 7\n')).toThrow(/^limits\b/);
});

it('reads the memory that is left', () => {
  expect(parseMemAvailable('MemTotal:  24684092 kB\nMemFree:  23415864 kB\nMemAvailable:   23634299 kB\n')).toBe(
    23634299 * 1024,
  );
  expect(() => parseMemAvailable('MemTotal: 7 kB\n')).toThrow(/^meminfo\b/);
});

it('reads overflows of accept queues by their name', () => {
  const netstat =
    'TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 5 31 37\nIpExt: InNoRoutes ListenOverflo' +
    'ws\nIpExt: 0 41\n';
  expect(parseListenOverflows(netstat)).toBe(31);
  expect(() => parseListenOverflows('TcpExt: SyncookiesSent\nTcpExt: 5\n')).toThrow(/^netstat\b/);
  expect(() => parseListenOverflows('')).toThrow(/^netstat\b/);
});

it('reads how long a thread ran and waited for a core', () => {
  expect(parseThreadTimes('1009000000 211000000 307\n')).toEqual({ cpuUs: 1_009_000, waitUs: 211_000 });
  expect(() => parseThreadTimes('')).toThrow('schedstat has an unknown form');
});

it('reads which cores a process may use', () => {
  expect(parseAllowedCores('Name:\tnode\nCpus_allowed:\tb\nCpus_allowed_list:\t0-1,3\n')).toEqual(
    new Set(['cpu0', 'cpu1', 'cpu3']),
  );
  expect(() => parseAllowedCores('Name:\tnode\n')).toThrow('status has an unknown form');
});
