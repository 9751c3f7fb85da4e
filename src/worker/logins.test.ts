import fc from 'fast-check';
import { expect, it } from 'vitest';
import { knownBefore, workerUsers } from './logins.js';

const csv = (rows: number): string => `name\n${Array.from({ length: rows }, (_, row) => `u${row}\n`).join('')}`;
const namesOf = async (rows: number, clients: number, seed: number): Promise<(string | undefined)[]> => {
  const valuesOf = await knownBefore({ protocolOptions: { users: csv(rows) }, stream: 'spring', seed });
  return Array.from({ length: clients }, (_, number) => valuesOf(number)('name'));
};

it('law: a row goes to one client at most, and the seed alone says to which', async () => {
  const numbers = fc.record({ rows: fc.integer({ min: 1, max: 101 }), seed: fc.nat(0xffff_ffff) });
  await fc.assert(
    fc.asyncProperty(numbers, async ({ rows, seed }) => {
      const names = await namesOf(rows, rows, seed);
      expect(new Set(names).size).toBe(rows);
      // More clients share rows evenly, and the first keep theirs.
      expect((await namesOf(rows, 2 * rows, seed)).slice(0, rows)).toEqual(names);
      expect((await namesOf(rows, 2 * rows, seed)).slice(rows)).toEqual(names);
    }),
    { numRuns: 31 },
  );
});

it('deals by another seed in another order', async () => {
  expect(await namesOf(101, 101, 7)).not.toEqual(await namesOf(101, 101, 11));
});

it('knows the number, the stream, the row and what a login took, in this order', async () => {
  const before = await knownBefore({ protocolOptions: { users: csv(1) }, stream: 'spring', seed: 7 });
  const logins = { taken: () => ({ token: 'T', client: 'never' }), failureOf: () => 'login-failed:reset' };
  const users = workerUsers(before, logins);
  expect(['client', 'stream', 'name', 'token', 'other'].map(users.valuesOf(13))).toEqual([
    ...['13', 'spring', 'u0', 'T', undefined],
  ]);
  expect(users.failureOf(13)).toBe('login-failed:reset');
  expect(workerUsers(before).failureOf(13)).toBeUndefined();
});
