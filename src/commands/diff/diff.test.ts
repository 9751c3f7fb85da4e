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
const same = { relation: 'changed', holds: 'no' } as const;
const open = (because: 'chance' | 'fewRuns') => ({ relation: 'changed', holds: 'open', because }) as const;

function rowBetween(before: DiffInput, after: DiffInput, name: string): DiffRow | undefined {
  return diffBetween(before, after).parts[0]?.rows.find((row) => row.name === name);
}

function wordBetween(before: DiffInput, after: DiffInput, name: string): string {
  return changeWord(rowBetween(before, after, name)!);
}

const runs = (...times: number[]): DiffInput => sideOf(...times.map((each) => goldenRun('ws', each)));
const counting = (entry: string, ...values: number[]): DiffInput =>
  sideOf(...values.map((value) => goldenRun('ws', 1, { ledger: { ...goldenRun('ws', 1).ledger, [entry]: value } })));

it('a figure of two runs is worse if it doubled and exceeds the noise of its broadcasts', () => {
  const row = rowBetween(runs(1), runs(2), 'delivery.p99')!;
  expect(row).toMatchObject({ isHeadline: true, better: 'lower', ...worse });
  expect(row.change).toBeCloseTo(5003, 6);
  expect(row.changeShare).toBeCloseTo(1, 6);
  expect(row.noise).toMatchObject({ basis: 'broadcasts', isBeyond: true, p: null });
  const [low, high] = row.noise.ratioInterval!;
  expect([low > 1.8, low < 2, high > 2, high < 2.2]).toEqual([true, true, true, true]);
});

it('a figure of two runs differs if it rose by less: one run a side has no noise between runs', () => {
  const found = diffBetween(runs(1), runs(1.9));
  const row = found.parts[0]?.rows.find(({ name }) => name === 'delivery.p99');
  expect(row).toMatchObject({ ...open('fewRuns'), noise: { basis: 'broadcasts', isBeyond: true } });
  expect(found).toMatchObject({ regressions: [], otherwiseWorse: [] });
  expect(wordBetween(runs(1.9), runs(1), 'delivery.p99')).toBe('differs');
});

it('a figure of two runs is better if it fell, and the same within the noise', () => {
  expect(wordBetween(runs(2), runs(1), 'delivery.p99')).toBe('better');
  expect(wordBetween(runs(1), runs(1.02), 'delivery.p99')).toBe('same');
});

it('a figure of two runs without known noise is neither worse nor better', () => {
  const row = rowBetween(runs(1), runs(100), 'delivery.max');
  expect(row).toMatchObject({ ...open('chance'), noise: { basis: 'unknown', isBeyond: null } });
});

it('a figure of two runs of one side only has no change', () => {
  const { connect: _, ...metrics } = goldenRun('ws', 1).metrics;
  const known = { ...metrics, connect: { ...metrics.delivery! } };
  const row = rowBetween(sideOf(goldenRun('ws', 1, { metrics: known })), runs(1), 'connect.p50');
  expect(row).toMatchObject({ baseline: { median: 743 }, candidate: null, change: null, ...open('chance') });
});

const amid = (...times: number[]): DiffInput => {
  const { directory, rows } = runs(1);
  const beside = runs(...times).rows.flatMap((row) => row.runs);
  return { directory, rows: rows.map((row) => ({ ...row, beside })) };
};

it('a figure of a run with neighbours is compared with their spread, also without intervals over broadcasts', () => {
  const row = rowBetween(amid(0.98, 1.02, 1.01), runs(1.5), 'delivery.p99');
  expect(row).toMatchObject({ ...worse, noise: { basis: 'beside', isBeyond: true } });
  expect(wordBetween(amid(0.98, 1.02, 1.01), runs(1.5), 'delivery.max')).toBe('worse');
  expect(wordBetween(amid(0.7, 1.4, 1.1), runs(1.5), 'delivery.p99')).toBe('same');
});

it('a figure of a run with neighbours differs if it doubled although they spread as widely', () => {
  const row = rowBetween(amid(0.5, 1.4, 2.1), runs(2.5), 'delivery.p99');
  expect(row).toMatchObject({ ...open('fewRuns'), noise: { basis: 'beside', isBeyond: false } });
});

it('a figure of a run with neighbours names their directories; one neighbour is too few', () => {
  const { parts } = diffBetween(amid(0.98), runs(1.5));
  expect(parts[0]?.baseline.beside).toEqual(['results/ws-0']);
  expect(parts[0]?.rows.find(({ name }) => name === 'delivery.p99')?.noise.basis).toBe('broadcasts');
});

it('names other figures that became worse, and does not decide by them', () => {
  const { regressions, otherwiseWorse } = diffBetween(runs(1), runs(2));
  const names = ['delivery.p50', 'delivery.p99', 'deliveryFromIntended.p99', 'publishAck.p50'];
  expect(regressions).toEqual(names.map((name) => `ws  ${name}`));
  expect(otherwiseWorse).toContain('ws  delivery.p90');
});

it('a figure of several runs is compared with the spread between them', () => {
  const row = rowBetween(runs(1, 1.02, 0.98), runs(1.5, 1.53, 1.47), 'delivery.max');
  expect(row).toMatchObject({ ...worse, noise: { basis: 'runs', isBeyond: true } });
  expect(wordBetween(runs(1, 2, 0.5), runs(1.5, 3, 0.7), 'delivery.max')).toBe('same');
});

it('a figure of several runs is compared with a single run by the spread of the several', () => {
  const row = rowBetween(runs(1, 1.02, 0.98), runs(1.5), 'delivery.p99');
  expect(row).toMatchObject({ ...worse, noise: { basis: 'runs' } });
  expect(wordBetween(runs(1.5), runs(0.6, 1, 1.5), 'delivery.p99')).toBe('same');
});

it('a figure of several runs of two runs a side is compared with the spread of both sides', () => {
  expect(wordBetween(runs(1, 1.03), runs(1.5, 1.6), 'delivery.max')).toBe('worse');
  const row = rowBetween(runs(1, 1.3), runs(1.5, 1.2), 'delivery.max');
  expect(row).toMatchObject({ ...same, noise: { basis: 'runs' } });
  // The middle of two runs is not the smaller one.
  const [low, high] = rowBetween(runs(1, 1.1), runs(1, 1.4), 'delivery.max')?.noise.ratioInterval ?? [0, 0];
  expect(Math.sqrt(low * high)).toBeCloseTo(Math.sqrt(1.4 / 1.1), 6);
  // Two runs that agree on a small count say little of what others would have.
  expect(wordBetween(counting('lost', 2, 2), counting('lost', 3, 3), 'lost')).toBe('unknown');
});

it('a figure of several runs leaves out void runs', () => {
  const before = sideOf(goldenRun('ws', 1), goldenRun('ws', 1000, { verdict: voided }));
  expect(rowBetween(before, runs(1), 'delivery.p99')).toMatchObject({ ...same, change: 0 });
});

it('calls a share worse if something is missing for the first time', () => {
  const row = rowBetween(counting('delivered', 203_212), counting('delivered', 203_211), 'delivered%');
  expect(row).toMatchObject({ kind: 'share', unit: 'share', ...worse, noise: { basis: 'fromNothing' } });
});

it('says only that figures of the rig changed', () => {
  const metrics = (us: number) => ({ publishLag: { ...goldenRun('ws', us).metrics.delivery! } });
  const row = rowBetween(
    sideOf(goldenRun('ws', 1, { metrics: metrics(1) })),
    sideOf(goldenRun('ws', 1, { metrics: metrics(2) })),
    'publishLag.p99',
  );
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
