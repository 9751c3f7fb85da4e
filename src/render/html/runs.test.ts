import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/scenarios.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { chooseRuns, labelled } from './runs.js';

function row(target: string, p50s: readonly number[], voided: readonly number[] = []): ComparisonRow {
  const runs = p50s.map((p50) => {
    const { metrics } = goldenResult();
    const verdict = { rig: voided.includes(p50) ? ('void' as const) : ('clean' as const), evidence: [] };
    const delivery = { ...metrics.delivery!, p50 };
    return {
      directory: `results/${target}-${p50}`,
      result: goldenResult({ metrics: { ...metrics, delivery }, verdict }),
    };
  });
  return { target, state: 'ran', why: '', runs, figures: [] };
}

const missing: ComparisonRow = { target: 'anycable', state: 'notAvailable', why: 'no binary', runs: [], figures: [] };
const of = (rows: ComparisonRow[]): Comparison => ({
  schema: 2,
  tool: { name: 'ringside-bench', version: '0.1.0' },
  kind: 'comparison',
  scenario: 'latency',
  fingerprint: 'dc5a9d213400',
  forced: '',
  repeat: 3,
  startedAt: '2026-11-21T09:40:15.682Z',
  rows,
  proof: null,
  pairs: [],
});
const chosen = (rows: ComparisonRow[], isEvery = false) => {
  const { runs, how } = chooseRuns(of(rows), latency, isEvery);
  return { runs: runs.map(({ label, directory }) => [label, directory]), how };
};

it('runs of a comparison for a page are the ones in the middle, void ones left out, and it says so', () => {
  expect(chosen([row('ws', [700, 500, 900]), row('uws', [101, 307, 203, 401], [101]), missing])).toEqual({
    runs: [
      ['ws', 'results/ws-700'],
      ['uws', 'results/uws-307'],
    ],
    how: expect.stringMatching(/p50: 3 of ws \(3 clean\), 4 of uws \(3 clean, 1 void\)\. Not run: anycable/),
  });
});

it('runs of a comparison for a page are void ones where there is no other', () => {
  expect(chosen([row('ws', [700, 500], [700, 500])]).runs).toEqual([['ws', 'results/ws-500']]);
});

it('runs of a comparison for a page are all, where all are asked for', () => {
  expect(chosen([row('ws', [700, 500])], true)).toEqual({
    runs: [
      ['ws', 'results/ws-700'],
      ['ws', 'results/ws-500'],
    ],
    how: '',
  });
});

it('labels that several runs share get numbers', () => {
  expect(labelled([{ label: 'ws' }, { label: 'uws' }, { label: 'ws' }])).toEqual([
    { label: 'ws #1' },
    { label: 'uws' },
    { label: 'ws #2' },
  ]);
});
