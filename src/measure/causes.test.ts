import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { law } from '../../test/law.js';
import {
  type ByCause,
  CauseNames,
  isSilent,
  mostCauses,
  otherCause,
  readableCauses,
  sumByCause,
  talkTogether,
  withFewCauses,
} from './causes.js';

const totalOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, each) => sum + each, 0);
const byOccasion = ({ causes }: ByCause): Record<string, number> =>
  Object.fromEntries(Object.entries(causes).map(([occasion, counts]) => [occasion, totalOf(counts)]));
const causesIn = ({ causes, timeline }: ByCause): Set<string> =>
  new Set([
    ...Object.values(causes).flatMap((counts) => Object.keys(counts)),
    ...Object.keys(timeline).flatMap((name) => (name.includes(' ') ? name.slice(name.indexOf(' ') + 1) : [])),
  ]);

const cause = fc.oneof(
  fc.constantFrom('reset', 'ports-exhausted', 'other'),
  fc.nat(997).map((id) => `rejected:request ${id}`),
  fc.string({ unit: 'binary', maxLength: 300 }).map((word) => `rejected:${word}`),
);
const counted = fc
  .dictionary(
    fc.constantFrom('connect', 'close'),
    fc.dictionary(cause, fc.integer({ min: 1, max: 9 }), { maxKeys: 150 }),
  )
  .map(
    (causes): ByCause => ({
      causes,
      timeline: Object.fromEntries([
        ['opened', [7, 11]],
        ...Object.entries(causes.close ?? {}).map(([name, times]) => [`closed ${name}`, [0, times]] as const),
      ]),
    }),
  );

describe('the causes of one loop', () => {
  it('that differ in a request id alone become 64 and other', () => {
    const names = new CauseNames();
    const told = Array.from({ length: 10_007 }, (_, id) => names.nameOf(`rejected:denied, request ${id}`));
    expect(new Set(told).size).toBe(mostCauses + 1);
    expect(told.filter((name) => name === otherCause)).toHaveLength(10_007 - mostCauses);
    expect(names.nameOf('rejected:denied, request 63')).toBe('rejected:denied, request 63');
  });

  it('that are kinds of ours alone are always told', () => {
    const names = new CauseNames();
    for (let id = 0; id < 101; id++) names.nameOf(`rejected:${id}`);
    expect([names.nameOf('ports-exhausted'), names.nameOf('ours')]).toEqual(['ports-exhausted', 'ours']);
  });

  it('are short and clean', () =>
    expect(new CauseNames().nameOf(`rejected:\x1b[2J\nverdict  clean${'x'.repeat(200_003)}`)).toMatch(
      /^rejected: verdict cleanx{200,}…$/,
    ));
});

describe('causes of several workers or shards', () => {
  it('are at most 64 and other, and add up by occasion', () =>
    law(fc.array(counted, { maxLength: 5 }), (parts) => {
      const sum = sumByCause(parts);
      const told = causesIn(sum);
      told.delete(otherCause);
      expect(told.size).toBeLessThanOrEqual(mostCauses);
      const whole: Record<string, number> = {};
      for (const part of parts)
        for (const [name, times] of Object.entries(byOccasion(part))) whole[name] = (whole[name] ?? 0) + times;
      expect(byOccasion(sum)).toEqual(whole);
      // What closed by a cause is in the timeline under the same name.
      for (const [name, times] of Object.entries(sum.causes.close ?? {}))
        expect(totalOf(sum.timeline[`closed ${name}`] as unknown as Record<string, number>)).toBe(times);
      expect(withFewCauses(sum)).toEqual(sum);
    }));

  it('keep the kinds of ours, then the commonest', () => {
    const rare = Object.fromEntries(Array.from({ length: 101 }, (_, id) => [`rejected:${id}`, 2]));
    const { causes } = sumByCause([
      { causes: { connect: { ...rare, reset: 1, 'http-status:503': 97 } }, timeline: {} },
      { causes: { connect: { 'ports-exhausted': 1, 'rejected:100': 3 } }, timeline: {} },
    ]);
    expect(causes.connect).toMatchObject({ reset: 1, 'ports-exhausted': 1, 'http-status:503': 97, 'rejected:100': 5 });
    expect(causes.connect?.[otherCause]).toBe(2 * (101 - 61));
  });
});

it('publishes without an answer at the end of a run are told as that, connections that we cut as ours', () => {
  const causes = { ours: 7, 'answer-timeout': 3 };
  expect(readableCauses('publish', causes)).toEqual({ 'answer-timeout': 3, 'unanswered when the run ended': 7 });
  expect(readableCauses('close', causes)).toEqual(causes);
});

test('talk of several has the first example of each cause and adds up the rest', () => {
  const one = { examples: { reset: { step: 'opened' as const, received: 'a' } }, others: 2, firstOther: 'x' };
  const two = {
    examples: { reset: { step: 'ready' as const }, tls: { step: 'connecting' as const } },
    others: 5,
    firstOther: 'y',
  };
  expect(talkTogether([undefined, one, two])).toEqual({
    examples: { reset: { step: 'opened', received: 'a' }, tls: { step: 'connecting' } },
    others: 7,
    firstOther: 'x',
  });
});

test('nothing is to be told without an example and another message', () => {
  expect(isSilent(talkTogether([]))).toBe(true);
  expect(isSilent({ examples: {}, others: 1 })).toBe(false);
});
