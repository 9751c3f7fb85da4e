import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { against, board, concluded, first, heldAfter, night, p99Of, plan } from '../../../test/suite-nights.js';
import type { Comparison } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import { baselineDifference } from './baseline.js';
import { isLimitedAtMost, type SuiteResult } from './book.js';

describe('how a suite ends', () => {
  const promise = { text: 'lost==0', kind: 'count', value: 1, isKept: false } as const;
  const limited: RunResult['verdict'] = { rig: 'limited', evidence: [] };

  it('is by the worst of its runs', () => {
    expect(concluded(board(night(1)))).toMatchObject({ exit: 'clean', isComplete: true });
    expect(concluded(board(night(1, { thresholds: [promise] }))).exit).toBe('threshold');
    expect(concluded(board(night(1, { verdict: limited }))).exit).toBe('rig');
    const lost = night(1, { thresholds: [promise], stop: { code: 'shardLost', evidence: [] } });
    expect(concluded(board(lost)).exit).toBe('shardLost');
  });

  it('is a broken promise where nothing shows the rig in it, whatever is said of other runs', () => {
    const [one, ...others] = night(1) as [RunResult, ...RunResult[]];
    const beside = (verdict: RunResult['verdict'], broken: Partial<RunResult>): SuiteResult =>
      concluded(board([{ ...one, thresholds: [promise], ...broken }, ...others.map((each) => ({ ...each, verdict }))]));
    expect(beside(limited, {}).exit).toBe('threshold');
    expect(beside({ rig: 'void', evidence: [] }, {}).exit).toBe('threshold');
    expect(beside(limited, { verdict: limited }).exit).toBe('rig');
    expect(beside({ rig: 'clean', evidence: [] }, { verdict: limited }).exit).toBe('rig');
  });

  it('is to be accepted where the rig is in some numbers, and in none where a run is void', () => {
    const [one, ...others] = night(1, { verdict: limited }) as [RunResult, ...RunResult[]];
    const stop: RunResult['stop'] = { code: 'targetGone', evidence: [] };
    const crashed: RunResult = { ...one, stop, verdict: { rig: 'void', evidence: [] } };
    expect(isLimitedAtMost(concluded(board([one, ...others])))).toBe(true);
    expect(isLimitedAtMost(concluded(board([crashed, ...others])))).toBe(false);
    expect(isLimitedAtMost(concluded(board(night(1))))).toBe(true);
    expect(isLimitedAtMost(concluded(board(night(1, { thresholds: [promise] }))))).toBe(false);
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
    const newer = board(night(1.001));
    expect(heldAfter(newer, against(good))).toMatchObject({ comparison: newer, isCarried: false, before: [] });
  });

  it('is worse once, is then held against the same again, and worse twice is told once', () => {
    const one = concluded(slow, against(good));
    expect(one.exit).toBe('threshold');
    expect(first(one).again).toEqual([]);
    const next = heldAfter(slow, against(good));
    expect(next).toMatchObject({ isCarried: true, before: worse });
    expect([p99Of(next, 'ws'), p99Of(next, 'uws')]).toEqual([p99Of(against(good), 'ws'), p99Of(against(slow), 'uws')]);

    const two = concluded(slow, next);
    expect(first(two).again).toEqual(worse);
    expect(heldAfter(slow, next)).toMatchObject({ comparison: { rows: slow.rows }, isCarried: false, before: [] });

    const three = concluded(slow, against(slow));
    expect(three.exit).toBe('clean');
    expect(first(three).again).toEqual([]);
  });

  it('is no broken baseline where the rig may have made it worse, on either side', () => {
    const doubtful = { verdict: { rig: 'limited' as const, evidence: [] } };
    expect(concluded(board(night(2, doubtful)), against(good)).exit).toBe('rig');
    const one = concluded(slow, against(board(night(1, doubtful))));
    expect(one.exit).toBe('rig');
  });

  it('forgets one bad night', () => {
    const next = heldAfter(slow, against(good));
    expect(first(concluded(good, next)).again).toEqual([]);
    expect(heldAfter(good, next)?.isCarried).toBe(false);
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
    expect(heldAfter(dark, against(good))).toMatchObject({ comparison: good, isCarried: false, before: [] });
  });

  it('passes over a target that cannot be believed, and tells what is worse of it before and after', () => {
    const [bad, dark] = [night(2), night(2, { verdict: { rig: 'void', evidence: [] } })];
    const one = heldAfter(slow, against(good));
    const half = board([...dark.slice(0, 3), ...bad.slice(3)]);
    const two = heldAfter(half, one);
    expect(two).toMatchObject({ isCarried: true, before: worse });
    expect(p99Of(two, 'ws')).toBe(p99Of(one, 'ws'));
    expect(two?.comparison.pairs).toEqual([]);
    expect(first(concluded(slow, two)).again).toEqual(worse);
    const gone = board(bad.slice(3), [{ target: 'ws', state: 'failed', why: 'no ports' }]);
    expect(p99Of(heldAfter(gone, against(good)), 'ws')).toBe(p99Of(against(good), 'ws'));
  });

  it('has no measure in a first night that cannot be believed, nor in runs of one that was cut short', () => {
    const dark = night(1, { verdict: { rig: 'void', evidence: [] } });
    expect(heldAfter(board(dark))).toBeUndefined();
    expect(heldAfter(board([]))).toBeUndefined();
    const cut = board(night(1).slice(0, 4));
    expect(heldAfter(cut, undefined, true)?.comparison.rows.map(({ target }) => target)).toEqual(['ws']);
    expect(heldAfter(cut)?.comparison.rows.map(({ target }) => target)).toEqual(['ws', 'uws']);
  });

  it('holds targets against each other by name alone, whoever could not be run', () => {
    const [ws, uws] = [night(1).slice(0, 3), night(1).slice(3)];
    const before = board(ws, [{ target: 'uws', state: 'notAvailable', why: 'no binary' }]);
    const now = board(uws, [{ target: 'ws', state: 'failed', why: 'no ports' }]);
    expect(first(concluded(now, against(before))).rows.map(({ changes }) => changes)).toEqual([null, null]);
    expect(first(concluded(now, against(board([...ws, ...uws])))).rows.map(({ changes }) => changes)).toEqual([
      [],
      null,
    ]);
  });

  it('is worse by a fault that was none before, whether or not the scoreboard has it, and tells the worst run', () => {
    const { ledger } = goldenResult();
    const faults = (entry: string): Comparison => {
      const [one, ...others] = night(1) as [RunResult, ...RunResult[]];
      return board([{ ...one, ledger: { ...ledger, [entry]: 7 } }, ...others]);
    };
    const told = (found: SuiteResult) =>
      first(found).rows[0]?.changes?.map(({ name, baseline, candidate }) => [name, baseline, candidate]);
    const duplicated = concluded(faults('duplicate'), against(good));
    expect(duplicated.exit).toBe('threshold');
    expect(told(duplicated)).toEqual([['duplicate', 0, 7]]);
    const delivered = concluded(faults('delivered'), against(good));
    expect(told(delivered)).toContainEqual(['delivered%', 1, 7 / Number(ledger.expected)]);
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
