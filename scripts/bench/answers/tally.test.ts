import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ComparisonAnswer, PairStatement } from './product.js';
import { atLeast, cellsOf, head, isFalse, judged, markdown, misses, type Repeat, type Truth, tally } from './tally.js';

const equalWithin = 0.05;
const truth = (low: number, high = low): Truth => ({ low, high, isEqual: false });
const equal: Truth = { low: 0.998, high: 1, isEqual: true };
const said = (ratio: number, conclusion: PairStatement['conclusion'] = 'apart'): PairStatement => ({
  ...{ a: 'a', b: 'b', ratio, conclusion },
  interval: [ratio * 0.9, ratio * 1.1],
});

describe('a statement', () => {
  it('is false where the truth excludes it', () => {
    const cases: [PairStatement, Truth, boolean][] = [
      [said(1.2), truth(1.2), false],
      [said(1.2), truth(0.9), true],
      [said(0.8), truth(1.1, 1.2), true],
      // Single runs that leave both orders possible exclude neither.
      [said(0.8), truth(0.9, 1.2), false],
      [said(1.2), equal, true],
      [said(0.8), equal, true],
      [said(1, 'equal'), equal, false],
      [said(1, 'equal'), truth(1.04), false],
      [said(1, 'equal'), truth(1.06), true],
      [said(1, 'equal'), truth(0.9), true],
      [said(9), truth(Number.POSITIVE_INFINITY), false],
      [said(0.8), truth(Number.POSITIVE_INFINITY), true],
    ];
    for (const [statement, of, expected] of cases) expect(isFalse(statement, of, equalWithin)).toBe(expected);
  });

  it('is as false the other way round, and never while it is open', () => {
    const ratio = fc.double({ min: 0.01, max: 100, noNaN: true }).filter((each) => each !== 1);
    const conclusion = fc.constantFrom('apart' as const, 'equal' as const, 'open' as const);
    fc.assert(
      fc.property(ratio, conclusion, ratio, fc.boolean(), (stated, what, is, isEqual) => {
        const one = isFalse(said(stated, what), { ...truth(is), isEqual }, equalWithin);
        expect(isFalse(said(1 / stated, what), { ...truth(1 / is), isEqual }, equalWithin)).toBe(one);
        if (what === 'open') expect(one).toBe(false);
      }),
    );
  });

  it('misses a truth that its interval does not touch', () => {
    expect(misses([1.1, 1.3], truth(1.2))).toBe(false);
    expect(misses([1.1, 1.3], truth(1.3, 1.5))).toBe(false);
    expect(misses([1.1, 1.3], truth(1.31, 1.5))).toBe(true);
    expect(misses([1.1, 1.3], truth(1))).toBe(true);
    expect(misses([1.1, 9], truth(Number.POSITIVE_INFINITY))).toBe(true);
    expect(misses([1.1, Number.POSITIVE_INFINITY], truth(Number.POSITIVE_INFINITY))).toBe(false);
    expect(misses([1.1, 1.3], truth(Number.NaN))).toBe(true);
  });
});

describe('a share', () => {
  it('is broken only beyond chance', () => {
    expect(judged({ wrong: 0, of: 0 }, 0.05)).toBe('kept');
    expect([0, 1, 2, 3, 4, 5].map((wrong) => judged({ wrong, of: 20 }, 0.05))).toEqual([
      ...['kept', 'kept', 'open', 'open', 'open', 'broken'],
    ]);
    expect([50, 60, 70].map((wrong) => judged({ wrong, of: 1000 }, 0.05))).toEqual(['kept', 'open', 'broken']);
  });

  it('is no better with more wrong ones', () => {
    const order = ['kept', 'open', 'broken'];
    const of = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(of, fc.nat(), fc.double({ min: 0.001, max: 0.5, noNaN: true }), (many, some, atMost) => {
        const wrong = some % many;
        const [less, more] = [wrong, wrong + 1].map((each) => judged({ wrong: each, of: many }, atMost));
        expect(order.indexOf(more!)).toBeGreaterThanOrEqual(order.indexOf(less!));
      }),
    );
  });

  it('is as likely as the binomial distribution says', () => {
    expect(atLeast(0, 20, 0.05)).toBe(1);
    expect(atLeast(1, 20, 0.05)).toBeCloseTo(1 - 0.95 ** 20, 12);
    expect(atLeast(3, 3, 0.5)).toBeCloseTo(0.125, 12);
  });
});

const expected = {
  ...{ name: 'a case', equalWithin, isToldPromised: true },
  told: [['b', 'a']] as const,
  undecided: ['chance'] as const,
};
const answer = (statement: PairStatement, hasAlarm = false): ComparisonAnswer => ({
  statements: [statement],
  hasAlarm,
});
const repeat = (of: ComparisonAnswer | undefined, is = 0.8): Repeat => ({
  answer: of,
  truth: (a) => truth(a === 'a' ? is : 1 / is),
});

describe('a row', () => {
  it('counts what went wrong', () => {
    const row = tally(expected, 'measured', [
      repeat(answer(said(0.8))),
      repeat(answer(said(1.2))),
      repeat(answer({ ...said(0.8, 'open'), reason: 'chance' })),
      repeat(answer({ ...said(0.8, 'open'), reason: 'rig' }, true)),
      { ...repeat(undefined), lack: 'refused', isLate: true },
    ]);
    expect(row).toMatchObject({ name: 'a case', repeats: 5, undecided: { chance: 1, rig: 1, refused: 1 } });
    expect(row.counts).toEqual({
      orders: { wrong: 1, of: 4 },
      intervals: { wrong: 1, of: 4, pair: 'a/b' },
      control: { wrong: 1, of: 4 },
      told: { wrong: 4, of: 5, pair: 'b/a' },
      reasons: { wrong: 2, of: 5 },
      late: { wrong: 1, of: 1 },
      none: { wrong: 1, of: 5 },
    });
  });

  it('tells a pair apart either way round', () => {
    const right = tally(expected, 'measured', [repeat(answer(said(0.8)))]);
    expect(right.counts.told).toMatchObject({ wrong: 0, of: 1 });
    const wrong = tally(expected, 'measured', [repeat(answer(said(0.8)), 1.2)]);
    expect(wrong.counts.told).toMatchObject({ wrong: 1, of: 1 });
  });

  it('has the interval of its worst pair', () => {
    const other = { ...said(9), a: 'c' };
    const both: ComparisonAnswer = { statements: [said(0.8), other], hasAlarm: undefined };
    const { counts } = tally(expected, 'measured', [{ answer: both, truth: () => truth(0.8) }]);
    expect(counts.intervals).toEqual({ wrong: 1, of: 1, pair: 'c/b' });
    expect(counts.control).toEqual({ wrong: 0, of: 0 });
  });
});

describe('a table', () => {
  const few = tally(expected, 'measured', [repeat(answer(said(0.8))), repeat(undefined)]);
  const many = tally(
    { ...expected, isToldPromised: false },
    'simulated',
    Array.from({ length: 1000 }, (_, n) => repeat(answer(said(n < 80 ? 1.2 : 0.8), n < 25))),
  );

  it('marks what is broken, and what more repeats would tell', () => {
    expect(cellsOf(few)).toEqual([
      ...['a case', 'measured', '2', '0 of 1', '1 of 1', '0 of 1', '1 of 2 (open)', '50.0 % no answer (open)'],
    ]);
    expect(cellsOf(many)).toEqual([
      ...['a case', 'simulated', '1,000', '8.0 % BROKEN', '92.0 % (open)', '2.5 % (open)', '92.0 %', 'none'],
    ]);
  });

  it('goes into a page', () => {
    const [when, , titles, rule, ...rows] = markdown([few, many], '2026-11-24T13:00:00Z', 'a machine').split('\n');
    expect(when).toBe('2026-11-24, a machine.');
    const columns = [titles, rule, ...rows.slice(0, 2)].map((line) => line!.split('|').length - 2);
    expect(columns).toEqual(Array(4).fill(head.length));
  });
});
