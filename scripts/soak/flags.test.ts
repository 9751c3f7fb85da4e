import { describe, expect, it } from 'vitest';
import { readSoakFlags } from './flags.js';

describe('readSoakFlags', () => {
  it('holds 5,000 connections for 10 minutes unless told otherwise', () => {
    expect(readSoakFlags([])).toEqual({ minutes: 10, connections: 5000 });
    expect(readSoakFlags(['--minutes', '7', '--connections=701'])).toEqual({ minutes: 7, connections: 701 });
  });

  it('says all that is wrong at once', () => {
    expect(() => readSoakFlags(['--minutes', '0', '--connections', '5k'])).toThrow(
      /^--minutes: expected .*, received 0\n--connections: expected .*, received 5k$/,
    );
  });

  it.each([[['--hours', '1']], [['7']], [['--minutes']]])('refuses %j', (args) => {
    expect(() => readSoakFlags(args)).toThrow(TypeError);
  });
});
