import { describe, expect, it } from 'vitest';
import type { Pair, Proof } from '../results/comparison.js';
import { proofLines } from './proof.js';

const [base, more] = ['ws, 1 × 1 loops', 'ws, 1 × 2 loops'];
const pair = (column: string, ratio: number, low: number, high: number): Pair => ({
  column,
  a: base,
  b: more,
  ratio,
  interval: [low, high],
  isBeyondNoise: low > 1 || high < 1,
});
const text = (against: Pair[], notTried: string[] = []): string[] =>
  proofLines({ variants: [], notTried, against } satisfies Proof, { isColored: false, columns: 100 });

describe('a proof for the terminal', () => {
  it('says what moved, which way, and what was not tried', () => {
    expect(text([pair('p50', 1, 0.9, 1.1), pair('p99', 2, 1.6, 2.5)], ['twice the shards: 2 cores'])).toEqual([
      'proof  MOVED with the rig: the rig wrote part of these numbers',
      '       p99: −50.0 % [−60.0 % to −37.5 %] from ws, 1 × 1 loops to ws, 1 × 2 loops',
      '       p50: +0.0 % [−9.1 % to +11.1 %] from ws, 1 × 1 loops to ws, 1 × 2 loops',
      '       intervals so wide that all hold at once, 95 times in 100',
      '       not tried: twice the shards: 2 cores',
    ]);
  });

  it('calls held only what could not have moved far unseen', () => {
    expect(text([pair('p50', 1.01, 0.83, 1.2)])[0]).toBe('proof  HELD: no figure moved with the rig');
    expect(text([pair('p50', 1.01, 0.83, 1.2), pair('p99', 1, 0.25, 4.5)])[0]).toBe(
      'proof  OPEN: no figure moved by more than the noise, which could hide a factor of 4.5 in p99; more repeats tell more',
    );
    expect(text([])[0]).toBe('proof  OPEN: no figure could be held against the base');
  });
});
