import { describe, expect, it } from 'vitest';
import { isKept, isUndecided, parseThreshold, type Threshold, thresholdForms, valueFor } from './threshold.js';

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
  ])('reads %j', (text, threshold) => {
    expect(read(text)).toEqual({ text: text.trim(), ...threshold });
  });

  it.each([
    '',
    'handshake.p99',
    'handshake<53ms',
    'p99<53ms',
    'delivery.p99<53ms',
    'handshake.p98<53ms',
    'handshake.constructor<53ms',
    'handshake.p99.8<53ms',
    'handshake.p50.0<53ms',
    'handshake.p99<53',
    'handshake.p99<53us',
    'handshake.p99<-53ms',
    'handshake.p99<53ms and more',
    'handshake.p99=53ms',
    'lost==0.5',
    'lost==0ms',
    'lost>=99%',
    'gone==0',
    'handshake.p99<0ms',
    'handshake.p99<=0ms',
    'handshake.p99==0s',
    'lost<0',
    'delivered>=101%',
    'delivered>100%',
  ])('is not %j', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('says how it is written', () => {
    const forms = thresholdForms(subjects);
    for (const name of ['handshake, tcp', 'p50, p90', 'lost, held', '>=PERCENT%']) expect(forms).toContain(name);
    expect(thresholdForms({ metrics: ['tcp'], counts: [], shares: [] })).not.toContain('COUNT');
  });
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
  ] as const)('%s', (text, value, kept) => {
    expect(said(text)).toEqual([value, kept]);
  });
});

it.each([
  ['tcp.p50<5ms', 4801, 5003, true],
  ['tcp.p50<5ms', 4801, 4999, false],
  ['tcp.p50<5ms', 5003, 5011, false],
  ['tcp.p50>5ms', 4801, 5003, true],
  ['tcp.p50==5ms', 4801, 5003, true],
  ['tcp.p50==5ms', 5003, 5011, false],
])('%s of %d to %d µs is undecided: %j', (text, least, most, isOpen) => {
  expect(isUndecided(read(text) as Threshold, least, most)).toBe(isOpen);
});
