import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type UnitName, units } from './unit.js';

const wholes = fc.oneof(fc.nat(), fc.maxSafeNat());
const decimals = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const values: Record<UnitName, fc.Arbitrary<number>> = {
  duration: fc.oneof(wholes, decimals),
  bytes: wholes,
  rate: fc.oneof(wholes, decimals),
  share: fc.nat().map((each) => each / 100),
  count: wholes,
};

describe.each(Object.entries(units))('%s', (name, unit) => {
  const arbitrary = values[name as UnitName];

  it('reads what it prints', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        expect(unit.parse(unit.print(value))).toBe(value);
      }),
    );
  });

  it.each([
    '',
    ' ',
    'fast',
    '-1',
    '-1s',
    '1 000',
    '0x10',
    '1..5',
    '.5',
    '5.',
    'Infinity',
    'NaN',
    '1e999',
    '1__0',
    '_1',
  ])('refuses %j', (text) => expect(unit.parse(text)).toBeUndefined());
});

test.each<[UnitName, string, number]>([
  ['duration', '250ms', 250],
  ['duration', '10s', 10_000],
  ['duration', '1.5s', 1500],
  ['duration', '1.005s', 1005],
  ['duration', '2m', 120_000],
  ['duration', '1h', 3_600_000],
  ['duration', '1m30s', 90_000],
  ['duration', '1h2m3s4ms', 3_723_004],
  ['duration', ' 7S ', 7000],
  ['share', '5%', 0.05],
  ['share', '0.7%', 0.007],
  ['bytes', '200b', 200],
  ['bytes', '200', 200],
  ['bytes', '64kb', 64_000],
  ['bytes', '64KiB', 65_536],
  ['bytes', '1mb', 1_000_000],
  ['bytes', '1mib', 1_048_576],
  ['bytes', '0.5kib', 512],
  ['rate', '10/s', 10],
  ['rate', '600/m', 10],
  ['rate', '0.5/s', 0.5],
  ['rate', '10', 10],
  ['count', '1000', 1000],
  ['count', '10_000', 10_000],
  ['count', '10k', 10_000],
  ['count', '1.005k', 1005],
  ['count', '1m', 1_000_000],
])('%s reads %s as %d', (name, text, value) => expect(units[name].parse(text)).toBe(value));

test.each<[UnitName, string]>([
  ['duration', '10'],
  ['duration', '30s1m'],
  ['duration', '1s1s'],
  ['duration', '1m-30s'],
  ['duration', 'ms'],
  ['bytes', '0.5b'],
  ['bytes', '1.0001kb'],
  ['bytes', '1k'],
  ['rate', '10/h'],
  ['rate', '/s'],
  ['count', '1.5'],
  ['count', '9007199254740993'],
])('%s refuses %s', (name, text) => expect(units[name].parse(text)).toBeUndefined());

test.each<[UnitName, number, string]>([
  ['duration', 0, '0s'],
  ['duration', 250, '250ms'],
  ['duration', 1500, '1.5s'],
  ['duration', 30_000, '30s'],
  ['duration', 120_000, '2m'],
  ['duration', 90_000, '90s'],
  ['bytes', 200, '200b'],
  ['bytes', 65_536, '64kib'],
  ['bytes', 64_000, '64kb'],
  ['rate', 10, '10/s'],
  ['rate', 5 / 3, '100/m'],
  ['count', 1009, '1009'],
  ['count', 20_000_000, '20m'],
])('%s prints %d as %s', (name, value, text) => expect(units[name].print(value)).toBe(text));
