import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { expectGolden } from '../../test/golden.js';
import { fileKey, optionsOf } from './option.js';
import { type OptionIssue, resolveOptions, validateOptions } from './resolve.js';

const schema = z.strictObject({
  ratePerSecond: z.number().positive().max(1009).default(7).meta({ flag: 'ramp-rate', unit: 'rate', help: 'a' }),
  holdMs: z.number().int().min(250).default(31_000).meta({ flag: 'hold', unit: 'duration', help: 'b' }),
  offset: z.number().min(-11).default(0).meta({ flag: 'offset', help: 'c' }),
  client: z.enum(['wire', 'library']).default('wire').meta({ flag: 'client', help: 'd' }),
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'e' }),
  hasProbe: z.boolean().default(true).meta({ flag: 'probe', help: 'f' }),
  addresses: z.array(z.string().min(2)).default([]).meta({ flag: 'address', help: 'g' }),
  token: z.string().min(5).optional().meta({ flag: 'token', help: 'h', isSecret: true }),
});

const defaults = {
  ratePerSecond: 7,
  holdMs: 31_000,
  offset: 0,
  client: 'wire',
  isQuick: false,
  hasProbe: true,
  addresses: [],
};

const required = z.strictObject({ url: z.url({ error: 'expected an address' }).meta({ flag: 'url', help: 'a' }) });

const beside = z.strictObject({
  urls: z.array(z.string()).default([]).meta({ flag: 'url', help: 'a' }),
  count: z.number().int().default(1).meta({ flag: 'count', notBeside: 'url', help: 'b' }),
});

const wrongEverywhere = {
  flags: { ratePerSecond: 'fast', hasProbe: 'perhaps', token: 'abc' },
  env: { RINGSIDE_HOLD: '200ms', RINGSIDE_CLIENT: 'fax' },
  file: { offset: -12, address: ['x'], holdMs: 3, quick: null },
  base: { isQuick: 3 },
};
const wrongTexts = { flags: { holdMs: '1000.5ms', ratePerSecond: '1010/s' } };
const withoutUnit = { file: { hold: 1000 } };
const wrongValues = { holdMs: 1.5, offset: -12, ratePerSecond: '10/s', rate: 3, pace: 5, token: 'abc' };

type Answer = { ok: true } | { ok: false; issues: readonly OptionIssue[] };
const issuesOf = (answer: Answer): readonly OptionIssue[] => (answer.ok ? [] : answer.issues);
const namesOf = (answer: Answer): string[] => issuesOf(answer).map(({ option }) => option);

it('an issue says what was expected, and what was received', async () => {
  const said = (answer: Answer): string =>
    issuesOf(answer)
      .map(({ option, expected, received }) => `${option}: expected ${expected}, received ${received}`)
      .join('\n');
  await expectGolden('option-issues.txt', {
    'wrong everywhere': said(resolveOptions(schema, wrongEverywhere)),
    'texts that the schema cannot take': said(resolveOptions(schema, wrongTexts)),
    'a number without its unit': said(resolveOptions(schema, withoutUnit)),
    'a wrong base': said(resolveOptions(schema, { base: { ratePerSecond: 0 }, baseSource: 'preset small' })),
    'a required option that nobody gave': said(resolveOptions(required, {})),
    'two flags that exclude each other': said(resolveOptions(beside, { flags: { count: '1', urls: ['a'] } })),
    'a flag beside the environment': said(
      resolveOptions(beside, { flags: { count: '2' }, env: { RINGSIDE_URL: 'a' } }),
    ),
    'wrong values': said(validateOptions(schema, wrongValues)),
  });
});

it('resolveOptions reads every kind from flags', () => {
  const flags = {
    ratePerSecond: '600/m',
    holdMs: '1m30s',
    offset: '-2.5',
    client: 'library',
    isQuick: true,
    hasProbe: false,
    addresses: ['a1', 'b,2'],
    token: 'secret',
  };
  expect(resolveOptions(schema, { flags })).toMatchObject({
    ok: true,
    values: { ...flags, ratePerSecond: 10, holdMs: 90_000, offset: -2.5 },
    sources: { token: 'flag', hasProbe: 'flag' },
  });
});

it('resolveOptions reads every kind from the environment, where empty is not given', () => {
  const env = {
    RINGSIDE_RAMP_RATE: '0.5/s',
    RINGSIDE_HOLD: '',
    RINGSIDE_OFFSET: '3',
    RINGSIDE_CLIENT: 'library',
    RINGSIDE_QUICK: '1',
    RINGSIDE_PROBE: 'FALSE',
    RINGSIDE_ADDRESS: 'a1, b2,,c3',
    RINGSIDE_OTHER: 'x',
  };
  expect(resolveOptions(schema, { env })).toMatchObject({
    ok: true,
    values: {
      ratePerSecond: 0.5,
      holdMs: 31_000,
      offset: 3,
      client: 'library',
      isQuick: true,
      hasProbe: false,
      addresses: ['a1', 'b2', 'c3'],
    },
    sources: { ratePerSecond: 'environment', holdMs: 'default', token: 'default' },
  });
});

it('resolveOptions reads a list of the environment at the separator of its own', () => {
  const field = z.array(z.string()).default([]).meta({ flag: 'line', help: 'i', separator: '\n' });
  const env = { RINGSIDE_LINE: 'a, b\nc: d, e' };
  expect(resolveOptions(z.strictObject({ lines: field }), { env })).toMatchObject({
    values: { lines: ['a, b', 'c: d, e'] },
  });
});

it('resolveOptions reads texts and values from a file', () => {
  const file = { rampRate: 13, hold: '2m', offset: -3, quick: true, probe: 'false', address: ['a1', 'b2'] };
  expect(resolveOptions(schema, { file })).toMatchObject({
    ok: true,
    values: {
      ratePerSecond: 13,
      holdMs: 120_000,
      offset: -3,
      isQuick: true,
      hasProbe: false,
      addresses: ['a1', 'b2'],
    },
  });
  expect(resolveOptions(schema, { file: { address: 'a,1' } })).toMatchObject({ values: { addresses: ['a,1'] } });
});

it('resolveOptions takes a base as it is, below everything a user says', () => {
  const base = { holdMs: 257, ratePerSecond: 11, unrelated: 1 };
  expect(resolveOptions(schema, { base, baseSource: 'preset small', flags: { holdMs: '1s' } })).toMatchObject({
    values: { ...defaults, holdMs: 1000, ratePerSecond: 11 },
    sources: { holdMs: 'flag', ratePerSecond: 'preset small' },
  });
});

it('resolveOptions gives what is right beside what is wrong, for which defaults stand', () => {
  const flags = { holdMs: '2s', ratePerSecond: 'fast', offset: '-12' };
  expect(resolveOptions(schema, { flags, env: { RINGSIDE_CLIENT: 'library' } })).toMatchObject({
    ok: false,
    values: { ...defaults, holdMs: 2000, client: 'library' },
    wrong: ['ratePerSecond', 'offset'],
    names: { holdMs: '--hold', client: 'RINGSIDE_CLIENT' },
  });
});

it('resolveOptions refuses an option beside one that leaves it nothing to say, wherever they were given', () => {
  const told = (given: Parameters<typeof resolveOptions>[1]) => namesOf(resolveOptions(beside, given));
  expect(told({ flags: { urls: ['a'] } })).toEqual([]);
  expect(told({ flags: { count: '2' }, env: { RINGSIDE_URL: '' } })).toEqual([]);
  expect(told({ flags: { count: '1', urls: ['a'] } })).toEqual(['--count']);
  expect(told({ flags: { count: '2' }, env: { RINGSIDE_URL: 'a' } })).toEqual(['--count']);
});

it('resolveOptions reads a short variable where the long one is not given, and names the one that it read', () => {
  const named = z.strictObject({ pace: z.number().default(7).meta({ flag: 'pace', shortEnv: 'PACE', help: 'a' }) });
  const read = (env: Record<string, string>) => resolveOptions(named, { env });
  expect(read({ PACE: '11' })).toMatchObject({ values: { pace: 11 }, names: { pace: 'PACE' } });
  expect(read({ PACE: '11', RINGSIDE_PACE: '13' })).toMatchObject({ values: { pace: 13 } });
  expect(read({ PACE: 'x' })).toMatchObject({ issues: [{ option: 'PACE' }], wrong: ['pace'], values: { pace: 7 } });
  expect(read({ PACE: '' })).toMatchObject({ ok: true, values: { pace: 7 }, sources: { pace: 'default' } });
});

it('resolveOptions shortens what it repeats', () => {
  const result = resolveOptions(schema, { flags: { client: 'x'.repeat(1009) } });
  expect(result.ok || result.issues[0]?.received).toHaveLength(80);
});

it('resolveOptions prefers flag, environment, file, base and default, in this order', () => {
  const sources = ['flag', 'environment', 'file', 'preset', 'default'];
  fc.assert(
    fc.property(fc.subarray(['flag', 'environment', 'file', 'preset']), (present) => {
      const has = (source: string): boolean => present.includes(source);
      const result = resolveOptions(schema, {
        flags: has('flag') ? { ratePerSecond: '2/s' } : {},
        env: has('environment') ? { RINGSIDE_RAMP_RATE: '3/s' } : {},
        file: has('file') ? { rampRate: '5/s' } : {},
        base: has('preset') ? { ratePerSecond: 11 } : {},
        baseSource: 'preset',
      });
      const source = sources.find(has) ?? 'default';
      const value = [2, 3, 5, 11, 7][sources.indexOf(source)];
      expect(result).toMatchObject({
        ok: true,
        values: { ratePerSecond: value },
        sources: { ratePerSecond: source },
      });
    }),
  );
});

it('resolveOptions gives any table its defaults', () => {
  const meta = (flag: string) => ({ flag, help: 'x' });
  const field = fc.oneof(
    fc.nat().map((value) => [z.number().default(value), value, 'count'] as const),
    fc.nat().map((value) => [z.number().default(value), value, 'duration'] as const),
    fc.integer().map((value) => [z.number().default(value), value, undefined] as const),
    fc.string().map((value) => [z.string().default(value), value, undefined] as const),
    fc.boolean().map((value) => [z.boolean().default(value), value, undefined] as const),
    fc.array(fc.string()).map((value) => [z.array(z.string()).default(value), value, undefined] as const),
    fc.constantFrom('a', 'b').map((value) => [z.enum(['a', 'b']).default(value as 'a'), value, undefined] as const),
    fc.constant([z.string().optional(), undefined, undefined] as const),
  );
  fc.assert(
    fc.property(fc.array(field, { maxLength: 7 }), (fields) => {
      const shape = fields.map(([type, , unit], index) => [
        `key${index}`,
        type.meta({ ...meta(`flag-${index}`), ...(unit && { unit }) }),
      ]);
      const table = z.strictObject(Object.fromEntries(shape));
      const expected = fields.flatMap(([, value], index) => (value === undefined ? [] : [[`key${index}`, value]]));
      const resolved = resolveOptions(table, { flags: {}, env: {}, file: {} });
      expect(resolved).toMatchObject({ ok: true, values: Object.fromEntries(expected) });
      expect(resolved.ok && new Set(Object.values(resolved.sources))).toEqual(
        new Set(fields.length ? ['default'] : []),
      );
      // What the table prints as a default is read back as that default.
      const given = optionsOf(table).filter((option) => option.kind === 'number');
      const file = Object.fromEntries(given.map((option) => [fileKey(option), option.defaultText]));
      expect(resolveOptions(table, { file })).toMatchObject({ ok: true, values: Object.fromEntries(expected) });
    }),
  );
});

it('validateOptions fills in defaults by key', () => {
  expect(validateOptions(schema, { holdMs: 257 })).toEqual({ ok: true, values: { ...defaults, holdMs: 257 } });
});

it('validateOptions names every issue at once, in values', () => {
  const names = ['ratePerSecond', 'holdMs', 'offset', 'token', 'rate', 'pace'];
  expect(namesOf(validateOptions(schema, wrongValues))).toEqual(names);
  expect(JSON.stringify(validateOptions(schema, wrongValues))).not.toContain('abc');
});

it.each([[null], [[7]], ['x'], [3]])('validateOptions refuses %j', (body) => {
  expect(validateOptions(schema, body)).toMatchObject({
    issues: [{ option: 'body', received: JSON.stringify(body) }],
  });
});
