import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { against, board, concluded, first, heldAfter, night, p99Of } from '../../../test/suite-nights.js';
import type { RunResult } from '../../results/result.js';
import { doubtfulAgain } from './book.js';

const limited: Partial<RunResult> = { verdict: { rig: 'limited', evidence: [] } };
const worse = ['ws  delivery.p50', 'ws  delivery.p99', 'ws  delivery.max'];

/** Runs on cores of that many times the usual speed. */
function onCores(times: number): Partial<RunResult> {
  return {
    shards: goldenResult().shards.map((shard) => {
      if (!shard.result) throw new Error('the shards of the golden run have ended');
      const { rig } = shard.result;
      const [before, after] = rig.shard.coreSpeed;
      const coreSpeed: [number, number] = [before * times, after * times];
      return { ...shard, result: { ...shard.result, rig: { ...rig, shard: { ...rig.shard, coreSpeed } } } };
    }),
  };
}

/** A night whose deliveries to `ws` took that long at most, which some of its runs doubt. */
function longest(times: number, isDoubted: boolean): ReturnType<typeof board> {
  const doubts = [{ metric: 'delivery', figure: 'max' as const, leastUs: 1, text: 'delivery max: a stall' }];
  const verdict = { rig: 'clean' as const, evidence: [], ...(isDoubted && { doubts }) };
  return board(
    night(1, { verdict }).map((run, index) => {
      const { delivery, ...others } = run.metrics;
      if (!delivery?.max || index >= 3) return run;
      return { ...run, metrics: { ...others, delivery: { ...delivery, max: delivery.max * times } } };
    }),
  );
}

const good = board(night(1));
const slow = board(night(2));
const slowByRig = board(night(2, limited));

describe('a suite of which the rig or its network may have written the numbers', () => {
  it('says so in the rows that it is true of', () => {
    const doubtful = (held: ReturnType<typeof board>, now: ReturnType<typeof board>) =>
      first(concluded(now, against(held))).rows.map(({ isDoubtful }) => isDoubtful);
    expect(doubtful(good, slow)).toEqual([false, false]);
    const halfLimited = board([...night(2, limited).slice(0, 3), ...night(2).slice(3)]);
    expect(doubtful(good, halfLimited)).toEqual([true, false]);
    expect(doubtful(halfLimited, good)).toEqual([true, false]);
    expect(doubtful(good, board(night(2, onCores(0.5))))).toEqual([true, true]);
  });

  it('is not worse twice by doubtful nights alone, however many, and stays held against the same', () => {
    let held = heldAfter(slowByRig, against(good));
    for (let nights = 0; nights < 3; nights++) {
      expect(held).toMatchObject({ isCarried: true, before: worse, told: [], doubtful: ['ws', 'uws'] });
      expect(p99Of(held, 'ws')).toBe(p99Of(against(good), 'ws'));
      const outcome = first(concluded(slowByRig, held));
      expect(outcome.again).toEqual([]);
      expect(doubtfulAgain(outcome)).toEqual(worse);
      held = heldAfter(slowByRig, held);
    }
    expect(first(concluded(slow, held)).again).toEqual(worse);
  });

  it('is worse twice where one of the nights was clean, is told once, and does not become the measure', () => {
    const one = heldAfter(slow, against(good));
    const two = first(concluded(slowByRig, one));
    expect(two.again).toEqual(worse);
    expect(doubtfulAgain(two)).toEqual([]);
    const held = heldAfter(slowByRig, one);
    expect(p99Of(held, 'ws')).toBe(p99Of(against(good), 'ws'));
    expect(held).toMatchObject({ before: worse, told: worse });
    expect(first(concluded(slowByRig, held)).again).toEqual([]);
    expect(first(concluded(slow, held)).again).toEqual([]);
    const clean = heldAfter(slow, held);
    expect(p99Of(clean, 'ws')).toBe(p99Of(against(slow), 'ws'));
    expect(clean).toMatchObject({ isCarried: false, before: [], told: [], doubtful: [] });
  });

  it('does not become the measure where it is not worse, unless what it is held against is no better', () => {
    const same = board(night(1.001, limited));
    expect(heldAfter(same, against(good))).toMatchObject({ comparison: { rows: good.rows }, isCarried: false });
    const limitedBefore = board(night(1, limited));
    expect(heldAfter(same, against(limitedBefore))).toMatchObject({ comparison: { rows: same.rows } });
    expect(heldAfter(good, against(limitedBefore))).toMatchObject({ comparison: { rows: good.rows } });
  });

  it('becomes the measure where its runs are clean, on cores of another speed for the second night', () => {
    const other = board(night(1, onCores(0.5)));
    const one = heldAfter(other, against(good));
    expect(one).toMatchObject({ comparison: { rows: good.rows }, doubtful: ['ws', 'uws'] });
    expect(heldAfter(other, one)).toMatchObject({ comparison: { rows: other.rows }, doubtful: [] });
    const slower = board(night(2, onCores(0.5)));
    const two = heldAfter(slower, against(good));
    expect(first(concluded(slower, two)).again).toEqual([]);
    expect(heldAfter(slower, two)).toMatchObject({ comparison: { rows: slower.rows }, isCarried: false });
  });

  it('does not become the measure on the first night on other cores, whatever limited the night before', () => {
    const one = heldAfter(board(night(1, limited)), against(good));
    const slower = board(night(3, onCores(0.5)));
    const two = heldAfter(slower, one);
    expect(p99Of(two, 'ws')).toBe(p99Of(against(good), 'ws'));
    expect(two).toMatchObject({ before: worse, otherSpeed: ['ws', 'uws'] });
    expect(first(concluded(board(night(2)), two)).again).toEqual(worse);
    expect(heldAfter(slower, two)).toMatchObject({ comparison: { rows: slower.rows }, otherSpeed: [] });
  });

  it('becomes the measure only where as many of its runs are clean as of its baseline, void ones left out', () => {
    const mixed = (rig: 'limited' | 'void', of: number) =>
      board(night(1.001).map((run, n) => (n % 3 < of ? { ...run, verdict: { rig, evidence: [] } } : run)));
    const takes = (before: ReturnType<typeof board>, now: ReturnType<typeof board>): boolean =>
      heldAfter(now, against(before))?.comparison.rows[0] === now.rows[0];
    const wholly = board(night(1, limited));
    expect([takes(mixed('void', 1), wholly), takes(mixed('limited', 1), wholly)]).toEqual([false, false]);
    expect([takes(good, mixed('void', 1)), takes(good, mixed('limited', 1))]).toEqual([true, false]);
    expect([takes(mixed('limited', 1), mixed('limited', 2)), takes(wholly, mixed('limited', 2))]).toEqual([
      false,
      true,
    ]);
  });
});

describe('a figure that clean runs doubt', () => {
  const name = 'ws  delivery.max';

  it('is worse by the rig, however many nights it was, and leaves the row without doubt', () => {
    let held = heldAfter(longest(3, true), against(good));
    for (let nights = 0; nights < 3; nights++) {
      expect(held).toMatchObject({ before: [name], told: [], doubtful: [name] });
      expect(held?.comparison.rows[0]).toEqual(good.rows[0]);
      const found = concluded(longest(3, true), held);
      expect(found.exit).toBe('rig');
      expect(first(found)).toMatchObject({ again: [], rows: [{ isDoubtful: false }, { isDoubtful: false }] });
      expect(doubtfulAgain(first(found))).toEqual([name]);
      held = heldAfter(longest(3, true), held);
    }
  });

  it('is worse twice where one of the nights did not doubt it', () => {
    const [doubted, clean] = [longest(3, true), longest(3, false)];
    expect(first(concluded(clean, heldAfter(doubted, against(good)))).again).toEqual([name]);
    expect(first(concluded(doubted, heldAfter(clean, against(good)))).again).toEqual([name]);
  });
});
