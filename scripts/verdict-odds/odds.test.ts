import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/results/result.js';
import { isKept, type Outcome, renderOdds, rulesIn, type Throw } from './odds.js';
import { shapesOf } from './shapes.js';

const [starved, comfortable] = shapesOf({ runs: 10, subscribers: 7001 });

function thrown(rig: Verdict['rig'], ...rules: string[]): Throw {
  const evidence = rules.map((rule) => ({ rule, level: 'limited' as const, text: `${rule} said so` }));
  return { verdict: { rig, evidence }, p99: 7010, directory: `results/${rig}` };
}

const throws = (rig: Verdict['rig'], times: number): Throw[] => Array.from({ length: times }, () => thrown(rig));

describe('isKept', () => {
  it.each([
    [10, 0, true],
    [9, 1, true],
    [8, 2, false],
    [2, 0, true],
    [1, 1, false],
    [27, 3, true],
    [26, 4, false],
    [0, 0, false],
  ])('of a comfortable shape that was clean %d times and limited %d times: %s', (clean, limited, kept) => {
    const outcome: Outcome = { shape: comfortable, throws: [...throws('limited', limited), ...throws('clean', clean)] };
    expect(isKept(outcome)).toBe(kept);
  });

  it.each([
    [10, 'limited', true],
    [9, 'clean', false],
    [9, 'void', false],
  ] as const)('of a starved shape that was limited %d times of ten, else %s: %s', (limited, other, kept) => {
    const outcome: Outcome = {
      shape: starved,
      throws: [...throws('limited', limited), ...throws(other, 10 - limited)],
    };
    expect(isKept(outcome)).toBe(kept);
  });
});

describe('rulesIn', () => {
  it('counts in how many runs each rule spoke, the commonest first', () => {
    const found = rulesIn([
      thrown('limited', 'gc-pause'),
      thrown('limited', 'receive-lag', 'gc-pause'),
      thrown('clean'),
    ]);
    expect(found.map(({ rule, times }) => [rule, times])).toEqual([
      ['gc-pause', 2],
      ['receive-lag', 1],
    ]);
  });
});

describe('renderOdds', () => {
  it('shows verdicts, promise and the rules that spoke', () => {
    const text = renderOdds([
      { shape: starved, throws: [thrown('limited', 'receive-lag'), thrown('limited', 'receive-lag')] },
      { shape: comfortable, throws: [thrown('clean'), thrown('limited', 'core-starved')] },
    ]);
    expect(text).toMatch(
      /^starved +7,001 library clients on one loop +0 +2 +0 +7\.01 to 7\.01 +limited in 10 of 10 +kept$/m,
    );
    expect(text).toMatch(/^comfortable .+ 1 +1 +0 .+ clean in 9 of 10 +BROKEN$/m);
    expect(text).toMatch(/^starved +receive-lag +2 of 2 +receive-lag said so$/m);
    expect(text).toMatch(/^comfortable +core-starved +1 of 2 +core-starved said so$/m);
    expect(text.endsWith('\ncomfortable, but limited: kept in results/limited')).toBe(true);
  });

  it('has nothing to show of no runs', () => {
    expect(renderOdds([{ shape: comfortable, throws: [] }])).toMatch(/ 0 +0 +0 +– .+ BROKEN$/);
  });
});
