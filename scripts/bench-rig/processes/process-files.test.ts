import { describe, expect, it } from 'vitest';
import { cpuSecondsIn, rssBytesOf, statusBytesIn } from './process-files.js';

const rest = 'S 1 2 2 0 -1 4194304 5000 0 0 0 131 17 900 800 20 0 11 0 33 1000 200';

describe('cpuSecondsIn', () => {
  it('adds user and system time without the children', () => {
    expect(cpuSecondsIn(`4711 (node) ${rest}`)).toBe(1.48);
  });

  it('allows any program name', () => {
    expect(cpuSecondsIn(`4711 (a b) 7 (c) ${rest}`)).toBe(1.48);
  });

  it.each(['', '4711 (node) S 1 2', `4711 (node) ${rest.replace('131', '-')}`])('throws on %j', (text) => {
    expect(() => cpuSecondsIn(text)).toThrow('/proc/PID/stat');
  });
});

const status =
  'Name:\tVmRSS: 7 kB\nVmPeak:\t  104729 kB\nVmHWM:\t    7919 kB\nVmRSS:\t    7907 kB\nRssAnon:\t    5003 kB\n';

describe('statusBytesIn', () => {
  it('reads one field, in bytes', () => {
    expect(statusBytesIn(status, 'VmRSS')).toBe(7907 * 1024);
    expect(statusBytesIn(status, 'VmHWM')).toBe(7919 * 1024);
  });

  it.each(['', 'Name:\tnode\nState:\tZ (zombie)\n', 'VmRSS:\tmuch\n'])('throws on %j', (text) => {
    expect(() => statusBytesIn(text, 'VmRSS')).toThrow('VmRSS');
  });
});

describe.runIf(process.platform === 'linux')('rssBytesOf', () => {
  it('agrees with the process itself', () => {
    expect(rssBytesOf(process.pid) / process.memoryUsage.rss()).toBeCloseTo(1, 1);
  });
});
