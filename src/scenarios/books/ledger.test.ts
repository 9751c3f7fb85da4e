import { expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { check, readerOf, total } from './ledger.js';

it('a total is that of a list, of a series and of counts by cause', () => {
  expect([total([3, 7]), total(Uint32Array.of(3, 7, 11)), total({ reset: 3, ours: 2 }), total()]).toEqual([
    10, 21, 5, 0,
  ]);
});

it('books break where a whole is not its parts', () => {
  expect(check(7, 'cut', 7, 'back + not back')).toEqual([]);
  expect(check(7, 'cut', 5, 'back + not back')).toEqual([naming('cut 7', 'back + not back = 5')]);
});

it('entries are read in words; what is not there is none', () => {
  const { number, of, causes } = readerOf({ lost: 1009, byCause: { reset: 3 }, none: {} });
  expect([number('lost'), of('lost'), of('late'), causes('byCause'), causes('none'), causes('other')]).toEqual([
    ...[1009, '1,009', '0', ' (reset × 3)', '', ''],
  ]);
});
