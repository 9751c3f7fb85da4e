import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import { binAtRank, binOf, binsPerBlock, nearEdge } from '../samples/blocks.js';
import { percentiles } from '../samples/distribution.js';
import { type Aim, aimOf, checkShares, levelOf, reachOf } from './checks.js';

/** Seconds of a load whose latencies are exponential, and slower in some stretches of seconds than in others. */
function secondsOf(seed: number, count: number, perSecond: number): Uint32Array[] {
  const generator = xoroshiro128plus(seed);
  const uniform = () => 1 - uniformFloat64(generator);
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  let slow = normal();
  return Array.from({ length: count }, () => {
    const bins = new Uint32Array(binsPerBlock);
    slow = 0.5 * slow + Math.sqrt(1 - 0.5 ** 2) * normal();
    for (let n = 0; n < perSecond; n++) bins[binOf(Math.exp(0.1 * slow) * (1000 - 2000 * Math.log(uniform())))]!++;
    return bins;
  });
}

function quantileOf(seconds: readonly Uint32Array[], figure: Aim['figure']): number {
  const total = new Uint32Array(binsPerBlock);
  for (const second of seconds) for (let bin = 0; bin < binsPerBlock; bin++) total[bin]! += second[bin]!;
  const bin = binAtRank(total, Math.ceil(total.reduce((sum, count) => sum + count, 0) * percentiles[figure]));
  return (nearEdge(bin) + nearEdge(bin + 1)) / 2;
}

/** Returns the share of runs ended at the first narrow check that hold the truth, and the share of time they take. */
function simulated(aim: Aim, seconds: number, perSecond: number, runs: number) {
  const truth = quantileOf(secondsOf(7, 20_000, perSecond), aim.figure);
  let [held, taken] = [0, 0];
  for (let seed = 1; seed <= runs; seed++) {
    const all = secondsOf(seed, seconds, perSecond);
    for (const share of checkShares()) {
      const seen = all.slice(0, Math.round(seconds * share));
      const reach = reachOf(seen, aim.figure, seed) ?? Number.POSITIVE_INFINITY;
      if (share < 1 && reach > aim.within) continue;
      const value = quantileOf(seen, aim.figure);
      if (Math.abs(value - truth) <= reach * value) held++;
      taken += share;
      break;
    }
  }
  return { held: held / runs, taken: taken / runs };
}

describe('a run that ends once its figure is known', () => {
  it.each([
    ['delivery.p50 ±10%', 120, 20],
    ['delivery.p99 ±20%', 150, 20],
  ])('holds the truth in 95 %% of runs at least: %s', (text, seconds, perSecond) => {
    const { held, taken } = simulated(aimOf(text)!, seconds, perSecond, 100);
    expect(held).toBeGreaterThanOrEqual(0.95);
    expect(taken).toBeLessThan(1);
  });
});

it('an aim is a percentile of a metric, and a share of it', () => {
  const aim = { metric: 'delivery', figure: 'p99', within: 0.1 };
  for (const text of ['delivery.p99 ±10%', ' delivery.p99+-10 %'])
    expect(aimOf(text)).toEqual({ text: text.trim(), ...aim });
  for (const text of ['delivery.p99', 'delivery.max ±10%', 'delivery.p99 ±0%', 'delivery.p99 ±100%', 'p99 ±10%'])
    expect(aimOf(text)).toBeUndefined();
});

it('the interval of a metric allows for the checks at it, and at no other', () => {
  expect(levelOf('delivery', 'delivery.p99 ±10%')).toBeCloseTo(1 - 0.05 / 7, 12);
  expect(levelOf('publishAck', 'delivery.p99 ±10%')).toBeUndefined();
  expect(levelOf('delivery', undefined)).toBeUndefined();
});
