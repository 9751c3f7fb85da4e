import { expect, it } from 'vitest';
import { z } from 'zod';
import { reasonOf } from './source.js';

it('says in one line why a reading failed', () => {
  expect(reasonOf(new Error('one\n  two'))).toBe('one two');
  expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  const { error } = z.object({ pid: z.number() }).safeParse({ pid: 'seven' });
  expect(reasonOf(error)).toMatch(/expected number, received string.*pid/);
  expect(reasonOf(error)).not.toContain('\n');
});
