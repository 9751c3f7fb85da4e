import { expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { type TruthRow, truthTable } from './truth.js';

const recorded = { p50: 1.04, p90: 2, max: 2001.26, messages: 10_507, lost: 97, doubled: 103 };
const rows: TruthRow[] = [
  { name: 'truth, 1 ms, 100, says all', recorded, reported: recorded },
  {
    name: 'truth, 1 ms, 100, only counts',
    recorded,
    reported: { p50: 1.5, p90: 3.25, max: undefined, messages: 10_507 },
  },
  { name: 'truth, 1 ms, 100, absent', lack: 'npm install absent' },
  { name: 'truth, 1 ms, 100, broken', failure: '7 of 11 clients came' },
];

it('prints each figure beside the truth, a dash where a tool says nothing, and what is not here', async () => {
  const text = truthTable(rows);
  await expectGolden('peers-truth.txt', { 'all kinds of rows': text });
  expect(text.split('\n')[2]).toMatch(/1\.5 +1\.0 +3\.3 +2\.0 +– +2001\.3 +10,507 +10,507 +– +97 +– +103$/);
});
