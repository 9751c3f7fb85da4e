import { expect, it } from 'vitest';
import { z } from 'zod';
import { optionFlags } from './managed-server.js';

const schema = z.strictObject({
  holdMs: z.number().default(7).meta({ flag: 'hold', unit: 'duration', help: 'a' }),
  offset: z.number().default(0).meta({ flag: 'offset', help: 'b' }),
  kind: z.enum(['wire', 'library']).default('wire').meta({ flag: 'kind', help: 'c' }),
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'd' }),
  addresses: z.array(z.string()).default([]).meta({ flag: 'address', help: 'e' }),
  name: z.string().optional().meta({ flag: 'name', help: 'f' }),
});

it('writes each value behind its flag, in its unit', () => {
  const values = { holdMs: 1500, offset: -3, kind: 'library', isQuick: true, addresses: ['a', 'b'], name: undefined };
  expect(optionFlags(schema, values)).toEqual([
    '--hold=1.5s',
    '--offset=-3',
    '--kind=library',
    '--quick',
    '--address=a',
    '--address=b',
  ]);
  expect(optionFlags(schema, { isQuick: false, name: '-x' })).toEqual(['--no-quick', '--name=-x']);
});
