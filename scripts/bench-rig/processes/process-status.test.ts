import { describe, expect, it } from 'vitest';
import { rssBytesOf, statusBytesIn } from './process-status.js';

const status =
  'Name:\tVmRSS: 7 kB\nVmPeak:\t  104729 kB\nVmHWM:\t    7919 kB\nVmRSS:\t    7907 kB\nRssAnon:\t    5003 kB\n';

describe('statusBytesIn', () => {
  it('reads the field that is asked for, in bytes', () => {
    expect(statusBytesIn(status, 'VmRSS')).toBe(7907 * 1024);
    expect(statusBytesIn(status, 'VmHWM')).toBe(7919 * 1024);
  });

  it.each(['', 'Name:\tnode\nState:\tZ (zombie)\n', 'VmRSS:\tmuch\n'])('throws on %j', (text) => {
    expect(() => statusBytesIn(text, 'VmRSS')).toThrow('VmRSS');
  });
});

describe.runIf(process.platform === 'linux')('rssBytesOf', () => {
  it('agrees with what a process says of itself', () => {
    expect(rssBytesOf(process.pid) / process.memoryUsage.rss()).toBeCloseTo(1, 1);
  });
});
