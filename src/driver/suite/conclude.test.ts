import { describe, expect, it } from 'vitest';
import type { Comparison, ComparisonRow } from '../../contract/comparison.js';
import { goldenResult } from '../../contract/golden-result.js';
import type { RunResult } from '../../contract/result.js';
import { type SuiteOutcome, type SuiteResult, suiteResult } from '../../contract/suite.js';
import { assemble } from '../assemble.js';
import { baselineDifference, baselineOf, type Held } from './baseline.js';
import { conclude } from './conclude.js';
import { planSuite, type SuitePlan } from './plan.js';
import { readSuite } from './read.js';

function plan(required = false): SuitePlan {
  const text = `name: a\nrequired: ${required}\nentries: [{ scenario: latency, targets: [ws, uws], repeat: 3 }]\n`;
  return planSuite(readSuite('a.yml', text), { flags: {}, env: {} }, 11);
}

/** A run in which every delivery took `times` as long as in the golden one. */
function run(target: string, times: number, more: Partial<RunResult> = {}): RunResult {
  const golden = goldenResult();
  const delivery = golden.metrics.delivery;
  if (!delivery?.p50 || !delivery.p99 || !delivery.max) throw new Error('the golden run has deliveries');
  const { p50, p99, max } = delivery;
  const metrics = {
    ...golden.metrics,
    delivery: { ...delivery, p50: p50 * times, p99: p99 * times, max: max * times },
  };
  return goldenResult({ target: { ...golden.target, name: target }, metrics, ...more });
}

const scenario = plan().entries[0]?.scenario;

function board(runs: RunResult[], more: Partial<ComparisonRow>[] = []): Comparison {
  if (!scenario) throw new Error('there is latency');
  const kept = runs.map((result, index) => ({ directory: `results/${index}`, result }));
  const assembled = assemble(scenario, kept, '');
  const others = more.map((row) => ({ target: 'uws', state: 'ran' as const, why: '', runs: [], figures: [], ...row }));
  return { ...assembled, repeat: 3, startedAt: '2026-11-21T09:40:15.682Z', rows: [...assembled.rows, ...others] };
}

const night = (times: number, more: Partial<RunResult> = {}): RunResult[] =>
  ['ws', 'uws'].flatMap((target) =>
    [0.99, 1, 1.01].map((noise) => run(target, target === 'ws' ? times * noise : noise, more)),
  );

const span = { startedAt: '2026-11-21T09:40:15.682Z', endedAt: '2026-11-21T09:50:15.682Z', isInterrupted: false };

function concluded(comparison: Comparison, held?: Held, { required = false, isInterrupted = false } = {}): SuiteResult {
  const suite = plan(required);
  const [entry] = suite.entries;
  if (!entry) throw new Error('there is an entry');
  const result = conclude(suite, [{ entry, comparison, held }], { ...span, isInterrupted });
  return suiteResult.parse(JSON.parse(JSON.stringify(result)));
}

function first({ entries: [entry] }: SuiteResult): SuiteOutcome {
  if (!entry) throw new Error('there is an entry');
  return entry;
}

const against = (comparison: Comparison, before: string[] = []): Held => ({
  comparison,
  directory: 'before/latency',
  isCarried: before.length > 0,
  before,
});

describe('how a suite ends', () => {
  const promise = { text: 'lost==0', kind: 'count', value: 1, isKept: false } as const;
  const limited = { rig: 'limited', evidence: [] } as const;

  it('is by the worst of its runs', () => {
    expect(concluded(board(night(1)))).toMatchObject({ exit: 'clean', isComplete: true });
    expect(concluded(board(night(1, { thresholds: [promise] }))).exit).toBe('threshold');
    expect(concluded(board(night(1, { verdict: { ...limited, evidence: [] } }))).exit).toBe('rig');
    const lost = night(1, { thresholds: [promise], stop: { code: 'shardLost', evidence: [] } });
    expect(concluded(board(lost)).exit).toBe('shardLost');
  });

  it('is not spoilt by a target that is not available, unless it is required', () => {
    const runs = night(1).filter(({ target }) => target.name === 'ws');
    const missing = board(runs, [{ state: 'notAvailable', why: 'no binary' }]);
    expect(concluded(missing)).toMatchObject({ exit: 'clean', isComplete: true });
    expect(concluded(missing, undefined, { required: true }).exit).toBe('input');
    expect(first(concluded(missing)).rows[1]).toMatchObject({ state: 'notAvailable', why: 'no binary', runs: 0 });
  });

  it('is wrong input where a target failed, and where nothing ran at all', () => {
    const runs = night(1).filter(({ target }) => target.name === 'ws');
    expect(concluded(board(runs, [{ state: 'failed', why: 'no ports' }])).exit).toBe('input');
    const nothing = { ...board(night(1)), rows: [] };
    expect(concluded(nothing).exit).toBe('input');
  });

  it('is interrupted where it was, and then not complete', () => {
    const some = concluded(board(night(1).slice(0, 2), [{}]), undefined, { isInterrupted: true });
    expect(some).toMatchObject({ exit: 'interrupted', isComplete: false });
  });

  it('counts promises over runs, and names those that were broken', () => {
    const kept = { ...promise, isKept: true, value: 0 };
    const [one, ...others] = night(1, { thresholds: [kept] });
    const comparison = board([{ ...(one as RunResult), thresholds: [promise] }, ...others]);
    expect(first(concluded(comparison)).rows.map(({ promises }) => promises)).toEqual([
      { given: 3, kept: 2, broken: ['lost==0'] },
      { given: 3, kept: 3, broken: [] },
    ]);
  });
});

describe('a suite night after night', () => {
  const worse = ['ws  delivery.p50', 'ws  delivery.p99', 'ws  delivery.max'];
  const good = board(night(1));
  const slow = board(night(2));

  it('is not worse than one like it', () => {
    const same = concluded(board(night(1.001)), against(good));
    expect(same.exit).toBe('clean');
    expect(first(same).rows.map(({ changes }) => changes)).toEqual([[], []]);
    expect(baselineOf(first(same))).toEqual({ file: 'comparison.json', isCarried: false, before: [] });
  });

  it('is worse once, is then held against the same again, and worse twice is told once', () => {
    const one = concluded(slow, against(good));
    expect(one.exit).toBe('threshold');
    expect(first(one).again).toEqual([]);
    const next = baselineOf(first(one));
    expect(next).toEqual({ file: 'baseline.json', isCarried: true, before: worse });

    const two = concluded(slow, against(good, next.before));
    expect(first(two).again).toEqual(worse);
    expect(baselineOf(first(two))).toMatchObject({ file: 'comparison.json', isCarried: false });

    const three = concluded(slow, against(slow));
    expect(three.exit).toBe('clean');
    expect(first(three).again).toEqual([]);
  });

  it('forgets one bad night', () => {
    const next = baselineOf(first(concluded(slow, against(good))));
    const two = concluded(good, against(good, next.before));
    expect(first(two).again).toEqual([]);
    expect(baselineOf(first(two)).isCarried).toBe(false);
  });

  it('does not call it twice where another figure is worse', () => {
    const two = concluded(slow, against(good, ['uws  delivery.p99']));
    expect(two.exit).toBe('threshold');
    expect(first(two).again).toEqual([]);
  });

  it('passes over a night that cannot be believed', () => {
    const dark = board(night(5, { verdict: { rig: 'void', evidence: [] } }));
    const one = concluded(dark, against(good));
    expect(first(one).rows.flatMap(({ changes }) => changes)).toEqual([]);
    expect(baselineOf(first(one))).toEqual({ file: 'baseline.json', isCarried: false, before: [] });
  });

  it('says in what a baseline of another shape differs, and holds nothing against it', () => {
    const [entry] = plan().entries;
    if (!entry) throw new Error('there is an entry');
    expect(baselineDifference(entry, good)).toMatch(/^(maxInFlight|options)/);
    const told = concluded(good, { notHeld: 'another shape' });
    expect(first(told)).toMatchObject({
      baseline: null,
      notHeld: 'another shape',
      rows: [{ changes: null }, { changes: null }],
    });
  });
});
