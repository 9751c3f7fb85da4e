import { expect, it } from 'vitest';
import { MarkTable, mostNames } from './mark-table.js';

it('two workers take different blocks, and whole ones only', () => {
  const one = new MarkTable(100, 700);
  const other = new MarkTable(100, 700, one.buffer);
  expect([one.takeBlock(), other.takeBlock(), one.takeBlock(), other.takeBlock(), one.takeBlock()]).toEqual([
    0,
    32,
    64,
    undefined,
    undefined,
  ]);
  expect([one.count, other.count]).toEqual([96, 96]);
  expect([one.numberAt(31), one.indexOf(731), one.indexOf(699), one.indexOf(800)]).toEqual([731, 31, -1, -1]);
});

it('columns do not overlap', () => {
  const table = new MarkTable(67, 0);
  const columns = [
    ...[table.intendedAtNs, table.sentAtNs, table.writtenAtNs, table.group],
    ...[table.sender, table.kind, table.name],
  ];
  for (const [n, column] of columns.entries()) column.fill(n + 1);
  for (const [n, column] of columns.entries()) expect(new Set(column)).toEqual(new Set([n + 1]));
  expect([table.count, table.settledCount, table.nameOf(1)]).toEqual([0, 0, '']);
});

it('a name has one number in all workers, and too many have none', () => {
  const one = new MarkTable(32);
  const other = new MarkTable(32, 0, one.buffer);
  expect([one.indexOfName('key'), other.indexOfName('ping'), other.indexOfName('key')]).toEqual([1, 2, 1]);
  expect(one.nameOf(2)).toBe('ping');
  for (let n = 2; n < mostNames; n++) expect(one.indexOfName(`é ${n}`)).toBe(n + 1);
  expect([other.indexOfName('one more'), other.nameOf(mostNames), other.nameOf(0)]).toEqual([
    0,
    `é ${mostNames - 1}`,
    '',
  ]);
});
