import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readFlags, usageOf } from './flags.js';

const schema = z.strictObject({
  name: z.string().default('uws').meta({ flag: 'name', placeholder: 'name', help: 'a name' }),
  total: z.number().int().min(1).default(10_000).meta({ flag: 'total', unit: 'count', help: 'a count' }),
  only: z.array(z.string()).default([]).meta({ flag: 'only', placeholder: 'bench', help: 'several' }),
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'a switch' }),
});

describe('readFlags', () => {
  it('takes the defaults of the schema, and units as users write them', () => {
    expect(readFlags(schema, [])).toEqual({ name: 'uws', total: 10_000, only: [], isQuick: false });
    const args = ['--name', 'ws', '--total=7k', '--only', 'a', '--only', 'b', '--quick'];
    expect(readFlags(schema, args)).toEqual({ name: 'ws', total: 7000, only: ['a', 'b'], isQuick: true });
  });

  it('reports every mistake at once', () => {
    const more = schema.extend({ rest: schema.shape.total.meta({ flag: 'rest', unit: 'count', help: 'a count' }) });
    const read = () => readFlags(more, ['--total', 'many', '--rest', '0']);
    expect(read).toThrow(TypeError);
    expect(read).toThrow(/^--total: .*"many"\n--rest: .*"0"$/);
  });

  it.each([[['--loops', '7']], [['7']], [['--name']]])('refuses %j', (args) => {
    expect(() => readFlags(schema, args)).toThrow(TypeError);
  });
});

it('names every flag with its default', () => {
  expect(usageOf('x', schema)).toBe('x [--name uws] [--total 10k] [--only bench] [--quick]');
});
