import { expect, it } from 'vitest';
import { peakOf } from './ledger.js';

it('finds the peak of a backlog over days', () => {
  const backlog = Array.from({ length: 200_003 }, (_, second) => Math.max(0, 11 - Math.abs(second - 150_001)));
  expect(peakOf(backlog)).toEqual({ backlogPeak: 11, backlogPeakAtSecond: 150_002, backlogDrainedInSeconds: 11 });
});
