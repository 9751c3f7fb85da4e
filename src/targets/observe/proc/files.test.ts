import { describe, expect, it } from 'vitest';
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
} from './files.js';

/** A `stat` line with the command name given; 523 and 131 ticks of CPU, begun at tick 437727. */
const stat = (name: string, state = 'S'): string =>
  `17939 (${name}) ${state} 17702 17702 15102 0 -1 4194304 100 0 0 0 523 131 7 11 20 0 13 0 437727 3133` +
  `440 412 18446744073709551615 0 0 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0\n`;

describe('stat', () => {
  it.each(['node', 'my server', 'a) R 1 2 3', '(((', ') )', ''])('is read behind the command name "%s"', (name) => {
    expect(parseStat(stat(name))).toEqual({ state: 'S', cpuMs: 6540, startTicks: 437727 });
  });

  it('tells the dead', () => expect(parseStat(stat('node', 'Z')).state).toBe('Z'));

  it.each(['', 'nonsense', '17939 (node) S 1 2 3'])('is refused when it is "%s"', (text) => {
    expect(() => parseStat(text)).toThrow(/^stat\b/);
  });
});

const status = (rss: string): string =>
  `Name:\tnode\nState:\tS (sleeping)\nVmPeak:\t  999999 kB\n${rss}Threads:\t11\nvoluntary_ctxt_switches` +
  `:\t1709\nnonvoluntary_ctxt_switches:\t23\n`;

describe('status', () => {
  it('has memory of the process and switches of the thread', () => {
    expect(parseStatus(status('VmRSS:\t   61441 kB\n'))).toEqual({
      rssBytes: 61441 * 1024,
      voluntarySwitches: 1709,
      involuntarySwitches: 23,
    });
  });

  it('has no memory when the process gave it back at its end', () => {
    expect(parseStatus(status('')).rssBytes).toBeUndefined();
  });

  it('is refused without switches', () => {
    expect(() => parseStatus('Name:\tnode\n')).toThrow(/^status\b/);
  });
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
