import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeptPairedRatio } from '../../../src/results/paired.js';
import type { Reproduction } from '../../../src/results/published.js';
import { p50sIn, truthIn } from './cases.js';
import { drawRounds, type Model, randomOf } from './model.js';
import {
  comparisonAnswer,
  owedMedian,
  play,
  ratioByRecord,
  ratioByRuns,
  saidBy,
  startsPlanned,
  usualUs,
} from './product.js';

const pair = (one: Partial<KeptPairedRatio> = {}): KeptPairedRatio => ({
  ...{ a: 'a', b: 'b', ratio: 2, interval: [1.8, 2.2], joint: [1.7, 2.4], theseProcesses: null, ofMedians: 2 },
  ...{ change: null, missing: null, holds: 'yes', family: 1, because: null },
  ...one,
});
const paired = (one: KeptPairedRatio, control: KeptPairedRatio | null = null) => ({ pairs: [one], control });

describe('an answer', () => {
  it('is what the product says of each pair', () => {
    const { statements, hasAlarm } = comparisonAnswer(paired(pair()));
    expect(statements).toEqual([
      { a: 'a', b: 'b', ratio: 2, interval: [1.8, 2.2], conclusion: 'apart', reason: undefined },
    ]);
    expect(hasAlarm).toBeUndefined();
  });

  it('says why it is open', () => {
    const open = pair({ holds: 'open', because: 'levels' });
    expect(comparisonAnswer(paired(open)).statements).toMatchObject([{ conclusion: 'open', reason: 'levels' }]);
  });

  it.each([
    ['a', Number.POSITIVE_INFINITY],
    ['b', 0],
    ['both', Number.NaN],
  ] as const)('has no interval where the median of %s did not arrive', (missing, ratio) => {
    const lost = pair({ missing, ratio: null, interval: null, joint: null, ofMedians: null });
    expect(comparisonAnswer(paired(lost)).statements).toMatchObject([{ ratio, interval: undefined }]);
  });

  it('has an alarm if the control differs from its twin', () => {
    expect(comparisonAnswer(paired(pair(), pair({ holds: 'no' }))).hasAlarm).toBe(false);
    expect(comparisonAnswer(paired(pair(), pair())).hasAlarm).toBe(true);
  });

  it('is missing where a comparison is refused or leaves nothing', () => {
    const none = { paired: undefined, rows: [] };
    expect(saidBy({ ...none, exitCode: 2 })).toEqual({ answer: undefined, lack: 'refused' });
    expect(saidBy({ ...none, exitCode: 2, rows: ['failed'] })).toEqual({ answer: undefined, lack: 'no answer' });
    expect(saidBy({ ...none, exitCode: 1 })).toEqual({ answer: undefined, lack: 'no answer' });
    const few = { pairs: [], control: null };
    expect(saidBy({ exitCode: 4, paired: few, rows: [] })).toEqual({ answer: undefined, lack: 'too few starts' });
    expect(saidBy({ exitCode: 0, paired: paired(pair()), rows: [] }).answer?.statements).toHaveLength(1);
  });
});

describe('a comparison that is played', () => {
  const quiet = { startSd: 0.001, roundSd: 0.002 };
  const played = (targets: Record<string, Model>) => {
    const random = randomOf(1);
    let starts = 0;
    const models = [...Object.values(targets), Object.values(targets)[0]!];
    const sides = Object.keys(targets).map((target) => ({ target, twinOf: null as string | null }));
    const answer = play({
      planned: startsPlanned,
      targets: [...sides, { target: 'twin', twinOf: 'a' }],
      start: () => {
        starts++;
        return models.map((model) => drawRounds(model, 12, random));
      },
    });
    return { answer, starts };
  };

  it('ends as soon as all pairs are decided', () => {
    const { answer, starts } = played({ a: { us: 1000, ...quiet }, b: { us: 2000, ...quiet } });
    expect(answer).toMatchObject({ statements: [{ a: 'a', b: 'b', conclusion: 'apart' }], hasAlarm: false });
    expect(starts).toBeLessThan(startsPlanned);
  });

  it('makes all starts while pairs are open', () => {
    const noisy = { startSd: 1, roundSd: 0.1 };
    const { answer, starts } = played({ a: { us: 1000, ...noisy }, b: { us: 1100, ...noisy } });
    expect(answer.statements).toMatchObject([{ conclusion: 'open', reason: 'chance' }]);
    expect(starts).toBe(startsPlanned);
  });
});

it('knows the truth of every pair', () => {
  const model = { us: 1000, startSd: 0.1, roundSd: 0.1 };
  const truth = truthIn({ a: model, b: { ...model, us: 1200 }, c: { ...model, startSd: 0.3 } }, 12);
  expect(truth('b', 'a')).toMatchObject({ low: expect.closeTo(1.2, 6), high: expect.closeTo(1.2, 6), isEqual: false });
  expect(truth('a', 'c')).toMatchObject({ isEqual: true });
});

const us = fc.double({ min: 1, max: 1e7, noNaN: true });

it('ranks what never came behind all that did', () => {
  expect(owedMedian([30, 10, 20], 3)).toBe(20);
  expect(owedMedian([30, 10, 20], 5)).toBe(30);
  expect(owedMedian([30, 10, 20], 6)).toBe(30);
  expect(owedMedian([30, 10, 20], 7)).toBe(Number.POSITIVE_INFINITY);
});

it('takes the median of the rounds of all starts', () => {
  expect(
    usualUs([
      [10, 10, 9000],
      [40, 50],
    ]),
  ).toBe(40);
  expect(usualUs([[10], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]])).toBe(Number.POSITIVE_INFINITY);
  expect(usualUs([])).toBeNaN();
});

it('draws a ratio towards 1 by the way, and never beyond', () => {
  fc.assert(
    fc.property(us, us, us, (a, b, way) => {
      const { low, high } = ratioByRecord(a, b, way);
      expect(low).toBeLessThanOrEqual(a / b);
      expect(high).toBeGreaterThanOrEqual(a / b);
      if (a > b) expect(low).toBeGreaterThanOrEqual(1);
      if (a < b) expect(high).toBeLessThanOrEqual(1);
    }),
  );
  expect(ratioByRecord(Number.POSITIVE_INFINITY, 7, 3)).toEqual({
    low: Number.POSITIVE_INFINITY,
    high: Number.POSITIVE_INFINITY,
  });
  expect(ratioByRecord(7, Number.POSITIVE_INFINITY, 3)).toEqual({ low: 0, high: 0 });
});

it('contains the ratio of any two runs', () => {
  const runs = fc.array(us, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(runs, runs, (a, b) => {
      const { low, high } = ratioByRuns(a, b, 1.25);
      for (const one of a)
        for (const other of b) {
          expect(low).toBeLessThan(one / other);
          expect(high).toBeGreaterThan(one / other);
        }
    }),
  );
});

it('reads the p50 of each contender that was measured', () => {
  const figures = ['uws', 'socketio', 'anycable'].flatMap((target) =>
    ['delivery.p50', 'delivery.p99'].map((metric) => ({ id: `${target}-${metric}`, target, metric })),
  );
  const rows = figures.map(({ id, target }, at) => ({
    ...{ figure: id, why: '', ratio: null },
    measured: target === 'anycable' ? null : { median: at + 1 },
  }));
  expect(p50sIn({ table: { figures }, rows } as unknown as Reproduction)).toEqual(
    new Map([
      ['uws', [1]],
      ['socketio', [3]],
      ['anycable', []],
    ]),
  );
});
