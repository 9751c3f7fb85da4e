import { describe, expect, it } from 'vitest';
import { columns, columnsOrBlocks } from './table.js';

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
