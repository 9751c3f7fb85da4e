import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { scenarioByName } from '../../scenarios/list.js';
import { significance } from './significance.js';

const latency = scenarioByName('latency')!;
const golden = goldenResult();
const delivery = golden.metrics.delivery!;
const run = (p50: number) => goldenResult({ metrics: { ...golden.metrics, delivery: { ...delivery, p50 } } });
/** Every round is slower than the one before, for both targets alike. */
const drift = [1000, 2100, 3900, 8200];
const contenders = [
  { target: 'a', runs: drift.map((us, n) => run(us * 1.3 + n)) },
  { target: 'b', runs: drift.map((us) => run(us)) },
];
const p50Of = (isInRounds: boolean, of = contenders) =>
  significance(latency, of, isInRounds).pairs.find(({ column }) => column === 'p50');

describe('runs that went in rounds', () => {
  it('are told apart by what the rounds do not share', () => {
    expect(p50Of(false)).toMatchObject({ isBeyondNoise: false });
    expect(p50Of(true)).toMatchObject({ a: 'a', b: 'b', isBeyondNoise: true, ratio: expect.closeTo(1.3, 2) });
  });

  it('say nothing of a target with fewer than three, which hides no other pair', () => {
    const withFew = [...contenders, { target: 'c', runs: [run(7), run(7)] }];
    expect(significance(latency, withFew, true).pairs.some(({ b }) => b === 'c')).toBe(false);
    expect(p50Of(true, withFew)).toEqual(p50Of(true));
  });
});
