import { describe, expect, it } from 'vitest';
import { readFlags, usageOf } from './flags.js';
import { lyingRigOptions } from './rigs.js';

describe('readFlags', () => {
  it('takes the defaults of the schema, and units as users write them', () => {
    expect(readFlags(lyingRigOptions, [])).toEqual({ target: 'uws', subscribers: 10_000, broadcasts: 20 });
    expect(readFlags(lyingRigOptions, ['--target', 'ws', '--subscribers=7k', '--broadcasts', '13'])).toEqual({
      target: 'ws',
      subscribers: 7000,
      broadcasts: 13,
    });
  });

  it('says all that is wrong at once', () => {
    expect(() => readFlags(lyingRigOptions, ['--subscribers', 'many', '--broadcasts', '0'])).toThrow(
      /^--subscribers: expected .+, received "many"\n--broadcasts: expected at least 1, received "0"$/,
    );
  });

  it.each([[['--loops', '7']], [['7']], [['--target']]])('refuses %j', (args) => {
    expect(() => readFlags(lyingRigOptions, args)).toThrow(TypeError);
  });
});

describe('usageOf', () => {
  it('names every flag with its default', () => {
    expect(usageOf('lying-rig', lyingRigOptions)).toBe(
      'lying-rig [--target uws] [--subscribers 10k] [--broadcasts 20]',
    );
  });
});
