import fc from 'fast-check';
import { expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { optionFlags } from '../launch/managed-server.js';
import {
  type Delay,
  delayAt,
  delayForms,
  metronomeOptions,
  ordersInWords,
  ordersOf,
  parseCold,
  parseDelay,
  parseFreeze,
  printDelay,
} from './orders.js';

it('reads freezes and cold starts', () => {
  expect(parseFreeze('2s+3s')).toEqual({ atMs: 2000, forMs: 3000 });
  expect(parseCold('20,400ms')).toEqual({ broadcasts: 20, byMs: 400 });
});

it.each(['', '2s', '2s+', '2s+0s', '2s+3', '2s+3s+1s'])('no freeze: %j', (text) =>
  expect(parseFreeze(text)).toBeUndefined(),
);

it.each(['', '20', '0,1ms', '2.5,1ms', '20,0ms', '20,1', '20,1ms,2ms'])('no cold start: %j', (text) =>
  expect(parseCold(text)).toBeUndefined(),
);

it('orders nothing by default', () => {
  const options = metronomeOptions.parse({});
  expect(ordersInWords(options)).toEqual({});
  expect(ordersOf(options)).toEqual({
    delay: { kind: 'constant', ms: 0 },
    ...{ delayPer: 'delivery', cold: undefined, driftMs: 0, freeze: undefined, limit: undefined },
    ...{ drop: 0, duplicate: 0, reorder: 0, refuse: 0, refusePublish: 0, seed: 1 },
  });
});

it('tells what is ordered in the words of its flags, the cap of a long tail among them', () => {
  const given = { delay: 'long-tail:7ms,1', delayPer: 'broadcast', cold: '20,400ms', driftMs: 2, freeze: '2000ms+3s' };
  const options = metronomeOptions.parse({ ...given, limit: 250, drop: 0.25 });
  expect(ordersInWords(options)).toEqual({
    ...{ delay: 'long-tail:7ms,1,0.7s', delayPer: 'broadcast', cold: '20,0.4s', driftMs: '2ms', freeze: '2s+3s' },
    ...{ limit: '250/s', drop: 0.25 },
  });
});

it('reads its values again from the flags of a command line', () => {
  const values = metronomeOptions.parse({
    ...{ delay: 'uniform:5ms,50ms', delayPer: 'broadcast', cold: '20,400ms', driftMs: 0.5, refusePublish: 0.5 },
    ...{ freeze: '2s+3s', limit: 1009, seed: 20_000 },
  });
  const given = optionFlags(metronomeOptions, values).map((flag) => /^--([a-z-]+)=(.*)$/.exec(flag)!.slice(1));
  const keys = new Map(optionsOf(metronomeOptions).map(({ flag, key }) => [flag, key]));
  const flags = Object.fromEntries(given.map(([flag, text]) => [keys.get(flag!), text]));
  expect(resolveOptions(metronomeOptions, { flags })).toMatchObject({ ok: true, values });
});

it('says what is wrong with every order at once', () => {
  const flags = { delay: 'fast', drop: '2', freeze: '3s', seed: '-1' };
  expect(resolveOptions(metronomeOptions, { flags })).toMatchObject({
    ok: false,
    issues: [
      { option: '--delay', expected: expect.stringContaining('constant:20ms'), received: '"fast"' },
      { option: '--freeze', expected: 'AT+FOR such as 2s+3s' },
      { option: '--drop', expected: 'at most 1' },
      { option: '--seed' },
    ],
  });
});

const lengths = fc.double({ min: 0, max: 3_600_000, noNaN: true }).map((value) => value + 0);

const share = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);

const pair = fc.tuple(lengths, lengths).map(([a, b]) => (a <= b ? ([a, b] as const) : ([b, a] as const)));

const delays: fc.Arbitrary<Delay> = fc.oneof(
  lengths.map((each): Delay => ({ kind: 'constant', ms: each })),
  pair.map(([fromMs, toMs]): Delay => ({ kind: 'uniform', fromMs, toMs })),
  fc
    .tuple(pair, share)
    .map(([[usualMs, rareMs], rareShare]): Delay => ({ kind: 'bimodal', usualMs, rareMs, rareShare })),
  fc
    .tuple(pair, fc.double({ min: 0, max: 7, noNaN: true }))
    .filter(([[medianMs]]) => medianMs > 0)
    .map(([[medianMs, capMs], sigma]): Delay => ({ kind: 'long-tail', medianMs, sigma: sigma + 0, capMs })),
);

it('reads what it prints', () => law(delays, (delay) => void expect(parseDelay(printDelay(delay))).toEqual(delay)));

it.each<[string, Delay]>([
  ['constant:20ms', { kind: 'constant', ms: 20 }],
  [' constant: 0ms ', { kind: 'constant', ms: 0 }],
  ['uniform:5ms,50ms', { kind: 'uniform', fromMs: 5, toMs: 50 }],
  ['bimodal:2ms,80ms,0.1', { kind: 'bimodal', usualMs: 2, rareMs: 80, rareShare: 0.1 }],
  ['long-tail:20ms,0.5,2s', { kind: 'long-tail', medianMs: 20, sigma: 0.5, capMs: 2000 }],
  ['long-tail:7ms,1', { kind: 'long-tail', medianMs: 7, sigma: 1, capMs: 700 }],
])('reads %s', (text, delay) => expect(parseDelay(text)).toEqual(delay));

it.each([
  ...['', '20ms', 'constant', 'constant:20', 'constant:1ms,2ms', 'constant:2h', 'uniform:50ms,5ms', 'uniform:5ms'],
  ...['bimodal:2ms,80ms', 'bimodal:2ms,80ms,1.1', 'bimodal:80ms,2ms,0.1', 'long-tail:0ms,1', 'long-tail:20ms'],
  ...['long-tail:20ms,-1', 'long-tail:20ms,1,10ms', 'toString:1ms', 'normal:20ms,1ms'],
])('refuses %j', (text) => expect(parseDelay(text)).toBeUndefined());

it('names forms that it reads', () => {
  for (const form of delayForms.split(/, (?=[a-z])| or /)) expect(parseDelay(form), form).toBeDefined();
});

it('gives quantiles: rising, and within the bounds of the delay', () =>
  law(delays, share, share, (delay, a, b) => {
    const [low, high] = [delayAt(delay, Math.min(a, b)), delayAt(delay, Math.max(a, b))];
    expect(low).toBeGreaterThanOrEqual(0);
    // But for the last bits of a double.
    expect(low).toBeLessThanOrEqual(high * (1 + 1e-9));
    if (delay.kind === 'long-tail') expect(high).toBeLessThanOrEqual(delay.capMs);
  }));

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
