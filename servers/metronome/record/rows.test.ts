import { expect, it } from 'vitest';
import { Rows, treatment } from './deeds.js';

it('keeps each row, and its marks', () => {
  const rows = new Rows(200_003);
  for (let index = 0; index < 131_075; index++) {
    const row = rows.add(Math.floor(index / 7), index % 7);
    rows.write(row, index * 1000, index * 1000 + 999);
    if (index % 65_536 === 3) rows.mark(row, treatment.duplicated);
  }
  let seen = 0;
  const marked: number[] = [];
  rows.each(({ broadcast, connection, askedUs, doneUs, deeds }) => {
    const index = seen++;
    if (broadcast * 7 + connection !== index || askedUs !== index || doneUs !== index) throw new Error(`row ${index}`);
    if (deeds & treatment.duplicated) marked.push(index);
  });
  expect([seen, marked, rows.refused]).toEqual([131_075, [3, 65_539], 0]);
});
