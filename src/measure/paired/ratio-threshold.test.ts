import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreed, type Holds } from '../statement.js';
import { decideRatio, decideTotals, parseRatioThreshold, type RatioSign, ratioSigns } from './ratio-threshold.js';

const subjects = {
  targets: ['head', 'base', 'v4.8.1-rc', '127.0.0.1:3000'],
  figures: ['delivery.p50', 'delivery.last'],
  counts: ['lost', 'delivered'],
};

const faultsIn = (text: string): number => {
  const read = parseRatioThreshold(text, subjects);
  return 'faults' in read ? read.faults.length : 0;
};

describe('a ratio as threshold', () => {
  it.each([
    ['head/base delivery.p50 < 1.05', { a: 'head', b: 'base', of: 'delivery.p50', comparison: '<', bound: 1.05 }],
    [' head / base delivery.last<=2', { a: 'head', b: 'base', of: 'delivery.last', comparison: '<=', bound: 2 }],
    [
      'v4.8.1-rc/127.0.0.1:3000 lost >1',
      { a: 'v4.8.1-rc', b: '127.0.0.1:3000', of: 'lost', comparison: '>', bound: 1 },
    ],
    ['base/head delivered >= 0.99', { a: 'base', b: 'head', of: 'delivered', comparison: '>=', bound: 0.99 }],
  ])('reads %j', (text, ratio) => {
    expect(parseRatioThreshold(text, subjects)).toEqual({ text: text.trim(), ...ratio });
  });

  it.each([
    ['head/base', 1],
    ['head/base < 1.05', 1],
    ['head/base delivery.p50 1.05', 1],
    ['head/base/base delivery.p50 < 1.05', 1],
    ['head/base delivery.p50 < 5%', 1],
    ['head/base delivery.p50 < 1.05ms', 1],
    ['head/base delivery.p50 < 0', 1],
    ['head/base delivery.p50 < -1', 1],
    ['head/base delivery.p50 == 1', 1],
    ['head/base delivery.p99 < 1.05', 1],
    ['head/main delivery.p50 < 1.05', 1],
    ['head/head delivery.p50 < 1.05', 1],
    ['tail/main gone.p50 != x', 5],
  ])('is not %j, for %i reasons', (text, faults) => {
    expect(faultsIn(text)).toBe(faults);
  });
});

const bounds = fc.tuple(fc.double({ min: 0.01, max: 100, noNaN: true }), fc.double({ min: 1, max: 10, noNaN: true }));
const limit = fc.double({ min: 0.01, max: 1000, noNaN: true });
const sign = fc.constantFrom<RatioSign>(...ratioSigns);
const opposite: Record<RatioSign, RatioSign> = { '<': '>', '<=': '>=', '>=': '<=', '>': '<' };
const other: Record<Holds, Holds> = { yes: 'no', no: 'yes', open: 'open' };

describe('the verdict of a ratio', () => {
  it('is undecided exactly if the limit lies within its bounds', () => {
    fc.assert(
      fc.property(bounds, limit, sign, ([low, times], bound, comparison) => {
        const high = low * times;
        const isWithin = low <= bound && bound <= high;
        expect(decideRatio({ comparison, bound }, [low, high]) === 'open').toBe(isWithin);
      }),
    );
  });

  it('is the opposite for the opposite sign, and the same for the turned ratio', () => {
    fc.assert(
      fc.property(bounds, limit, sign, ([low, times], bound, comparison) => {
        const high = low * times;
        const verdict = decideRatio({ comparison, bound }, [low, high]);
        const turned = opposite[comparison];
        expect(decideRatio({ comparison: turned, bound }, [low, high])).toBe(other[verdict]);
        fc.pre(Math.abs(bound / low - 1) > 1e-9 && Math.abs(bound / high - 1) > 1e-9);
        expect(decideRatio({ comparison: turned, bound: 1 / bound }, [1 / high, 1 / low])).toBe(verdict);
      }),
    );
  });

  it('never turns from kept to broken as a limit is relaxed', () => {
    const order = ['no', 'open', 'yes'];
    fc.assert(
      fc.property(bounds, limit, limit, ([low, times], one, another) => {
        const [strict, loose] = [Math.min(one, another), Math.max(one, another)];
        const of = (bound: number): number =>
          order.indexOf(decideRatio({ comparison: '<', bound }, [low, low * times]));
        expect(of(loose)).toBeGreaterThanOrEqual(of(strict));
      }),
    );
  });

  it('holds at both ends of a latency, or is undecided', () => {
    expect(agreed(['yes', 'yes'])).toBe('yes');
    expect(agreed(['no'])).toBe('no');
    expect(agreed(['yes', 'no'])).toBe('open');
    expect(agreed(['yes', 'open'])).toBe('open');
    expect(agreed([])).toBe('open');
  });
});

describe('the verdict of totals', () => {
  it.each([
    ['<=', 1, 0, 0, 'yes'],
    ['<', 1, 0, 0, 'no'],
    ['<=', 1, 7, 7, 'yes'],
    ['<=', 1, 8, 7, 'no'],
    ['<=', 1, 1, 0, 'no'],
    ['<=', 1.5, 0, 3, 'yes'],
    ['>=', 0.99, 98, 100, 'no'],
    ['>', 2, 5, 2, 'yes'],
  ] as const)('of %s %d for %d against %d is %5$s', (comparison, bound, a, b, verdict) => {
    expect(decideTotals({ comparison, bound }, a, b)).toBe(verdict);
  });

  it('never needs a third state', () => {
    const total = fc.nat(1000);
    fc.assert(
      fc.property(total, total, limit, sign, (a, b, bound, comparison) => {
        expect(decideTotals({ comparison, bound }, a, b)).not.toBe('open');
      }),
    );
  });
});
