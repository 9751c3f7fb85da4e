import { describe, expect, it } from 'vitest';
import { measuredOn } from '../../../test/worlds/noisy-machine.js';
import { compareStarts, type TimedRounds } from './compare-starts.js';

const question = { equalWithin: 0.05, startsPlanned: 6, isLast: true, twin: 2, twinOf: 0 };
const world = { seed: 7, starts: 6, rounds: 40, betweenStarts: 0.04, stalls: 0.03, episodesEveryS: 20 };

/** Targets of these latencies beside the first one; the rig may have added `rigUs` to each. */
function startsOf(ratios: readonly number[], rigUs = 0): TimedRounds[][] {
  const measured = measuredOn({ ...world, truth: ratios.map(Math.log) });
  return measured.map((rounds) =>
    ratios.map((_, target) => {
      const p50Us = rounds.map((round) => 2000 * Math.exp(round[target]!));
      return {
        p50Us,
        p50AtLeastUs: p50Us.map((us) => Math.max(0, us - rigUs)),
        lastUs: p50Us,
        excluded: [],
        overlapping: [],
      };
    }),
  );
}

describe('what starts say together', () => {
  it('is every pair but those of the twin, and the twin beside its original', () => {
    const found = compareStarts(startsOf([1, 1.5, 1]), question)!;
    expect(found.pairs.map(({ a, b }) => [a, b])).toEqual([[0, 1]]);
    expect(found.pairs[0]).toMatchObject({ holds: 'yes', ratio: expect.closeTo(1 / 1.5, 1) });
    expect([found.control?.a, found.control?.b]).toEqual([0, 2]);
    expect(found.control?.holds).not.toBe('yes');
  });

  it('claims no order that the rig may have made', () => {
    const starts = startsOf([1, 1.5, 1]).map((start) =>
      start.map((target, place) => (place === 1 ? { ...target, p50AtLeastUs: start[0]!.p50AtLeastUs } : target)),
    );
    expect(compareStarts(starts, question)!.pairs[0]!.holds).toBe('open');
  });

  it('claims an order whose lower ends are next to nothing in some rounds', () => {
    const starts = startsOf([1, 1.5, 1], 600).map((start) =>
      start.map((target, place) => ({
        ...target,
        p50AtLeastUs: target.p50AtLeastUs.map((us, round) => (place === 1 && round % 3 === 0 ? 0 : us)),
      })),
    );
    expect(compareStarts(starts, question)!.pairs[0]!.holds).toBe('yes');
  });

  it('claims no equality that the rig may have made', () => {
    const calm = { ...question, equalWithin: 0.5 };
    const starts = startsOf([1, 1, 1]);
    expect(compareStarts(starts, calm)!.pairs[0]!.holds).toBe('no');
    const less = starts.map((start) =>
      start.map((target, place) =>
        place === 1 ? { ...target, p50AtLeastUs: target.p50AtLeastUs.map((us) => us! / 2) } : target,
      ),
    );
    expect(compareStarts(less, calm)!.pairs[0]!.holds).toBe('open');
  });

  it('ranks what never came behind all that did, and makes no ratio of it', () => {
    const lost = (share: number, places: readonly number[]) =>
      startsOf([1, 1, 1]).map((start) =>
        start.map((target, place) => ({
          ...target,
          p50Us: target.p50Us.map((us, round) => (places.includes(place) && round % 10 < share * 10 ? null : us)),
        })),
      );
    const pair = (share: number, ...places: number[]) => compareStarts(lost(share, places), question)!.pairs[0];
    const none = { ratio: null, interval: null, joint: null };
    expect(pair(0.6, 1)).toMatchObject({ ...none, holds: 'yes', missing: 'b' });
    expect(pair(0.6, 0)).toMatchObject({ ...none, holds: 'yes', missing: 'a' });
    expect(pair(0.6, 0, 1)).toMatchObject({ ...none, holds: 'open', because: 'lost', missing: 'both' });
    expect(pair(0.1, 1)?.ratio).toBeCloseTo(1, 0);
  });

  it('is open where the ratio in the rounds is not that of the medians', () => {
    // Both medians are 20 ms; in two of three rounds the first one is faster.
    const levels = [
      [10, 20, 30],
      [20, 30, 10],
    ];
    const starts = startsOf([1, 1, 1]).map((start) =>
      start.map((target, place) => ({
        ...target,
        p50Us: target.p50Us.map((us, round) => (levels[place] ? levels[place]![round % 3]! * 1000 + (us! % 10) : us)),
      })),
    );
    const found = compareStarts(starts, question)!.pairs[0]!;
    expect(found).toMatchObject({ holds: 'open', because: 'levels' });
  });

  it('leaves void rounds out for all targets', () => {
    const starts = startsOf([1, 1.5, 1]).map((start) =>
      start.map((target, place) => ({
        ...target,
        p50Us: target.p50Us.map((us, round) => (place === 1 && round % 2 === 0 ? us! * 99 : us)),
        overlapping: place === 0 ? target.p50Us.flatMap((_, round) => (round % 2 === 0 ? [round] : [])) : [],
      })),
    );
    expect(compareStarts(starts, question)!.pairs[0]!.ratio).toBeCloseTo(1 / 1.5, 1);
  });

  it('names the target that changes within its starts', () => {
    const starts = startsOf([1, 1, 1]).map((start) =>
      start.map((target, place) => ({
        ...target,
        p50Us: target.p50Us.map((us, round) => (place === 1 ? us! * 2 ** (round / 39 - 0.5) : us)),
      })),
    );
    const found = compareStarts(starts, question)!;
    expect(found.trends).toEqual([{ target: 1, change: expect.closeTo(2, 0) }]);
    expect(found.pairs[0]).toMatchObject({ holds: 'open', because: 'trend' });
  });

  it('leaves excluded rounds out, and tells what they would have said', () => {
    const starts = startsOf([1, 1, 1]).map((start) =>
      start.map((target, place) => {
        if (place !== 1) return target;
        const excluded = target.p50Us.flatMap((_, round) => (round % 3 === 0 ? [] : [round]));
        return { ...target, excluded, p50Us: target.p50Us.map((us, round) => (round % 3 === 0 ? us : 9 * us!)) };
      }),
    );
    const found = compareStarts(starts, question)!;
    expect(found.pairs[0]!.ratio).toBeCloseTo(1, 0);
    expect(found.rawPairs[0]!.ratio).toBeLessThan(0.5);
  });

  it('is nothing with two starts', () => {
    expect(compareStarts(startsOf([1, 1.5, 1]).slice(0, 2), question)).toBeUndefined();
  });
});
