import { expect, it } from 'vitest';
import { z } from 'zod';
import { everyKind } from '../../test/doubles/option-schema.js';
import { optionsOf, withoutSecretValues } from './option.js';

it('projects each kind of field', () => {
  expect(optionsOf(everyKind)).toEqual([
    {
      key: 'rampRate',
      flag: 'ramp-rate',
      env: 'RINGSIDE_RAMP_RATE',
      kind: 'number',
      unit: 'rate',
      placeholder: 'rate',
      help: 'clients per second',
      defaultText: '7/s',
      isSecret: false,
    },
    {
      key: 'client',
      flag: 'client',
      env: 'RINGSIDE_CLIENT',
      kind: 'choice',
      placeholder: 'wire|library',
      help: 'kind of client',
      defaultText: 'wire',
      choices: ['wire', 'library'],
      isSecret: false,
    },
    expect.objectContaining({ key: 'hasProbe', kind: 'boolean', placeholder: '', defaultText: 'true' }),
    expect.objectContaining({ key: 'isQuick', kind: 'boolean', defaultText: 'false' }),
    expect.objectContaining({ key: 'addresses', kind: 'list', placeholder: 'ip', defaultText: 'a,b' }),
    {
      key: 'token',
      flag: 'token',
      env: 'RINGSIDE_TOKEN',
      kind: 'string',
      placeholder: 'text',
      help: 'secret',
      isSecret: true,
    },
    {
      key: 'name',
      flag: 'name',
      env: 'RINGSIDE_NAME',
      kind: 'string',
      placeholder: 'text',
      help: 'its name',
      isSecret: false,
    },
  ]);
});

it.each([
  ['no flag', z.string().meta({ help: 'x' })],
  ['no help', z.string().meta({ flag: 'x' })],
  ['no metadata', z.string().default('y')],
  ['a kind no flag can carry', z.record(z.string(), z.string()).meta({ flag: 'x', help: 'x' })],
  ['a list of numbers', z.array(z.number()).meta({ flag: 'x', help: 'x' })],
  ['a unit on text', z.string().meta({ flag: 'x', help: 'x', unit: 'rate' })],
  ['an unknown unit', z.number().meta({ flag: 'x', help: 'x', unit: 'parsec' })],
])('throws on a field with %s', (_, field) => {
  expect(() => optionsOf(z.strictObject({ first: field }))).toThrow(/option first/);
});

it('throws on two fields with one flag', () => {
  const field = z.string().meta({ flag: 'x', help: 'x' });
  expect(() => optionsOf(z.strictObject({ first: field, second: field }))).toThrow(/second.*--x.*first/);
});

it('shows that a secret was given, and not which', () => {
  expect(withoutSecretValues(everyKind, { token: 'hush', name: 'a' })).toEqual({ token: '(hidden)', name: 'a' });
  expect(withoutSecretValues(everyKind, { name: 'a' })).toEqual({ name: 'a' });
  const shown = (value: string) => ({ letters: value.length });
  const own = z.strictObject({ pin: z.string().meta({ flag: 'pin', help: 'x', isSecret: true, shown }) });
  expect(withoutSecretValues(own, { pin: 'hush' })).toEqual({ letters: 4 });
});
