import { expect, it } from 'vitest';
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
} from './proc-files.js';

/** A `stat` line with the command name given; 523 and 131 ticks of CPU, begun at tick 437727. */
const stat = (name: string, state = 'S'): string =>
  `17939 (${name}) ${state} 17702 17702 15102 0 -1 4194304 100 0 0 0 523 131 7 11 20 0 13 0 437727 3133440 412\n`;

it.each(['node', 'my server', 'a) R 1 2 3', '(((', ') )', ''])('reads a stat behind the command name "%s"', (name) =>
  expect(parseStat(stat(name))).toEqual({ state: 'S', cpuMs: 6540, startTicks: 437727 }),
);

it('tells the dead', () => expect(parseStat(stat('node', 'Z')).state).toBe('Z'));

const limits = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax processes       ` +
  `      96365                96365                processes \nMax open files            ${soft.padEnd(21)}` +
  `1048576              files     \n`;
const rollup = '555fc30b9000-7fff179ce000 ---p 00000000 00:00 0   [rollup]\nRss:      1692 kB\nPss:       239 kB\n';
const netstat =
  'TcpExt: SyncookiesSent ListenOverflows\nTcpExt: 5 31\nIpExt: InNoRoutes ListenOverflows\nIpExt: 0 41\n';

const switches = 'voluntary_ctxt_switches:\t1709\nnonvoluntary_ctxt_switches:\t23\n';
const switched = { voluntarySwitches: 1709, involuntarySwitches: 23 };

it.each<[string, (text: string) => unknown, string, unknown]>([
  ['a thread', parseStatus, `VmRSS:\t   61441 kB\n${switches}`, { rssBytes: 61441 * 1024, ...switched }],
  ['a thread of a process at its end', parseStatus, switches, { rssBytes: undefined, ...switched }],
  ['children', parseChildren, '17 23 4194301 ', [17, 23, 4194301]],
  ['no children', parseChildren, '', []],
  ['proportional memory, and none of its parts', parsePss, `${rollup}Pss_Dirty: 112 kB\nSwapPss: 7 kB\n`, 239 * 1024],
  ['a soft limit of files', parseDescriptorLimit, limits('19997'), 19997],
  ['no limit', parseDescriptorLimit, limits('unlimited'), Number.POSITIVE_INFINITY],
  ['memory that is left', parseMemAvailable, 'MemFree:  23415864 kB\nMemAvailable:   23634299 kB\n', 23634299 * 1024],
  ['overflows, by their name', parseListenOverflows, netstat, 31],
  ['times of a thread', parseThreadTimes, '1009000000 211000000 307\n', { cpuUs: 1_009_000, waitUs: 211_000 }],
  ['cores', parseAllowedCores, 'Cpus_allowed:\tb\nCpus_allowed_list:\t0-1,3\n', new Set(['cpu0', 'cpu1', 'cpu3'])],
])('reads %s', (_what, parse, text, value) => expect(parse(text)).toEqual(value));

it.each<[string, (text: string) => unknown, string[]]>([
  ['stat', parseStat, ['', 'nonsense', '17939 (node) S 1 2 3']],
  ['smaps_rollup', parsePss, ['SwapPss: 7 kB\n']],
  ['limits', parseDescriptorLimit, ['Max processes 7 7\n']],
  ['meminfo', parseMemAvailable, ['MemTotal: 7 kB\n']],
  ['netstat', parseListenOverflows, ['', 'TcpExt: SyncookiesSent\nTcpExt: 5\n']],
  ['schedstat', parseThreadTimes, ['']],
  ['status', parseAllowedCores, ['Name:\tnode\n']],
])('refuses an unknown %s', (file, parse, texts) => {
  for (const text of texts) expect(() => parse(text)).toThrow(`${file} has an unknown form`);
});
