import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { type Delay, delayAt, delayForms, parseDelay, printDelay } from './delay.js';

const ms = fc.double({ min: 0, max: 3_600_000, noNaN: true }).map((value) => value + 0);
const share = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const pair = fc.tuple(ms, ms).map(([a, b]) => (a <= b ? ([a, b] as const) : ([b, a] as const)));

const delays: fc.Arbitrary<Delay> = fc.oneof(
  ms.map((each): Delay => ({ kind: 'constant', ms: each })),
  pair.map(([fromMs, toMs]): Delay => ({ kind: 'uniform', fromMs, toMs })),
  fc
    .tuple(pair, share)
    .map(([[usualMs, rareMs], rareShare]): Delay => ({ kind: 'bimodal', usualMs, rareMs, rareShare })),
  fc
    .tuple(pair, fc.double({ min: 0, max: 7, noNaN: true }))
    .filter(([[medianMs]]) => medianMs > 0)
    .map(([[medianMs, capMs], sigma]): Delay => ({ kind: 'long-tail', medianMs, sigma: sigma + 0, capMs })),
);

it('reads what it prints', () => {
  fc.assert(fc.property(delays, (delay) => void expect(parseDelay(printDelay(delay))).toEqual(delay)));
});

test.each<[string, Delay]>([
  ['constant:20ms', { kind: 'constant', ms: 20 }],
  [' constant: 0ms ', { kind: 'constant', ms: 0 }],
  ['uniform:5ms,50ms', { kind: 'uniform', fromMs: 5, toMs: 50 }],
  ['bimodal:2ms,80ms,0.1', { kind: 'bimodal', usualMs: 2, rareMs: 80, rareShare: 0.1 }],
  ['long-tail:20ms,0.5,2s', { kind: 'long-tail', medianMs: 20, sigma: 0.5, capMs: 2000 }],
  ['long-tail:7ms,1', { kind: 'long-tail', medianMs: 7, sigma: 1, capMs: 700 }],
])('reads %s', (text, delay) => expect(parseDelay(text)).toEqual(delay));

test.each([
  '',
  '20ms',
  'constant',
  'constant:20',
  'constant:1ms,2ms',
  'constant:2h',
  'uniform:50ms,5ms',
  'uniform:5ms',
  'bimodal:2ms,80ms',
  'bimodal:2ms,80ms,1.1',
  'bimodal:80ms,2ms,0.1',
  'long-tail:0ms,1',
  'long-tail:20ms',
  'long-tail:20ms,-1',
  'long-tail:20ms,1,10ms',
  'toString:1ms',
  'normal:20ms,1ms',
])('refuses %j', (text) => expect(parseDelay(text)).toBeUndefined());

it('names forms that it reads', () => {
  for (const form of delayForms.split(/, (?=[a-z])| or /)) expect(parseDelay(form), form).toBeDefined();
});

it('gives quantiles: rising, and within the bounds of the delay', () => {
  fc.assert(
    fc.property(delays, share, share, (delay, a, b) => {
      const [low, high] = [delayAt(delay, Math.min(a, b)), delayAt(delay, Math.max(a, b))];
      expect(low).toBeGreaterThanOrEqual(0);
      // But for the last bits of a double.
      expect(low).toBeLessThanOrEqual(high * (1 + 1e-9));
      if (delay.kind === 'long-tail') expect(high).toBeLessThanOrEqual(delay.capMs);
    }),
  );
});

it('gives the quantiles that each form stands for', () => {
  expect(delayAt({ kind: 'uniform', fromMs: 5, toMs: 50 }, 0.2)).toBe(14);
  const bimodal: Delay = { kind: 'bimodal', usualMs: 2, rareMs: 80, rareShare: 0.125 };
  expect([0, 0.874, 0.875, 1].map((p) => delayAt(bimodal, p))).toEqual([2, 2, 80, 80]);
  const tail: Delay = { kind: 'long-tail', medianMs: 20, sigma: 0.5, capMs: 40 };
  expect(delayAt(tail, 0.5)).toBeCloseTo(20, 3);
  // One standard deviation of the logarithm above the median.
  expect(delayAt(tail, 0.841345)).toBeCloseTo(20 * Math.exp(0.5), 1);
  expect(delayAt(tail, 0.99)).toBe(40);
});
