import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { expectGolden } from '../../test/golden.js';
import { goldenReproduction } from '../../test/reproduction.js';
import { keptReproductions, outcome, outcomesTable } from './outcomes.js';

const kept = fileURLToPath(new URL('../../results/kept', import.meta.url));

it('shows a kept reproduction, and all of them in a table', async () => {
  const made = goldenReproduction();
  await expectGolden('outcome.txt', {
    'one reproduction': outcome('2026-11-21T09-40-15Z-latency-compare-4x3', made),
    'all of them': outcomesTable([made, goldenReproduction({ pairs: [] })]),
  });
});

it('finds what is kept of each source', () => {
  const sources = [...keptReproductions(kept).values()].map(({ table }) => table.source.id);
  expect(new Set(sources).size).toBe(sources.length);
});
