import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { against, board, concluded, first, night, plan } from '../../../test/suite-nights.js';
import type { Comparison } from '../../results/comparison.js';
import type { SuiteResult } from '../../results/experiment.js';
import type { RunResult } from '../../results/result.js';
import { isLimitedAtMost } from './conclude.js';
import { shapeChange } from './nights.js';

describe('how a suite ends', () => {
  const threshold = { text: 'lost==0', kind: 'count', value: 1, isKept: false } as const;
  const limited: RunResult['verdict'] = { rig: 'limited', evidence: [] };

  it('is the end of the worst run', () => {
    expect(concluded(board(night(1)))).toMatchObject({ exit: 'clean', isComplete: true });
    expect(concluded(board(night(1, { thresholds: [threshold] }))).exit).toBe('threshold');
    expect(concluded(board(night(1, { verdict: limited }))).exit).toBe('rig');
    const lost = night(1, { thresholds: [threshold], stop: { code: 'shardLost', evidence: [] } });
    expect(concluded(board(lost)).exit).toBe('shardLost');
  });

  it('is a broken threshold if a clean run broke it, whatever other runs say', () => {
    const [one, ...others] = night(1) as [RunResult, ...RunResult[]];
    const beside = (verdict: RunResult['verdict'], broken: Partial<RunResult>): SuiteResult =>
      concluded(
        board([{ ...one, thresholds: [threshold], ...broken }, ...others.map((each) => ({ ...each, verdict }))]),
      );
    expect(beside(limited, {}).exit).toBe('threshold');
    expect(beside({ rig: 'void', evidence: [] }, {}).exit).toBe('threshold');
    expect(beside(limited, { verdict: limited }).exit).toBe('rig');
    expect(beside({ rig: 'clean', evidence: [] }, { verdict: limited }).exit).toBe('rig');
  });

  it('is limited at most without a broken threshold or a void run', () => {
    const [one, ...others] = night(1, { verdict: limited }) as [RunResult, ...RunResult[]];
    const stop: RunResult['stop'] = { code: 'targetGone', evidence: [] };
    const crashed: RunResult = { ...one, stop, verdict: { rig: 'void', evidence: [] } };
    expect(isLimitedAtMost(concluded(board([one, ...others])))).toBe(true);
    expect(isLimitedAtMost(concluded(board([crashed, ...others])))).toBe(false);
    expect(isLimitedAtMost(concluded(board(night(1))))).toBe(true);
    expect(isLimitedAtMost(concluded(board(night(1, { thresholds: [threshold] }))))).toBe(false);
  });

  it('ignores an unavailable target unless it is required', () => {
    const runs = night(1).filter(({ target }) => target.name === 'ws');
    const missing = board(runs, [{ state: 'notAvailable', why: 'no binary' }]);
    expect(concluded(missing)).toMatchObject({ exit: 'clean', isComplete: true });
    expect(concluded(missing, undefined, { required: true }).exit).toBe('input');
    expect(first(concluded(missing)).rows[1]).toMatchObject({ state: 'notAvailable', why: 'no binary', runs: 0 });
  });

  it('is wrong input if a target failed or nothing ran', () => {
    const runs = night(1).filter(({ target }) => target.name === 'ws');
    expect(concluded(board(runs, [{ state: 'failed', why: 'no ports' }])).exit).toBe('input');
    const nothing = { ...board(night(1)), rows: [] };
    expect(concluded(nothing).exit).toBe('input');
  });

  it('is interrupted and incomplete after an interruption', () => {
    const some = concluded(board(night(1).slice(0, 2), [{}]), undefined, { isInterrupted: true });
    expect(some).toMatchObject({ exit: 'interrupted', isComplete: false });
  });

  it('counts thresholds over runs and names broken ones', () => {
    const kept = { ...threshold, isKept: true, value: 0 };
    const [one, ...others] = night(1, { thresholds: [kept] });
    const comparison = board([{ ...(one as RunResult), thresholds: [threshold] }, ...others]);
    expect(first(concluded(comparison)).rows.map(({ thresholds }) => thresholds)).toEqual([
      { given: 3, kept: 2, broken: ['lost==0'] },
      { given: 3, kept: 3, broken: [] },
    ]);
  });
});

describe('a suite with a baseline', () => {
  const limited: Partial<RunResult> = { verdict: { rig: 'limited', evidence: [] } };
  const good = board(night(1));
  const slow = board(night(2));
  /** Of the first target. */
  const withFaults = (more: Partial<RunResult> = {}): RunResult[] =>
    night(1, more).map((run, index) => (index < 3 ? { ...run, ledger: { ...run.ledger, duplicate: 7 } } : run));
  const lossy = board(withFaults());
  const worse = ['delivery.p50', 'delivery.p99', 'delivery.max'];
  const changes = (result: SuiteResult) => first(result).rows.map((row) => row.changes?.map(({ name }) => name));

  /** The same run on cores of that many times the usual speed. */
  function onCores(times: number): Partial<RunResult> {
    return {
      shards: goldenResult().shards.map((shard) => {
        if (!shard.result) throw new Error('the golden shards have ended');
        const { rig } = shard.result;
        const [before, after] = rig.shard.coreSpeed;
        const coreSpeed: [number, number] = [before * times, after * times];
        return { ...shard, result: { ...shard.result, rig: { ...rig, shard: { ...rig.shard, coreSpeed } } } };
      }),
    };
  }

  it('is clean if nothing changed by more than the noise', () => {
    const same = concluded(board(night(1.001)), against(good));
    expect([same.exit, changes(same)]).toEqual(['clean', [[], []]]);
    expect(first(same)).toMatchObject({ baseline: { directory: 'before/latency', startedAt: good.startedAt } });
  });

  it('keeps what became slower as history, which breaks nothing', () => {
    const result = concluded(slow, against(good));
    expect([result.exit, changes(result)]).toEqual(['clean', [worse, []]]);
  });

  it('breaks the baseline if a target counted more faults', () => {
    const result = concluded(lossy, against(good));
    expect([result.exit, changes(result)]).toEqual(['threshold', [['duplicate'], []]]);
  });

  it('ends by the rig if a run of either side is limited, or the cores differ in speed', () => {
    const doubtful = (before: Comparison, now: Comparison) => {
      const result = concluded(now, against(before));
      return [result.exit, ...first(result).rows.map(({ isOpen }) => isOpen)];
    };
    const half = board([...night(1, limited).slice(0, 3), ...night(1).slice(3)]);
    expect(doubtful(good, lossy)).toEqual(['threshold', false, false]);
    expect(doubtful(half, lossy)).toEqual(['rig', true, false]);
    expect(doubtful(good, board(withFaults(limited)))).toEqual(['rig', true, true]);
    expect(doubtful(good, board(withFaults(onCores(0.5))))).toEqual(['rig', true, true]);
  });

  it('marks the only figure that moved if clean runs doubt it, without doubt of the row', () => {
    const bounds = [{ metric: 'delivery', figure: 'max' as const, leastUs: 1, text: 'delivery max: a stall' }];
    const runs = night(1, { verdict: { rig: 'clean', evidence: [], bounds } }).map((run, index) => {
      const { delivery, ...others } = run.metrics;
      if (!delivery?.max || index >= 3) return run;
      return { ...run, metrics: { ...others, delivery: { ...delivery, max: delivery.max * 3 } } };
    });
    const result = concluded(board(runs), against(good));
    expect([result.exit, changes(result)]).toEqual(['clean', [['delivery.max'], []]]);
    expect(first(result).rows[0]).toMatchObject({ isOpen: false, changes: [{ isOpen: true }] });
  });

  it('finds no change in void runs', () => {
    const dark = board(night(5, { verdict: { rig: 'void', evidence: [] } }));
    expect(changes(concluded(dark, against(good)))).toEqual([[], []]);
  });

  it('matches targets by name, and compares none that ran on one side only', () => {
    const [ws, uws] = [night(1).slice(0, 3), night(1).slice(3)];
    const before = board(ws, [{ target: 'uws', state: 'notAvailable', why: 'no binary' }]);
    const now = board(uws, [{ target: 'ws', state: 'failed', why: 'no ports' }]);
    const compared = (held: Comparison) => first(concluded(now, against(held))).rows.map((row) => row.changes);
    expect(compared(before)).toEqual([null, null]);
    expect(compared(board([...ws, ...uws]))).toEqual([[], null]);
  });

  it('is worse by a new fault, with or without a column, and shows the worst run', () => {
    const { ledger } = goldenResult();
    const faults = (entry: string): SuiteResult => {
      const [one, ...others] = night(1) as [RunResult, ...RunResult[]];
      return concluded(board([{ ...one, ledger: { ...ledger, [entry]: 7 } }, ...others]), against(good));
    };
    const values = (found: SuiteResult) =>
      first(found).rows[0]?.changes?.map(({ name, baseline, candidate }) => [name, baseline, candidate]);
    expect(faults('duplicate').exit).toBe('threshold');
    expect(values(faults('duplicate'))).toEqual([['duplicate', 0, 7]]);
    expect(values(faults('delivered'))).toContainEqual(['delivered%', 1, 7 / Number(ledger.expected)]);
  });

  it('names the difference of a baseline of another shape, and compares with nothing', () => {
    const [entry] = plan().entries;
    if (!entry) throw new Error('there is an entry');
    expect(shapeChange(entry, good)).toMatch(/^(maxInFlight|options)/);
    const held = { notHeld: 'another shape' };
    expect(first(concluded(good, held))).toMatchObject({
      ...{ baseline: null, notHeld: 'another shape' },
      rows: [{ changes: null }, { changes: null }],
    });
  });
});
