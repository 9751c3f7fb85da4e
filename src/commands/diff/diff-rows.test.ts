import { describe, expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../../test/golden-result.js';
import { goldenRun, latency, sideOf } from '../../../test/kept-golden.js';
import type { Series } from '../../measure/series.js';
import { drawsOf } from '../../measure/stats/bootstrap.js';
import { coresBusy, targetStarved } from '../../measure/verdict/machine-rules.js';
import { junitText } from '../../render/junit.js';
import { changeWord } from '../../render/words/statement.js';
import type { DiffRow } from '../../results/diff.js';
import type { RunResult } from '../../results/result.js';
import { type DiffInput, diffOf, partExit } from './diff.js';
import { diffRows } from './diff-rows.js';
import { diffDocument } from './print.js';

/** The row of a count with these values on each side and beside the baseline. */
function rowOf(
  entry: string,
  before: readonly number[],
  after: readonly number[],
  beside: readonly number[] = [],
): DiffRow | undefined {
  const { ledger } = goldenResult();
  const runs = (values: readonly number[]): RunResult[] =>
    values.map((value) => goldenResult({ metrics: {}, ledger: { ...ledger, [entry]: value } }));
  return diffRows(latency, runs(before), runs(after), { beside: runs(beside) }).find(({ name }) => name === entry);
}

describe('a count', () => {
  it('of faults is worse as soon as the baseline had none of them', () => {
    const row = rowOf('lost', [0], [1]);
    expect(row).toMatchObject({
      relation: 'worse',
      holds: 'yes',
      change: 1,
      changeShare: null,
      noise: { basis: 'fromNothing' },
    });
    expect(rowOf('lost', [0, 0, 0], [0, 0, 1])).toMatchObject({
      relation: 'worse',
      holds: 'yes',
      candidate: { median: 0 },
      change: 1,
    });
  });

  it('of faults that the baseline has too is unknown with one run a side', () => {
    expect(changeWord(rowOf('lost', [7], [1009])!)).toBe('unknown');
    expect(changeWord(rowOf('lost', [7], [0])!)).toBe('unknown');
  });

  it('is compared by permutation if a value has no logarithm', () => {
    const row = rowOf('lost', [3, 0, 5, 1, 2], [101, 97, 0, 103, 89]);
    expect(row?.noise.basis).toBe('permutation');
    expect(row?.noise.p).toBeGreaterThan(0.001);
    const told = rowOf('late', [3, 0, 5, 1, 2], [101, 97, 83, 103, 89]);
    expect(told).toMatchObject({ relation: 'worse', holds: 'yes', noise: { basis: 'permutation', isBeyond: true } });
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
    expect(changeWord(row!)).toBe(judgement);
    expect(row).toMatchObject({ noise: { basis: 'runs', ratioInterval: null, p: null } });
  });

  it('of an unchanged target with zeros is worse by chance in one pair of 40 at most', () => {
    const draw = drawsOf(17);
    for (const most of [1, 3, 11]) {
      const three = (): number[] => [0, 1, 2].map(() => Math.max(0, draw(most + 2) - 1));
      const pairs = Array.from({ length: 400 }, () => [three(), three()] as const);
      const told = pairs.filter(
        ([before, after]) => before.some((each) => each > 0) && [...before, ...after].includes(0),
      );
      const worse = told.filter(([before, after]) => rowOf('lost', before, after)?.relation === 'worse');
      expect(told.length).toBeGreaterThan(200);
      expect(worse.length / told.length).toBeLessThan(1 / 40);
    }
  });

  it('that fell to nothing in every run is worse where more is better', () => {
    const row = rowOf('acked', [1006, 1006, 1006], [0, 0, 0]);
    expect(row).toMatchObject({ relation: 'worse', holds: 'yes', noise: { basis: 'runs', isBeyond: true } });
  });

  it('of one run with a 0 is compared with runs beside it', () => {
    expect(rowOf('lost', [1], [500], [0, 1, 0])).toMatchObject({
      relation: 'worse',
      holds: 'yes',
      noise: { basis: 'beside' },
    });
    expect(changeWord(rowOf('lost', [1], [2], [0, 1, 0])!)).toBe('same');
  });

  it.each([
    ['lost', 1, 2, 'same'],
    ['lost', 1, 0, 'same'],
    ['lost', 101, 211, 'worse'],
    ['lost', 101, 0, 'better'],
  ] as const)('%s, %d in every run and then %d, varies by chance: %s', (entry, was, is, judgement) => {
    expect(changeWord(rowOf(entry, [was, was, was], [is, is, is])!)).toBe(judgement);
  });

  it('is the same if all runs agree; a change of what was asked is no merit', () => {
    expect(rowOf('acked', [1006], [1006])).toMatchObject({
      relation: 'changed',
      holds: 'no',
      noise: { basis: 'equal' },
    });
    expect(changeWord(rowOf('expected', [101, 101, 101], [103, 103, 103])!)).toBe('changed');
  });
});

const lastedMs = 100_000;

/** Two busy cores under a run, and what its target did on them; null where nobody watched it. */
interface Busy {
  targetCores: number;
  /** Of a second, how long its threads waited for a core. */
  waited: number | null;
  /** Set where it is known which waits are in the largest delivery: its time without them. */
  leastMs?: number;
}

/** A run that took that many times as long, with its largest delivery in milliseconds, on cores that were all busy. */
function busyRun(times: number, maxMs: number, { targetCores, waited, leastMs }: Busy): RunResult {
  const { environment } = goldenResult();
  const reading = (name: 'cpuPercent' | 'coreWaitPercent', value: number): Series => ({
    source: 'proc',
    process: '7',
    name,
    unit: 'percent',
    points: [0, lastedMs].map((atMs) => ({ atMs, value })),
  });
  const text = 'the 2 cores under shard 0 were busy 99.9 % of the time';
  const leastUs = maxMs * 1000 - 101;
  const of = { metric: 'delivery', figure: 'max' as const };
  const bounds = [
    { ...of, rule: coresBusy, leastUs, text },
    ...(leastMs === undefined ? [] : [{ ...of, rule: targetStarved, leastUs: leastMs * 1000, text: 'it waited' }]),
  ];
  const { rig } = goldenShard(0);
  const result = goldenShard(0, { rig: { ...rig, shard: { ...rig.shard, coreBusy: [1, 0.99] } } });
  const run = calmRun(times, maxMs);
  return {
    ...run,
    verdict: { rig: 'clean', evidence: [], bounds },
    shards: [{ url: 'http://127.0.0.1:41297', state: 'complete', why: '', result }],
    environment: {
      ...environment,
      loadAtMs: 0,
      stages: [{ name: 'publish', fromMs: 0, toMs: lastedMs }],
      observations:
        waited === null ? [] : [reading('cpuPercent', targetCores * 100), reading('coreWaitPercent', waited * 100)],
    },
  };
}

function calmRun(times: number, maxMs: number): RunResult {
  const run = goldenRun('ws', times);
  const delivery = { ...run.metrics.delivery!, max: maxMs * 1000 };
  return { ...run, metrics: { ...run.metrics, delivery } };
}

const side = (make: (noise: number) => RunResult): DiffInput => sideOf(...[0.98, 1, 1.02].map(make));

const beside: Busy = { targetCores: 0.03, waited: 0.0017 };

describe('others on the cores', () => {
  const calm = side((noise) => calmRun(noise, 108 * noise));
  const busy = (maxMs: number, how: Busy = beside) => side((noise) => busyRun(noise, maxMs * noise, how));
  const between = (before: DiffInput, after: DiffInput) => {
    const diff = diffOf(latency, before, after, '');
    const row = diff.parts[0]?.rows.find(({ name }) => name === 'delivery.max');
    return { diff, ends: diff.parts.map(partExit), row };
  };

  it('are no regression: what they may have added leaves it undecided, with the reason', () => {
    const { diff, ends, row } = between(calm, busy(125));
    expect([ends, diff.regressions]).toEqual([['rig'], []]);
    expect(diff.undecided).toMatchObject([{ name: 'ws  delivery.max', because: expect.stringContaining('99.9 %') }]);
    expect(row).toMatchObject({ relation: 'worse', holds: 'open', because: 'rig', candidate: { isBounded: true } });
  });

  it('hide no regression that is larger than what they can have added', () => {
    // The target waited for 170 ms in all.
    const { diff, ends } = between(calm, busy(1250));
    expect([ends, diff.regressions, diff.undecided]).toEqual([['threshold'], ['ws  delivery.max'], []]);
  });

  it('can have added what a mark says where it knows which waits a figure has', () => {
    const starved = { ...beside, waited: 0.5 };
    expect(between(calm, busy(1250, { ...starved, leastMs: 503 })).ends).toEqual(['threshold']);
    expect(between(calm, busy(1250, { ...starved, leastMs: 101 })).ends).toEqual(['rig']);
    expect(between(calm, busy(1250, starved)).ends).toEqual(['rig']);
  });

  it('can have added anything where nobody watched the target', () => {
    expect(between(calm, busy(1250, { ...beside, waited: null })).ends).toEqual(['rig']);
  });

  it('are none where the target itself took the cores', () => {
    expect(between(calm, busy(125, { targetCores: 1.8, waited: 0.5 })).ends).toEqual(['threshold']);
  });

  it('do not differ where they held the cores of both', () => {
    expect(between(busy(108), busy(125)).ends).toEqual(['threshold']);
    expect(changeWord(between(busy(125), busy(108)).row!)).toBe('better');
  });

  it('leave it undecided, too, what became better once they were gone', () => {
    const { row, ends } = between(busy(125), calm);
    expect([row?.relation, ends]).toEqual(['better', ['clean']]);
  });

  it('skip their check in JUnit', () => {
    const { diff } = between(calm, busy(125));
    expect(junitText(diffDocument(diff, latency))).toMatch(/failures="0" errors="0" skipped="1"/);
  });
});
