import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columns, columnsOrBlocks, fold, paint } from './table.js';

const head = ['target', 'p50, ms', 'verdict'];
const rows = [
  ['uws', '0.743', 'clean'],
  ['anycable', '–', 'not available: there is no anycable-go here, and that takes words'],
];

it('a table stands in columns where the terminal is wide enough, its last sentence running over the edge', () => {
  expect(columnsOrBlocks(42, head, rows, [0, 2])).toBe(columns(head, rows, [0, 2]));
});

it('a table falls into a block for each row where it is not', () => {
  expect(columnsOrBlocks(41, head, rows, [0, 2])).toMatchInlineSnapshot(`
      "uws
        p50, ms  0.743
        verdict  clean
      anycable
        p50, ms  –
        verdict  not available: there is no anycable-go here, and that takes words"
    `);
});

describe('a table of contenders', () => {
  const wide = [...rows, ['ws', '\x1b[32m* 0.41\x1b[39m', 'clean']];

  it('stands in columns where the terminal is wide enough', () => {
    expect(columnsOrBlocks(42, head, wide, [0, 2], 'columnBlocks')).toBe(columns(head, wide, [0, 2]));
  });

  it('falls into a block for each column where it is not, the last one first, without dashes', () => {
    expect(stripVTControlCharacters(columnsOrBlocks(41, head, wide, [0, 2], 'columnBlocks'))).toMatchInlineSnapshot(`
      "verdict
        uws       clean
        anycable  not available: there is no anycable-go here, and that takes words
        ws        clean
      p50, ms
        uws        0.743
        ws        * 0.41"
    `);
  });
});

it('folding breaks between words and hangs below the last column that leaves room', () => {
  expect(fold('anycable-pro  –  –  not available: ANYCABLE_GO_PRO_BIN names no binary', 50)).toBe(
    [
      'anycable-pro  –  –  not available:',
      '                    ANYCABLE_GO_PRO_BIN names no',
      '                    binary',
    ].join('\n'),
  );
});

it('folding hangs two further than a line without columns', () => {
  expect(fold(' one two three four five six seven eight nine ten', 40)).toBe(
    ' one two three four five six seven eight\n   nine ten',
  );
});

it('folding counts no colours', () => {
  const red = '\x1b[31mworse\x1b[39m by more than the noise, and more'; // 40 characters
  expect(fold(red, 40)).toBe(red);
});

it('folding leaves a pipe alone, and what fits', () => {
  const long = 'word '.repeat(100);
  expect(fold(long, Number.POSITIVE_INFINITY)).toBe(long);
  expect(fold('a  b\n\n  c', 40)).toBe('a  b\n\n  c');
});

it('folding loses no word, and makes no line wider unless a word is', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}( {1,3}[a-z]{1,12})*$/), { maxLength: 20 });
  fc.assert(
    fc.property(words, fc.integer({ min: 40, max: 90 }), (lines, width) => {
      const text = lines.join('\n');
      const folded = fold(text, width);
      expect(folded.split(/\s+/)).toEqual(text.split(/\s+/));
      expect(Math.max(0, ...folded.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    }),
  );
});

it('sets columns without rules: the first to the left, the others to the right, no space at the end', () => {
  const rows = [
    ['ws', '0.743', '7'],
    ['socketio', '41.9', ''],
  ];
  expect(columns(['', 'p50', 'runs'], rows).split('\n')).toEqual([
    '            p50  runs',
    'ws        0.743     7',
    'socketio   41.9',
  ]);
  expect(columns(['a', 'why'], [['ws', 'none']], [0, 1])).toBe('a   why\nws  none');
});

it('keeps columns straight under colour', () => {
  const { bad } = paint({ isColored: true, columns: 80 });
  const [, painted = ''] = columns(['', 'p50'], [[bad('ws'), '7.01']]).split('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of colour begin with one
  expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe('ws  7.01');
});
