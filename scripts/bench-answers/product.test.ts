import { describe, expect, it } from 'vitest';
import type { Paired, PairedRatio } from '../../src/results/paired.js';
import { truthIn } from './benches/simulation.js';
import { type Model, randomOf, roundsOf } from './model.js';
import { answerOf, play, saidBy, startsPlanned } from './product.js';

const pair = (ratio: number, conclusion: PairedRatio['conclusion']): PairedRatio => {
  const interval: [number, number] = [ratio * 0.9, ratio * 1.1];
  return { a: 'a', b: 'b', ratio, interval, joint: interval, theseProcesses: null, conclusion };
};
const paired = (one: PairedRatio, withheld: Paired['withheld'] = [], control: PairedRatio | null = null) => ({
  ...{ pairs: [one], withheld, control },
});

describe('an answer', () => {
  it('is what the product says of each pair', () => {
    const { statements, hasAlarm } = answerOf(paired(pair(2, 'apart')));
    expect(statements).toEqual([{ a: 'a', b: 'b', ratio: 2, interval: [1.8, 2.2], conclusion: 'apart' }]);
    expect(hasAlarm).toBeUndefined();
  });

  it.each([
    [paired(pair(1, 'open')), 'chance'],
    [paired(pair(2, 'open')), 'rig'],
    [paired(pair(2, 'apart'), ['controlApart'], pair(2, 'apart')), 'control'],
    [paired(pair(2, 'apart'), ['tooFewStarts']), 'too few starts'],
  ])('says why it is open', (one, reason) => {
    expect(answerOf(one).statements).toMatchObject([{ conclusion: 'open', reason }]);
  });

  it('has an alarm if the control differs from its twin', () => {
    expect(answerOf(paired(pair(2, 'apart'), [], pair(1, 'equal'))).hasAlarm).toBe(false);
    expect(answerOf(paired(pair(2, 'apart'), [], pair(2, 'apart'))).hasAlarm).toBe(true);
  });

  it('is missing where a comparison is refused or leaves nothing', () => {
    const none = { paired: undefined, rows: [] };
    expect(saidBy({ ...none, exitCode: 2 })).toEqual({ answer: undefined, lack: 'refused' });
    expect(saidBy({ ...none, exitCode: 2, rows: ['failed'] })).toEqual({ answer: undefined, lack: 'no answer' });
    expect(saidBy({ ...none, exitCode: 1 })).toEqual({ answer: undefined, lack: 'no answer' });
    const few = { pairs: [], control: null, withheld: ['tooFewStarts' as const] };
    expect(saidBy({ exitCode: 4, paired: few, rows: [] })).toEqual({ answer: undefined, lack: 'too few starts' });
    expect(saidBy({ exitCode: 0, paired: paired(pair(2, 'apart')), rows: [] }).answer?.statements).toHaveLength(1);
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
      targets: [...sides, { target: 'twin', twinOf: 'a' }],
      start: () => {
        starts++;
        return models.map((model) => roundsOf(model, 12, random));
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
