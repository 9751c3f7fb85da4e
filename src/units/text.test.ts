import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  causesInWords,
  countText,
  jsonIn,
  kindOfCause,
  longestText,
  objectIn,
  outsideRecord,
  outsideText,
  outsideValue,
  printable,
  shareOf,
} from './text.js';

it('reads any JSON, and nothing else', () => {
  expect(['null', '[1]', '"a"', '17'].map(jsonIn)).toEqual([null, [1], 'a', 17]);
  expect(['', 'garbage', '{"cut":'].map(jsonIn)).toEqual([undefined, undefined, undefined]);
});

it('gives objects and nothing else', () => {
  expect(objectIn('{"type":"welcome"}')).toEqual({ type: 'welcome' });
  for (const text of ['', 'garbage', '[1]', 'null', '"text"', '17', '{"cut":']) expect(objectIn(text)).toBeUndefined();
});

const isFit = (text: string): boolean => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc
    .array(fc.constantFrom('\x1b[2J', '\u009b31m', '\n', '\u202e', '\ud83d', 'verdict  clean', 'é', '😀'), {
      maxLength: 99,
    })
    .map((all) => all.join('')),
);

it.each([
  ['no such stream', 'no such stream'],
  ['naïve café 😀', 'naïve café 😀'],
  ['one\r\n\ttwo\u2028three', 'one two three'],
  ['\x1b[31mred\x1b[0m \u009b2Jgone', 'red gone'],
  ['\x1b]0;title\x07shown', 'shown'],
  ['abc\u202edcba\u2066x\u200f', 'abc dcba x'],
  ['del\x7f c1\u0085end', 'del c1 end'],
  ['half \ud83d', 'half'],
  ['x'.repeat(256), 'x'.repeat(256)],
  ['x'.repeat(257), `${'x'.repeat(255)}…`],
])('a foreign text %j is kept as %j', (text, kept) => {
  expect(outsideText(text)).toBe(kept);
});

it('a foreign text is short, on one line and without controls, and stays what it is when it is read again', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const kept = outsideText(text);
      expect(kept.length).toBeLessThanOrEqual(longestText);
      expect(isFit(kept)).toBe(true);
      expect(outsideText(kept)).toBe(kept);
    }),
  );
});

it('a foreign text is not changed where it is short and printable', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: longestText }).filter((text) => !/^\s|\s$|\s\s/.test(text)),
      (text) => {
        expect(outsideText(text)).toBe(text);
      },
    ),
  );
});

it('a map of another program keeps its first 64 entries, names and texts made fit', () => {
  const entries = Array.from({ length: 101 }, (_, n) => [`\x1b[1mname ${n}`, `value\n${n}`]);
  const kept = outsideRecord(Object.fromEntries(entries), (text: string) => outsideText(text));
  expect(Object.keys(kept)).toHaveLength(64);
  expect(kept['name 63']).toBe('value 63');
});

it('a value of another program is made fit throughout', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), (value) => {
      const said = JSON.stringify(outsideValue(value));
      expect(isFit(said)).toBe(true);
    }),
  );
  expect(outsideValue({ a: ['x\ny', 7, null, { 'b\n': true }] })).toEqual({ a: ['x y', 7, null, { b: true }] });
});

it('what was kept loses its control characters alone, at any size', () => {
  const long = 'x'.repeat(longestText + 7);
  const kept = { 'a\u001b[31mb': ['one\ntwo', '\u001b]0;title\u0007', 7, null], 'two  spaces ': long };
  expect(printable(kept)).toEqual({ ab: ['one two', '', 7, null], 'two  spaces ': long });
});

it.each([
  [0, 0, '–'],
  [0, 7, '0.00 %'],
  [210, 245, '85.71 %'],
  [245, 245, '100 %'],
  [999_999_999, 1_000_000_000, '99.99 %'],
])('a share of %d out of %d is %s', (delivered, expected, text) => {
  expect(shareOf(delivered, expected)).toBe(text);
});

it('a share is 100 only when nothing is missing', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.nat({ max: 3 }), (expected, missing) => {
      const delivered = Math.max(0, expected - missing);
      expect(shareOf(delivered, expected) === '100 %').toBe(delivered === expected);
      expect(Number.parseFloat(shareOf(delivered, expected))).toBeLessThanOrEqual(100);
    }),
  );
});

it('a count has its thousands apart', () => {
  expect([0, 997, 1009, 203_212].map(countText)).toEqual(['0', '997', '1,009', '203,212']);
});

it('causes are told with the commonest first', () => {
  expect(causesInWords({ 'close-code:1006': 1, reset: 1009, tls: 3 })).toBe(
    'reset × 1,009, tls × 3, close-code:1006 × 1',
  );
  expect(causesInWords({})).toBe('');
});

it('the kind of a cause is what stands before its detail', () => {
  expect(['http-status:503', 'rejected:a:b', 'reset', ''].map(kindOfCause)).toEqual([
    'http-status',
    'rejected',
    'reset',
    '',
  ]);
});
