import { describe, expect, it } from 'vitest';
import { cpuSecondsIn } from './process-stat.js';

const rest = 'S 1 2 2 0 -1 4194304 5000 0 0 0 131 17 900 800 20 0 11 0 33 1000 200';

describe('cpuSecondsIn', () => {
  it('adds user and system time, and nothing of the children', () => {
    expect(cpuSecondsIn(`4711 (node) ${rest}`)).toBe(1.48);
  });

  it('is not led astray by the name of the program', () => {
    expect(cpuSecondsIn(`4711 (a b) 7 (c) ${rest}`)).toBe(1.48);
  });

  it.each(['', '4711 (node) S 1 2', `4711 (node) ${rest.replace('131', '-')}`])('throws on %j', (text) => {
    expect(() => cpuSecondsIn(text)).toThrow('/proc/PID/stat');
  });
});
