import { describe, expect, it } from 'vitest';
import { cpuSecondsOf, rssBytesOf } from './program.js';

describe.runIf(process.platform === 'linux')('the files of a process', () => {
  it('agree with the process itself', () => {
    expect(rssBytesOf(process.pid) / process.memoryUsage.rss()).toBeCloseTo(1, 1);
    expect(cpuSecondsOf(process.pid)).toBeGreaterThan(0);
  });

  it('are missing once it is gone', () => {
    for (const read of [rssBytesOf, cpuSecondsOf]) expect(() => read(2 ** 22 + 1)).toThrow('ENOENT');
  });
});
