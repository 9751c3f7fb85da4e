import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { columns, columnsOrBlocks, columnsOrColumnBlocks } from './table.js';

const head = ['target', 'p50, ms', 'verdict'];
const rows = [
  ['uws', '0.743', 'clean'],
  ['anycable', '–', 'not available: there is no anycable-go here, and that takes words'],
];

describe('a table', () => {
  it('stands in columns where the terminal is wide enough, its last sentence running over the edge', () => {
    expect(columnsOrBlocks(42, head, rows, [0, 2])).toBe(columns(head, rows, [0, 2]));
  });

  it('falls into a block for each row where it is not', () => {
    expect(columnsOrBlocks(41, head, rows, [0, 2])).toMatchInlineSnapshot(`
      "uws
        p50, ms  0.743
        verdict  clean
      anycable
        p50, ms  –
        verdict  not available: there is no anycable-go here, and that takes words"
    `);
  });
});

describe('a table whose columns are held against each other', () => {
  const wide = [...rows, ['ws', '\x1b[32m* 0.41\x1b[39m', 'clean']];

  it('stands in columns where the terminal is wide enough', () => {
    expect(columnsOrColumnBlocks(42, head, wide, [0, 2])).toBe(columns(head, wide, [0, 2]));
  });

  it('falls into a block for each column where it is not, the last one first, without dashes', () => {
    expect(stripVTControlCharacters(columnsOrColumnBlocks(41, head, wide, [0, 2]))).toMatchInlineSnapshot(`
      "verdict
        uws       clean
        anycable  not available: there is no anycable-go here, and that takes words
        ws        clean
      p50, ms
        uws        0.743
        ws        * 0.41"
    `);
  });

  it('leaves out a column that has nothing to say', () => {
    const nothing = [['uws', '–', 'not run']];
    expect(columnsOrColumnBlocks(10, head, nothing, [0, 2])).toBe('verdict\n  uws  not run');
  });
});
