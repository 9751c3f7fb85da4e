import { describe, expect, it } from 'vitest';
import { goldenRun, goldenThresholds, latency, limited, sideOf, voided } from '../../../test/kept-golden.js';
import { naming } from '../../../test/refusal.js';
import { worstOfRuns } from '../../contract/exit-codes.js';
import { changeWord } from '../../render/words/statement.js';
import { type DiffRow, diff as diffSchema, isVoid } from '../../results/diff.js';
import type { RunResult } from '../../results/result.js';
import { type DiffInput, diffOf, partExit } from './diff.js';

function diffBetween(before: DiffInput, after: DiffInput) {
  return diffSchema.parse(diffOf(latency, before, after, ''));
}

const worse = { relation: 'worse', holds: 'yes' } as const;

function rowBetween(before: DiffInput, after: DiffInput, name: string): DiffRow | undefined {
  return diffBetween(before, after).parts[0]?.rows.find((row) => row.name === name);
}

const runs = (...times: number[]): DiffInput => sideOf(...times.map((each) => goldenRun('ws', each)));
const counting = (entry: string, ...values: number[]): DiffInput =>
  sideOf(...values.map((value) => goldenRun('ws', 1, { ledger: { ...goldenRun('ws', 1).ledger, [entry]: value } })));

const amid = (...times: number[]): DiffInput => {
  const { directory, rows } = runs(1);
  const beside = runs(...times).rows.flatMap((row) => row.runs);
  return { directory, rows: rows.map((row) => ({ ...row, beside })) };
};

it.each<[what: string, before: DiffInput, after: DiffInput, word: string, basis: string, figure?: string]>([
  ['of two runs doubled beyond the noise of its broadcasts', runs(1), runs(2), 'worse', 'broadcasts'],
  [
    'of two runs rose by less, and one run a side has no noise between runs',
    runs(1),
    runs(1.9),
    'differs',
    'broadcasts',
  ],
  ['of two runs fell by less', runs(1.9), runs(1), 'differs', 'broadcasts'],
  ['of two runs fell to half', runs(2), runs(1), 'better', 'broadcasts'],
  ['of two runs rose within the noise', runs(1), runs(1.02), 'same', 'broadcasts'],
  ['of two runs has no known noise', runs(1), runs(100), 'unknown', 'unknown', 'delivery.max'],
  ['with neighbours rose beyond their spread', amid(0.98, 1.02, 1.01), runs(1.5), 'worse', 'beside'],
  ['with neighbours has no intervals', amid(0.98, 1.02, 1.01), runs(1.5), 'worse', 'beside', 'delivery.max'],
  ['with neighbours rose within their spread', amid(0.7, 1.4, 1.1), runs(1.5), 'same', 'beside'],
  ['with neighbours doubled although they spread as widely', amid(0.5, 1.4, 2.1), runs(2.5), 'differs', 'beside'],
  ['has one neighbour, which is too few', amid(0.98), runs(1.5), 'differs', 'broadcasts'],
  [
    'of several runs rose beyond their spread',
    runs(1, 1.02, 0.98),
    runs(1.5, 1.53, 1.47),
    'worse',
    'runs',
    'delivery.max',
  ],
  ['of several runs rose within their spread', runs(1, 2, 0.5), runs(1.5, 3, 0.7), 'same', 'runs', 'delivery.max'],
  ['of several runs before a single one', runs(1, 1.02, 0.98), runs(1.5), 'worse', 'runs'],
  ['of a single run before several', runs(1.5), runs(0.6, 1, 1.5), 'same', 'runs'],
  ['of two runs a side exceeds the spread of both', runs(1, 1.03), runs(1.5, 1.6), 'worse', 'runs', 'delivery.max'],
  ['of two runs a side is within the spread of both', runs(1, 1.3), runs(1.5, 1.2), 'same', 'runs', 'delivery.max'],
  // Two runs that agree on a small count say little of what others would have.
  ['of counts agrees in two runs a side', counting('lost', 2, 2), counting('lost', 3, 3), 'unknown', 'unknown', 'lost'],
])('a figure that %s', (_what, before, after, word, basis, figure = 'delivery.p99') => {
  const row = rowBetween(before, after, figure)!;
  expect([changeWord(row), row.noise.basis]).toEqual([word, basis]);
});

it('a figure has its change, its share of the baseline, and the interval of its noise', () => {
  const row = rowBetween(runs(1), runs(2), 'delivery.p99')!;
  expect(row).toMatchObject({ isHeadline: true, better: 'lower', noise: { p: null } });
  expect([row.change, row.changeShare]).toEqual([expect.closeTo(5003, 6), expect.closeTo(1, 6)]);
  const [low, high] = row.noise.ratioInterval!;
  expect([low > 1.8, low < 2, high > 2, high < 2.2]).toEqual([true, true, true, true]);
  // The middle of two runs is not the smaller one.
  const [least, most] = rowBetween(runs(1, 1.1), runs(1, 1.4), 'delivery.max')?.noise.ratioInterval ?? [0, 0];
  expect(Math.sqrt(least * most)).toBeCloseTo(Math.sqrt(1.4 / 1.1), 6);
});

it('a figure of one side only has no change', () => {
  const { connect: _, ...metrics } = goldenRun('ws', 1).metrics;
  const known = { ...metrics, connect: { ...metrics.delivery! } };
  const row = rowBetween(sideOf(goldenRun('ws', 1, { metrics: known })), runs(1), 'connect.p50');
  expect(row).toMatchObject({ baseline: { median: 743 }, candidate: null, change: null, holds: 'open' });
});

it('names other figures that became worse, and does not decide by them', () => {
  const { regressions, otherwiseWorse } = diffBetween(runs(1), runs(2));
  const names = ['delivery.p50', 'delivery.p99', 'deliveryFromIntended.p99', 'publishAck.p50'];
  expect(regressions).toEqual(names.map((name) => `ws  ${name}`));
  expect(otherwiseWorse).toContain('ws  delivery.p90');
  expect(diffBetween(runs(1), runs(1.9))).toMatchObject({ regressions: [], otherwiseWorse: [] });
  expect(diffBetween(amid(0.98), runs(1.5)).parts[0]?.baseline.beside).toEqual(['results/ws-0']);
});

it('a figure of several runs leaves out void runs', () => {
  const before = sideOf(goldenRun('ws', 1), goldenRun('ws', 1000, { verdict: voided }));
  expect(rowBetween(before, runs(1), 'delivery.p99')).toMatchObject({ holds: 'no', change: 0 });
});

it('calls a share worse if something is missing for the first time', () => {
  const row = rowBetween(counting('delivered', 203_212), counting('delivered', 203_211), 'delivered%');
  expect(row).toMatchObject({ kind: 'share', unit: 'share', ...worse, noise: { basis: 'fromNothing' } });
});

it('says only that figures of the rig changed', () => {
  const lagging = (us: number) =>
    sideOf(goldenRun('ws', 1, { metrics: { publishLag: { ...goldenRun('ws', us).metrics.delivery! } } }));
  const row = rowBetween(lagging(1), lagging(2), 'publishLag.p99');
  expect(row).toMatchObject({ better: 'neither', relation: 'changed', holds: 'yes' });
});

it('the sides of a diff are matched by target; targets of one side only are named', () => {
  const before = sideOf(goldenRun('ws', 1), goldenRun('uws', 1));
  const after = sideOf(goldenRun('uws', 2), goldenRun('socketio', 1));
  const { parts, unmatched, regressions } = diffBetween(before, after);
  expect(parts.map(({ candidate }) => candidate.target)).toEqual(['uws']);
  expect(unmatched).toEqual([
    { target: 'ws', on: 'baseline' },
    { target: 'socketio', on: 'candidate' },
  ]);
  expect(regressions).toContain('uws  delivery.p99');
});

it('the sides of a diff of one target each are compared, whatever their names', () => {
  const { parts } = diffBetween(sideOf(goldenRun('ws', 1)), sideOf(goldenRun('uws', 1)));
  expect(parts[0]?.differs).toEqual([naming('target: ws', 'uws')]);
});

it('the sides of a diff name the evidence against them, and void sides', () => {
  const after = sideOf(goldenRun('ws', 1, { verdict: voided, stop: { code: 'targetGone', evidence: [] } }));
  const [part] = diffBetween(sideOf(goldenRun('ws', 1, { verdict: limited })), after).parts;
  expect(part?.baseline).toMatchObject({ verdicts: { clean: 0, limited: 1, void: 0 }, stops: [] });
  expect(part?.candidate).toMatchObject({ verdicts: { void: 1 }, stops: ['target process gone'] });
  expect([isVoid(part!.baseline), isVoid(part!.candidate)]).toEqual([false, true]);
  expect(part?.rows.every(({ candidate }) => candidate === null)).toBe(true);
});

it.each([
  ['worse, both clean', goldenRun('ws', 1), goldenRun('ws', 2), 'threshold'],
  ['worse, one limited', goldenRun('ws', 1), goldenRun('ws', 2, { verdict: limited }), 'rig'],
  ['the same, one limited', goldenRun('ws', 1), goldenRun('ws', 1, { verdict: limited }), 'clean'],
  ['void', goldenRun('ws', 1), goldenRun('ws', 1, { verdict: voided }), 'rig'],
])('the sides of a diff end by the rig if it may explain the change: %s', (_, before, after, exit) => {
  expect(diffBetween(sideOf(before), sideOf(after)).parts.map(partExit)).toEqual([exit]);
});

it.each([
  ['limited, and worse', goldenRun('uws', 2, { verdict: limited })],
  ['void', goldenRun('uws', 1, { verdict: voided })],
])('the sides of a diff end each by itself: no target hides a clean regression of another: %s', (_, other) => {
  const before = sideOf(goldenRun('ws', 1), goldenRun('uws', 1));
  const ends = diffBetween(before, sideOf(goldenRun('ws', 2), other)).parts.map(partExit);
  expect([ends, worstOfRuns(ends)]).toEqual([['threshold', 'rig'], 'threshold']);
});

it('the sides of a diff do not end by the rig for a figure that decides nothing', () => {
  const { delivery, ...others } = goldenRun('ws', 1).metrics;
  const intervals: Record<string, [number, number]> = { p90: [4000, 4400] };
  const metrics = { ...others, delivery: { ...delivery!, p90: delivery!.p90! * 3, intervals } };
  const after = goldenRun('ws', 1, { verdict: limited, metrics });
  const { parts, regressions, undecided, otherwiseWorse } = diffBetween(sideOf(goldenRun('ws', 1)), sideOf(after));
  expect([regressions, undecided, otherwiseWorse, parts.map(partExit)]).toEqual([[], [], [], ['clean']]);
  expect(changeWord(parts[0]!.rows.find(({ name }) => name === 'delivery.p90')!)).toBe('undecided');
});

it('the sides of a diff are matched by name if a side has another target that did not run', () => {
  const [ws, uws] = [sideOf(goldenRun('ws', 1)), sideOf(goldenRun('uws', 1))];
  const { parts, unmatched } = diffBetween({ ...ws, rows: [...ws.rows, { target: 'uws', runs: [] }] }, uws);
  expect(parts).toEqual([]);
  expect(unmatched.map(({ target }) => target)).toEqual(['ws', 'uws']);
});

it('the sides of a diff name what else differs', () => {
  const golden = goldenRun('ws', 1);
  const newer = goldenRun('ws', 1, {
    target: { ...golden.target, versions: { ...golden.target.versions, ws: '8.24.0' } },
  });
  const [part] = diffBetween(sideOf(golden), sideOf(newer)).parts;
  expect(part?.differs).toEqual([naming('ws: 8.23.0', '8.24.0')]);
});

describe('a bounded figure', () => {
  const bounds = [{ metric: 'delivery', figure: 'max' as const, leastUs: 3000, text: 'delivery max: a stall' }];
  const unbounded: RunResult['verdict'] = { rig: 'clean', evidence: [] };
  const clean: RunResult['verdict'] = { ...unbounded, bounds };
  const { metrics } = goldenRun('ws', 1);
  const [calm, stalled, slow] = [1, 3, 2].map((times) => [0.98, 1, 1.02].map((noise) => times * noise)) as [
    number[],
    number[],
    number[],
  ];
  /** Runs of which the largest delivery alone took that many times as long. */
  const atMost = (times: number[], verdict: RunResult['verdict'] = clean): DiffInput =>
    sideOf(
      ...times.map((each) => {
        const delivery = { ...metrics.delivery!, max: metrics.delivery!.max! * each };
        return goldenRun('ws', 1, { metrics: { ...metrics, delivery }, verdict });
      }),
    );
  const regressionOf = (before: DiffInput, after: DiffInput) => {
    const { parts, regressions, undecided } = diffBetween(before, after);
    return [parts.map(partExit), regressions, undecided.map(({ name }) => name)];
  };

  it('ends the diff by the rig if it alone became worse, unless that holds at both ends of the bracket', () => {
    const worse = ['ws  delivery.max'];
    expect(regressionOf(atMost(calm, unbounded), atMost(stalled))).toEqual([['rig'], [], worse]);
    for (const before of [atMost(calm), atMost(calm, unbounded)])
      expect(regressionOf(before, atMost(stalled, unbounded))).toEqual([['threshold'], worse, []]);
  });

  it('hides no other figure', () => {
    const after = sideOf(...slow.map((times) => goldenRun('ws', times, { verdict: clean })));
    expect(regressionOf(runs(...calm), after)[0]).toEqual(['threshold']);
  });

  it('is marked on the side that bounds it, unless that run is void', () => {
    const row = rowBetween(atMost(calm, unbounded), atMost(stalled), 'delivery.max');
    expect([row?.baseline?.isBounded, row?.candidate?.isBounded]).toEqual([false, true]);
    expect(rowBetween(atMost(calm), atMost(stalled), 'delivery.p99')?.candidate?.isBounded).toBe(false);
    const rows = [goldenRun('ws', 1), goldenRun('ws', 1, { verdict: { ...clean, rig: 'void' } })];
    expect(rowBetween(sideOf(...rows), atMost(stalled), 'delivery.max')?.baseline?.isBounded).toBe(false);
  });
});

describe('a threshold', () => {
  const [first] = goldenThresholds;
  const { text } = first!;
  const keeping = (kept: number, of: number): DiffInput =>
    sideOf(
      ...Array.from({ length: of }, (_, n) => goldenRun('ws', 1, { thresholds: [{ ...first!, isKept: n < kept }] })),
    );

  it('that every run kept is worse once one breaks it', () => {
    const { parts, regressions } = diffBetween(keeping(2, 2), keeping(1, 2));
    expect(parts[0]?.thresholds).toEqual([
      { text, baseline: { kept: 2, runs: 2 }, candidate: { kept: 1, runs: 2 }, ...worse },
    ]);
    expect(regressions).toEqual([`ws  ${text}`]);
  });

  it.each([
    ['all', keeping(3, 3), keeping(0, 1), 'worse'],
    ['some, and one run broke it', keeping(2, 3), keeping(0, 1), 'unknown'],
    ['most, and few do', keeping(9, 10), keeping(1, 10), 'worse'],
    ['some, and fewer by chance', keeping(1, 2), keeping(0, 2), 'unknown'],
    ['none, and all do', keeping(0, 3), keeping(3, 3), 'better'],
    ['none, and the only run does', keeping(0, 1), keeping(1, 1), 'unknown'],
    ['as many of more', keeping(1, 2), keeping(2, 4), 'same'],
    ['none, as before', keeping(0, 3), keeping(0, 1), 'same'],
  ])('kept by %s', (_, before, after, judgement) => {
    expect(changeWord(diffBetween(before, after).parts[0]!.thresholds[0]!)).toBe(judgement);
  });
});
