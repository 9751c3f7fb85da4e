import { expect, it } from 'vitest';
import { expectGolden } from '../../test/golden.js';
import type { Pair } from '../results/comparison.js';
import { proofLines } from './proof.js';

const pair = (column: string, ratio: number, low: number, high: number): Pair => ({
  ...{ column, a: 'ws, 1 × 1 loops', b: 'ws, 1 × 2 loops', ratio },
  ...{ interval: [low, high], isBeyondNoise: low > 1 || high < 1 },
});
const lines = (against: Pair[], notTried: string[] = []): string[] =>
  proofLines({ variants: [], notTried, against }, { isColored: false, columns: 100 });

const held = pair('p50', 1.01, 0.83, 1.2);
const moved = [pair('p50', 1, 0.9, 1.1), pair('p99', 2, 1.6, 2.5)];
const wide = [held, pair('p99', 1, 0.25, 4.5)];

it('says what a proof found, in its golden file', async () => {
  await expectGolden('proof.txt', {
    moved: lines(moved, ['twice the shards: 2 cores']).join('\n'),
    held: lines([held]).join('\n'),
    'open for noise': lines(wide).join('\n'),
    'open without figures': lines([]).join('\n'),
  });
});

it('holds only if noise could not hide a change', () => {
  const verdicts = [moved, [held], wide, []].map((each) => /[A-Z]{4,}/.exec(lines(each)[0] ?? '')?.[0]);
  expect(verdicts).toEqual(['MOVED', 'HELD', 'OPEN', 'OPEN']);
});
