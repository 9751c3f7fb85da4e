import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../test/law.js';
import { naming } from '../../test/refusal.js';
import { agreed, type Holds } from './statement.js';
import {
  decideRatio,
  decideTotals,
  isKept,
  isUndecided,
  parseRatioThreshold,
  parseThreshold,
  type RatioSign,
  ratioSigns,
  type Threshold,
  thresholdFault,
  valueFor,
} from './threshold.js';

const subjects = {
  metrics: ['handshake', 'tcp'],
  counts: ['lost', 'held', 'delivered', 'expected'],
  shares: [{ part: 'delivered', whole: 'expected' }],
};

const read = (text: string): Threshold | undefined => parseThreshold(text, subjects);

describe('a threshold', () => {
  it.each([
    ['handshake.p99<53ms', { kind: 'figure', metric: 'handshake', figure: 'p99', comparison: '<', bound: 53_000 }],
    [' tcp.p50 <= 1.5s ', { kind: 'figure', metric: 'tcp', figure: 'p50', comparison: '<=', bound: 1_500_000 }],
    ['handshake.p999<0.7ms', { kind: 'figure', metric: 'handshake', figure: 'p999', comparison: '<', bound: 700 }],
    ['handshake.p99.9<0.7ms', { kind: 'figure', metric: 'handshake', figure: 'p999', comparison: '<', bound: 700 }],
    ['tcp.min>7ms', { kind: 'figure', metric: 'tcp', figure: 'min', comparison: '>', bound: 7000 }],
    ['handshake.max<1m1s', { kind: 'figure', metric: 'handshake', figure: 'max', comparison: '<', bound: 61_000_000 }],
    ['lost==0', { kind: 'count', entry: 'lost', comparison: '==', bound: 0 }],
    ['held >= 10k', { kind: 'count', entry: 'held', comparison: '>=', bound: 10_000 }],
    ['delivered>=99.9%', { kind: 'share', part: 'delivered', whole: 'expected', comparison: '>=', bound: 0.999 }],
  ])('reads %j', (text, threshold) => expect(read(text)).toEqual({ text: text.trim(), ...threshold }));

  it.each([
    ['heap.max<2gb', { figure: 'max', comparison: '<', bound: 2e9 }],
    ['heap.last <= 0.5', { figure: 'last', comparison: '<=', bound: 0.5 }],
    ['heap.mean>10k', { figure: 'mean', comparison: '>', bound: 10_000 }],
    ['heap.p99<2gb', undefined],
    ['heap.max<2ms', undefined],
    ['heat.max<2gb', undefined],
  ])('reads %j of a series of the user', (text, rest) => {
    const read = parseThreshold(text, { ...subjects, series: ['heap'] });
    expect(read).toEqual(rest && { text, kind: 'series', metric: 'heap', ...rest });
    if (read) expect(valueFor(read, {}, {}, { heap: { min: 1, max: 1, mean: 1, last: 1 } })).toBe(1);
    if (read) expect(valueFor(read, {}, {})).toBeNull();
  });

  it.each([
    ['tcp:log in.p99<53ms', 'tcp:log in', 'p99'],
    ['tcp:game.ts:14.p99.9<1s', 'tcp:game.ts:14', 'p999'],
    ['tcp:GET /users/:id/v1.2.max<1s', 'tcp:GET /users/:id/v1.2', 'max'],
  ])('reads %j of a part by name, if runs have parts', (text, metric, figure) => {
    const families = ['tcp'];
    expect(parseThreshold(text, { ...subjects, families })).toMatchObject({ kind: 'figure', metric, figure });
    expect(read(text)).toBeUndefined();
    expect(parseThreshold(text.replace('tcp', 'handshake'), { ...subjects, families })).toBeUndefined();
    expect(parseThreshold(text.replace(/:.*\./, ':.'), { ...subjects, families })).toBeUndefined();
  });

  it.each([
    ...['', 'handshake.p99', 'handshake<53ms', 'p99<53ms', 'delivery.p99<53ms', 'handshake.p98<53ms'],
    ...['handshake.constructor<53ms', 'handshake.p99.8<53ms', 'handshake.p50.0<53ms', 'handshake.p99<53'],
    ...['handshake.p99<53us', 'handshake.p99<-53ms', 'handshake.p99<53ms and more', 'handshake.p99=53ms', 'lost==0.5'],
    ...['lost==0ms', 'lost>=99%', 'gone==0', 'handshake.p99<0ms', 'handshake.p99<=0ms', 'handshake.p99==0s', 'lost<0'],
    ...['delivered>=101%', 'delivered>100%'],
  ])('is not %j', (text) => expect(read(text)).toBeUndefined());
});

describe('what a run says of a threshold', () => {
  const figures = { p50: 7, p90: 11, p95: 13, p99: null, p999: null, min: 1, max: 17, mean: 8 };
  const ledger = { lost: 3, delivered: 97, expected: 100, lostByCause: { reset: 3 } };
  const said = (text: string): [number | null, boolean] => {
    const threshold = read(text) as Threshold;
    const value = valueFor(threshold, { tcp: figures }, ledger);
    return [value, isKept(threshold, value)];
  };

  it.each([
    ['tcp.p50<1ms', 7, true],
    ['tcp.p99<1h', null, false],
    ['handshake.p50<1h', null, false],
    ['lost==3', 3, true],
    ['lost<3', 3, false],
    ['lost<=3', 3, true],
    ['lost>3', 3, false],
    ['delivered>=97%', 0.97, true],
    ['delivered>97%', 0.97, false],
    ['held>=0', null, false],
  ] as const)('%s', (text, value, kept) => expect(said(text)).toEqual([value, kept]));
});

it.each([
  ['tcp.p50<5ms', 4801, 5003, true],
  ['tcp.p50<5ms', 4801, 4999, false],
  ['tcp.p50<5ms', 5003, 5011, false],
  ['tcp.p50>5ms', 4801, 5003, true],
  ['tcp.p50==5ms', 4801, 5003, true],
  ['tcp.p50==5ms', 5003, 5011, false],
])('%s of %d to %d µs is undecided: %j', (text, least, most, isOpen) =>
  expect(isUndecided(read(text) as Threshold, least, most)).toBe(isOpen),
);

const ratioSubjects = {
  targets: ['head', 'base', 'v4.8.1-rc', '127.0.0.1:3000'],
  figures: ['delivery.p50', 'delivery.last'],
  counts: ['lost', 'delivered'],
};

const faultsIn = (text: string): number => {
  const read = parseRatioThreshold(text, ratioSubjects);
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
  ])('reads %j', (text, ratio) =>
    expect(parseRatioThreshold(text, ratioSubjects)).toEqual({ text: text.trim(), ...ratio }),
  );

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
  ])('is not %j, for %i reasons', (text, faults) => expect(faultsIn(text)).toBe(faults));
});

const bounds = fc.tuple(fc.double({ min: 0.01, max: 100, noNaN: true }), fc.double({ min: 1, max: 10, noNaN: true }));
const limit = fc.double({ min: 0.01, max: 1000, noNaN: true });
const sign = fc.constantFrom<RatioSign>(...ratioSigns);
const opposite: Record<RatioSign, RatioSign> = { '<': '>', '<=': '>=', '>=': '<=', '>': '<' };
const other: Record<Holds, Holds> = { yes: 'no', no: 'yes', open: 'open' };

describe('the verdict of a ratio', () => {
  it('is undecided exactly if the limit lies within its bounds', () =>
    law(bounds, limit, sign, ([low, times], bound, comparison) => {
      const high = low * times;
      const isWithin = low <= bound && bound <= high;
      expect(decideRatio({ comparison, bound }, [low, high]) === 'open').toBe(isWithin);
    }));

  it('is the opposite for the opposite sign, and the same for the turned ratio', () =>
    law(bounds, limit, sign, ([low, times], bound, comparison) => {
      const high = low * times;
      const verdict = decideRatio({ comparison, bound }, [low, high]);
      const turned = opposite[comparison];
      expect(decideRatio({ comparison: turned, bound }, [low, high])).toBe(other[verdict]);
      fc.pre(Math.abs(bound / low - 1) > 1e-9 && Math.abs(bound / high - 1) > 1e-9);
      expect(decideRatio({ comparison: turned, bound: 1 / bound }, [1 / high, 1 / low])).toBe(verdict);
    }));

  it('never turns from kept to broken as a limit is relaxed', () => {
    const order = ['no', 'open', 'yes'];
    law(bounds, limit, limit, ([low, times], one, another) => {
      const [strict, loose] = [Math.min(one, another), Math.max(one, another)];
      const of = (bound: number): number => order.indexOf(decideRatio({ comparison: '<', bound }, [low, low * times]));
      expect(of(loose)).toBeGreaterThanOrEqual(of(strict));
    });
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
  ] as const)('of %s %d for %d against %d is %5$s', (comparison, bound, a, b, verdict) =>
    expect(decideTotals({ comparison, bound }, a, b)).toBe(verdict),
  );

  it('never needs a third state', () => {
    const total = fc.nat(1000);
    law(total, total, limit, sign, (a, b, bound, comparison) => {
      expect(decideTotals({ comparison, bound }, a, b)).not.toBe('open');
    });
  });
});

describe('what is wrong with a text that is no threshold', () => {
  it.each([
    ['handshake.p99<200', 'unit', '200ms', 'received 200 in'],
    ['handshake.p99<soon', 'a duration', 'received soon in'],
    ['delivery.p99<1s', 'handshake, tcp,', 'received delivery in'],
    ['tcp.p98<1s', 'p50, p90, p95, p99, p999, min, max, mean,', 'received p98 in'],
    ['tcp<1s', 'figure', 'tcp.p99', 'received tcp in'],
    ['tcp.p99=1s', '<, <=, ==, >=, >,', 'received = in'],
    ['gone==0', 'lost, held, delivered, expected,', 'received gone in'],
    ['lost>=99%', 'one of delivered', '%', 'received lost in'],
    ['delivered>=x%', 'a percentage', 'received x% in'],
    ['lost==0ms', 'a whole number', 'received 0ms in'],
    ['foo', 'handshake.p50<200ms', 'received foo'],
  ])('%s', (text, ...names) => {
    expect(read(text)).toBeUndefined();
    expect(thresholdFault(text, subjects)).toEqual(naming(...names, text));
  });
});
