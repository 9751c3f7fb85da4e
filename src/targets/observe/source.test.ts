import { expect, it } from 'vitest';
import { z } from 'zod';
import { Growth, reasonOf } from './source.js';

it('says in one line why a reading failed', () => {
  expect(reasonOf(new Error('one\n  two'))).toBe('one two');
  expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  const { error } = z.object({ pid: z.number() }).safeParse({ pid: 'seven' });
  expect(reasonOf(error)).toContain('pid');
  expect(reasonOf(error)).not.toContain('\n');
});

it('growth is the difference of two totals over the time between them', () => {
  const growth = new Growth();
  expect(growth.perSecond(13, 1000)).toBeUndefined();
  expect(growth.perSecond(27, 3000)).toBe(7);
  expect(growth.perSecond(27, 3500)).toBe(0);
});

it('growth is unknown for a total that fell, and known again after it', () => {
  const growth = new Growth();
  growth.perSecond(13, 1000);
  expect(growth.isFall(13)).toBe(false);
  expect(growth.isFall(11)).toBe(true);
  expect(growth.perSecond(11, 2000)).toBeUndefined();
  expect(growth.perSecond(14, 3000)).toBe(3);
});

it('growth is unknown where no time has passed', () => {
  const growth = new Growth();
  growth.perSecond(13, 1000);
  expect(growth.perSecond(17, 1000)).toBeUndefined();
});
