import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/kept-golden.js';
import { drawsOf } from '../../measure/stats/bootstrap.js';
import type { DiffRow } from '../../results/diff.js';
import type { RunResult } from '../../results/result.js';
import { diffRows } from './diff-rows.js';

/** The row of a count with these values on each side and beside the baseline. */
function rowOf(
  entry: string,
  before: readonly number[],
  after: readonly number[],
  beside: readonly number[] = [],
): DiffRow | undefined {
  const { ledger } = goldenResult();
  const runs = (values: readonly number[]): RunResult[] =>
    values.map((value) => goldenResult({ ledger: { ...ledger, [entry]: value } }));
  return diffRows(latency, runs(before), runs(after), { beside: runs(beside) }).find(({ name }) => name === entry);
}

describe('a count', () => {
  it('of faults is worse as soon as the baseline had none of them', () => {
    const row = rowOf('lost', [0], [1]);
    expect(row).toMatchObject({ judgement: 'worse', change: 1, changeShare: null, noise: { basis: 'fromNothing' } });
    expect(rowOf('lost', [0, 0, 0], [0, 0, 1])).toMatchObject({
      judgement: 'worse',
      candidate: { median: 0 },
      change: 1,
    });
  });

  it('of faults that the baseline has too is unknown with one run a side', () => {
    expect(rowOf('lost', [7], [1009])?.judgement).toBe('unknown');
    expect(rowOf('lost', [7], [0])?.judgement).toBe('unknown');
  });

  it('is compared by permutation if a value has no logarithm', () => {
    const row = rowOf('lost', [3, 0, 5, 1, 2], [101, 97, 0, 103, 89]);
    expect(row?.noise.basis).toBe('permutation');
    expect(row?.noise.p).toBeGreaterThan(0.001);
    const told = rowOf('late', [3, 0, 5, 1, 2], [101, 97, 83, 103, 89]);
    expect(told).toMatchObject({ judgement: 'worse', noise: { basis: 'permutation', isBeyond: true } });
    expect(told?.noise.p).toBeCloseTo(2 / 252, 2);
  });

  it.each([
    [[3, 0, 5], [101, 97, 103], 'worse'],
    [[0, 1, 0], [500, 480, 510], 'worse'],
    [[500, 480, 510], [0, 1, 0], 'better'],
    [[0, 1, 0], [1, 0, 1], 'same'],
    [[1, 0, 1], [0, 0, 1], 'same'],
    [[0, 500, 0], [400, 450, 300], 'same'],
  ])('of three runs a side is compared with their spread, though some are 0: %j and %j', (before, after, judgement) => {
    const row = rowOf('lost', before, after);
    expect(row).toMatchObject({ judgement, noise: { basis: 'runs', ratioInterval: null, p: null } });
  });

  it('of an unchanged target with zeros is worse by chance in one pair of 40 at most', () => {
    const draw = drawsOf(17);
    for (const most of [1, 3, 11]) {
      const three = (): number[] => [0, 1, 2].map(() => Math.max(0, draw(most + 2) - 1));
      const pairs = Array.from({ length: 400 }, () => [three(), three()] as const);
      const told = pairs.filter(
        ([before, after]) => before.some((each) => each > 0) && [...before, ...after].includes(0),
      );
      const worse = told.filter(([before, after]) => rowOf('lost', before, after)?.judgement === 'worse');
      expect(told.length).toBeGreaterThan(200);
      expect(worse.length / told.length).toBeLessThan(1 / 40);
    }
  });

  it('that fell to nothing in every run is worse where more is better', () => {
    const row = rowOf('acked', [1006, 1006, 1006], [0, 0, 0]);
    expect(row).toMatchObject({ judgement: 'worse', noise: { basis: 'runs', isBeyond: true } });
  });

  it('of one run with a 0 is compared with runs beside it', () => {
    expect(rowOf('lost', [1], [500], [0, 1, 0])).toMatchObject({ judgement: 'worse', noise: { basis: 'beside' } });
    expect(rowOf('lost', [1], [2], [0, 1, 0])?.judgement).toBe('same');
  });

  it.each([
    ['lost', 1, 2, 'same'],
    ['lost', 1, 0, 'same'],
    ['lost', 101, 211, 'worse'],
    ['lost', 101, 0, 'better'],
  ] as const)('%s, %d in every run and then %d, varies by chance: %s', (entry, was, is, judgement) => {
    expect(rowOf(entry, [was, was, was], [is, is, is])?.judgement).toBe(judgement);
  });

  it('is the same if all runs agree; a change of what was asked is no merit', () => {
    expect(rowOf('acked', [1006], [1006])).toMatchObject({ judgement: 'same', noise: { basis: 'equal' } });
    expect(rowOf('expected', [101, 101, 101], [103, 103, 103])?.judgement).toBe('changed');
  });
});
