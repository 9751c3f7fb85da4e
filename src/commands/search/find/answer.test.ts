import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../../test/law.js';
import type { Holds } from '../../../measure/statement.js';
import type { FindingPoint } from '../../../results/search.js';
import { byRate, edgesOf, nextRate } from '../rates.js';
import { findAnswer } from './print.js';

const shape = { minRate: 0.1, maxRate: 1e5, precision: 0.1, repeat: 3, startRate: 101, runsAtMost: 36 };

const point = (ratePerSecond: number, holds: Holds): FindingPoint => ({
  ...{ ratePerSecond, holds, durationMs: 5000, figure: 7013, leastUs: 7001, rig: 'clean', stop: 'completed' },
  signs: holds === 'no' ? [{ sign: 'limit', text: '7.01 ms' }] : [],
  why: holds === 'open' ? ['target-starved: so it was', 'cores-busy: that too'] : [],
  directory: 'there',
});

/** Searches with a target that answers each run by its rate. */
function search(answer: (ratePerSecond: number) => Holds, of = shape) {
  const points: FindingPoint[] = [];
  for (let rate = nextRate([], of); rate !== undefined; rate = nextRate(byRate(points), of))
    points.push(point(rate, answer(rate)));
  return { points, ...edgesOf(byRate(points)), ...findAnswer(points, byRate(points), of, '') };
}

const limits = fc.double({ min: 1, max: 9_973, noNaN: true });
const dice = fc.infiniteStream(fc.integer({ min: 1, max: 6 }));

describe('the search for a rate', () => {
  it('doubles from the start while the threshold is kept, then takes the geometric middle', () => {
    const { points } = search((rate) => (rate <= 503 ? 'yes' : 'no'));
    expect(points.map(({ ratePerSecond }) => ratePerSecond).slice(0, 5)).toEqual([101, 202, 404, 808, 571.3]);
  });

  it('halves while the threshold is broken', () => {
    const { points } = search((rate) => (rate <= 23 ? 'yes' : 'no'));
    expect(points.map(({ ratePerSecond }) => ratePerSecond).slice(0, 4)).toEqual([101, 50.5, 25.25, 12.625]);
  });

  it('names an interval that holds any threshold, each end of three runs that agree', () =>
    law(limits, (limit) => {
      const { answer, interval, points } = search((rate) => (rate <= limit ? 'yes' : 'no'));
      const [low, high] = interval as [number, number];
      expect(answer).toBe('found');
      expect(low).toBeLessThanOrEqual(limit);
      expect(high).toBeGreaterThan(limit);
      expect(high).toBeLessThanOrEqual(low * 1.1 + 1e-9);
      for (const end of interval) expect(points.filter(({ ratePerSecond }) => ratePerSecond === end)).toHaveLength(3);
    }));

  it('closes in on both sides of the rates at which runs disagree', () => {
    let run = 0;
    const soft = search((rate) => (rate <= 135 || (rate < 150 && run++ % 2 === 1) ? 'yes' : 'no'));
    expect(soft.answer).toBe('found');
    const [low, high] = soft.interval as [number, number];
    expect(low).toBeLessThan(150);
    expect(low).toBeGreaterThan(135 / 1.1 / 1.1);
    expect(high).toBeGreaterThan(135);
    expect(high).toBeLessThan(150 * 1.1 * 1.1);
    for (const end of [low, high])
      expect(soft.points.filter(({ ratePerSecond }) => ratePerSecond === end).length).toBeGreaterThanOrEqual(3);
  });

  it('rarely names a wrong one where one run in six is spoilt by others: it says that it is undecided', () => {
    const [times, found] = [400, { right: 0, wrong: 0, undecided: 0 }];
    law.with({ numRuns: times, seed: 11 }, limits, dice, (limit, die) => {
      const spoilt = search((rate) => (rate <= limit && (die.next().value as number) > 1 ? 'yes' : 'no'));
      const [low, high] = spoilt.interval;
      const isRight = (low ?? 0) <= limit && limit < (high ?? Number.POSITIVE_INFINITY);
      if (spoilt.answer === 'undecided') found.undecided++;
      else found[isRight ? 'right' : 'wrong']++;
      expect(spoilt.points.length).toBeLessThanOrEqual(36);
    });
    expect(found.wrong / times).toBeLessThan(0.05);
    expect(found.right / times).toBeGreaterThan(0.6);
  });

  it('has one end where all was broken or all was kept, of three runs as well', () => {
    const broken = search(() => 'no');
    expect(broken).toMatchObject({ answer: 'brokenAtAll', interval: [null, 0.1], why: [] });
    expect(broken.points.filter(({ ratePerSecond }) => ratePerSecond === 0.1)).toHaveLength(3);
    const kept = search(() => 'yes', { ...shape, maxRate: 900 });
    expect(kept).toMatchObject({ answer: 'keptAtAll', interval: [900, null], why: [] });
    expect(kept.points.filter(({ ratePerSecond }) => ratePerSecond === 900)).toHaveLength(3);
  });
});

describe('an answer is undecided', () => {
  it('where runs take no side, for the reason that they give', () => {
    const { answer, why, interval } = search((rate) => (rate <= 503 ? 'yes' : 'open'));
    expect(answer).toBe('undecided');
    expect(why.join()).toContain('target-starved: so it was, and for 1 more reason that');
    expect(interval[0]).toBeLessThanOrEqual(503);
  });

  it('where a rate was kept above one that was broken', () => {
    const { answer, why } = search((rate) => (rate > 250 && rate < 350 ? 'no' : rate > 2000 ? 'no' : 'yes'), {
      ...shape,
      startRate: 300,
      minRate: 290,
    });
    expect({ answer, why }).toMatchObject({ answer: 'brokenAtAll' });
    const points = [...[1, 2, 3].map(() => point(404, 'no')), ...[1, 2, 3].map(() => point(808, 'yes'))];
    const said = findAnswer(points, byRate(points), shape, '');
    expect(said.answer).toBe('undecided');
    expect(said.why.join()).toContain('808/s kept the threshold in 3 of 3 runs, and 404/s broke it in 3 of 3 runs');
  });

  it('where runs at the same rates disagree over too wide a span, and says at which', () => {
    const votes: [number, Holds[]][] = [
      [101, ['yes', 'yes', 'yes']],
      [202, ['yes', 'no', 'yes', 'no', 'yes', 'yes']],
      [222, ['no', 'yes', 'no', 'no', 'no']],
      [404, ['no', 'no', 'no']],
    ];
    const points = votes.flatMap(([rate, all]) => all.map((holds) => point(rate, holds)));
    const said = findAnswer(points, byRate(points), shape, '');
    expect(said.answer).toBe('undecided');
    for (const told of ['4 of 6', '202/s', '1 of 5', '222/s']) expect(said.why.join()).toContain(told);
  });

  it('where something else ended it, the most runs were made, or no rate was judged', () => {
    const [few] = [[point(101, 'yes')]];
    expect(findAnswer(few, byRate(few), shape, 'interrupted')).toEqual({ answer: 'undecided', why: ['interrupted'] });
    expect(findAnswer([], [], shape, 'interrupted').answer).toBe('undecided');
    const many = Array.from({ length: 36 }, (_, n) => point(101 + n, 'yes'));
    expect(findAnswer(many, byRate(many), shape, '').why.join()).toContain('36 runs');
  });
});
