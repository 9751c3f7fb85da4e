import { expect, it } from 'vitest';
import { backlogPeak } from './ledger.js';

it('finds the peak of a backlog over days', () => {
  const backlog = Array.from({ length: 200_003 }, (_, second) => Math.max(0, 11 - Math.abs(second - 150_001)));
  expect(backlogPeak(backlog)).toEqual({ owed: 11, atSecond: 150_002, drainedInSeconds: 11 });
});
