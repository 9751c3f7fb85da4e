import { describe, expect, it } from 'vitest';
import { type Instants, instantsAt, instantsEvery, instantsOver } from './instants.js';

const half = (): number => 0.5;

/** Returns the first instants in milliseconds. */
function first(instants: Instants, most = 5): number[] {
  const dueMs: number[] = [];
  for (let n = 0; n < most; n++) {
    const dueNs = instants(n);
    if (dueNs === undefined) break;
    dueMs.push(dueNs / 1e6);
  }
  return dueMs;
}

describe('instants', () => {
  it('of a period begin at a drawn place in it, or at once', () => {
    expect(first(instantsEvery('200ms', 1e9, {}, half))).toEqual([1100, 1300, 1500, 1700, 1900]);
    expect(first(instantsEvery(200, 1e9, { from: 'start', count: 2 }, half))).toEqual([1000, 1200]);
  });

  it('of a rate are even, or a Poisson process with that mean', () => {
    expect(first(instantsEvery({ perSecond: 10 }, 0, { from: 'start', until: '250ms' }, half))).toEqual([0, 100, 200]);
    let n = 0;
    const draws = (): number => ((n++ * 7919) % 1000) / 1000;
    const many = first(instantsEvery({ perSecond: 100, poisson: true }, 0, {}, draws), 1000);
    expect(many).toEqual([...many].sort((one, other) => one - other));
    expect((many.at(-1) as number) / many.length).toBeCloseTo(10, 0);
  });

  it('of a list come in the order of their times', () => {
    expect(first(instantsAt(['2s', 500, '1s'], 0, {}))).toEqual([500, 1000, 2000]);
  });

  it('of a burst are spread over its time, or at once', () => {
    expect(first(instantsOver(4, '1s', 0, {}))).toEqual([0, 250, 500, 750]);
    expect(first(instantsOver(2, undefined, 5e6, {}))).toEqual([5, 5]);
  });

  it.each([
    ['a period', () => instantsEvery(0, 0, {}, half)],
    ['a rate', () => instantsEvery({ perSecond: -1 }, 0, {}, half)],
    ['a count', () => instantsOver(0, '1s', 0, {})],
  ])('refuse %s that is not above 0', (_name, make) => {
    expect(make).toThrow(RangeError);
  });
});
