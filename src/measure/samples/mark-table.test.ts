import { expect, it } from 'vitest';
import { encodeSends, MarkTable, markKind, mostNames, SendLog, sendLogBytes, sharedSends } from './mark-table.js';

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

function tableOf(): MarkTable {
  const table = new MarkTable(96, 960);
  table.takeBlock();
  table.takeBlock();
  for (const [row, sentAtNs, group] of [
    [3, 7e9, 2 ** 53 - 1],
    [4, 0, 5],
    [33, 8e9, 0],
    [40, 6e9, 11],
  ] as const) {
    table.sentAtNs[row] = sentAtNs;
    table.group[row] = group;
    table.sender[row] = row * 2;
    table.kind[row] = markKind.begun | markKind.toAll | markKind.answered;
  }
  return table;
}

const bytes = encodeSends(tableOf(), 61e9);

it('a log holds what left and owes deliveries, on the clock of its reader', () => {
  const { buffer, originNs } = sharedSends(bytes);
  expect([bytes.length, originNs]).toEqual([sendLogBytes(2), 61e9]);
  const log = new SendLog(buffer, { shiftNs: 1e9, errorNs: 0, atNs: 100e9 });
  expect([...log.sentAtNs]).toEqual([8e9, 7e9]);
  expect([...log.group]).toEqual([2 ** 53 - 1, 11]);
  expect([...log.sender]).toEqual([6, 80]);
  expect([...log.kind]).toEqual([markKind.toAll, markKind.toAll]);
  expect([log.first, log.numberAt(0), log.numberAt(1), log.errorNs, log.count]).toEqual([960, 963, 1000, 0, 2]);
  expect([962, 963, 964, 1000, 1001].map((number) => log.indexOf(number))).toEqual([-1, 0, -1, 1, -1]);
});

it('an error of the clock grows with the age of the first send, as clocks run apart', () => {
  const { buffer } = sharedSends(bytes);
  const { errorNs } = new SendLog(buffer, { shiftNs: 0, errorNs: 1e6, atNs: 16e9 });
  expect(errorNs).toBe(1e6 + 10e9 * 2e-4);
});

it('other bytes are no log', () => {
  const swapped = encodeSends(tableOf(), 0);
  const numbers = new Int32Array(swapped.buffer, 24 + 16 * 2, 2);
  numbers.reverse();
  const wrong = [new Uint8Array(0), new Uint8Array(24), bytes.subarray(1), bytes.subarray(0, -1), swapped];
  for (const each of wrong) expect(() => sharedSends(each)).toThrow(RangeError);
});
