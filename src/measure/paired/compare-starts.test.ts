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
      const p50AtLeastUs = p50Us.map((us) => Math.max(0, us - rigUs));
      return { p50Us, p50AtLeastUs, lastUs: p50Us, excluded: [], overlapping: [] };
    }),
  );
}

type Target = Omit<TimedRounds, 'p50Us' | 'p50AtLeastUs'> & { p50Us: number[]; p50AtLeastUs: number[] };

/** The first pair of such starts, after `change` of the target at place 1, or at others. */
function found(
  starts: TimedRounds[][],
  change: (target: Target, place: number, start: TimedRounds[]) => Partial<TimedRounds> = () => ({}),
  places: readonly number[] = [1],
  asked = question,
) {
  const changed = starts.map((start) =>
    start.map((target, place) =>
      places.includes(place) ? { ...target, ...change(target as unknown as Target, place, start) } : target,
    ),
  );
  const { pairs, ...more } = compareStarts(changed, asked)!;
  return { pair: pairs[0]!, ...more };
}

describe('what starts say together', () => {
  it('is every pair but those of the twin, and the twin beside its original', () => {
    const both = compareStarts(startsOf([1, 1.5, 1]), question)!;
    expect(both.pairs.map(({ a, b }) => [a, b])).toEqual([[0, 1]]);
    expect(both.pairs[0]).toMatchObject({ holds: 'yes', ratio: expect.closeTo(1 / 1.5, 1) });
    expect([both.control?.a, both.control?.b]).toEqual([0, 2]);
    expect(both.control?.holds).not.toBe('yes');
  });

  it('claims no order that the rig may have made', () => {
    const asTheFirst = found(startsOf([1, 1.5, 1]), (_target, _place, [first]) => ({
      p50AtLeastUs: first!.p50AtLeastUs,
    }));
    expect(asTheFirst.pair.holds).toBe('open');
  });

  it('claims an order whose lower ends are next to nothing in some rounds', () => {
    const { pair } = found(startsOf([1, 1.5, 1], 600), ({ p50AtLeastUs }) => ({
      p50AtLeastUs: p50AtLeastUs.map((us, round) => (round % 3 === 0 ? 0 : us)),
    }));
    expect(pair.holds).toBe('yes');
  });

  it('claims no equality that the rig may have made', () => {
    const calm = { ...question, equalWithin: 0.5 };
    const half = ({ p50AtLeastUs }: Target) => ({ p50AtLeastUs: p50AtLeastUs.map((us) => us / 2) });
    expect(found(startsOf([1, 1, 1]), () => ({}), [1], calm).pair.holds).toBe('no');
    expect(found(startsOf([1, 1, 1]), half, [1], calm).pair.holds).toBe('open');
  });

  it('ranks what never came behind all that did, and makes no ratio of it', () => {
    const pair = (share: number, ...places: number[]) => {
      const lost = ({ p50Us }: Target) => ({ p50Us: p50Us.map((us, n) => (n % 10 < share * 10 ? null : us)) });
      return found(startsOf([1, 1, 1]), lost, places).pair;
    };
    const none = { ratio: null, interval: null, joint: null };
    expect(pair(0.6, 1)).toMatchObject({ ...none, holds: 'yes', missing: 'b' });
    expect(pair(0.6, 0)).toMatchObject({ ...none, holds: 'yes', missing: 'a' });
    expect(pair(0.6, 0, 1)).toMatchObject({ ...none, holds: 'open', because: 'lost', missing: 'both' });
    expect(pair(0.1, 1).ratio).toBeCloseTo(1, 0);
  });

  it('is open where the ratio in the rounds is not that of the medians', () => {
    // Both medians are 20 ms; in two of three rounds the first one is faster.
    const levels = (place: number) => (place === 0 ? [10, 20, 30] : [20, 30, 10]);
    const atLevels = ({ p50Us }: Target, place: number) => ({
      p50Us: p50Us.map((us, round) => levels(place)[round % 3]! * 1000 + (us % 10)),
    });
    expect(found(startsOf([1, 1, 1]), atLevels, [0, 1]).pair).toMatchObject({ holds: 'open', because: 'levels' });
  });

  it('leaves void rounds out for all targets', () => {
    const { pair } = found(
      startsOf([1, 1.5, 1]),
      ({ p50Us }, place) =>
        place === 0
          ? { overlapping: p50Us.flatMap((_, round) => (round % 2 === 0 ? [round] : [])) }
          : { p50Us: p50Us.map((us, round) => (round % 2 === 0 ? us * 99 : us)) },
      [0, 1],
    );
    expect(pair.ratio).toBeCloseTo(1 / 1.5, 1);
  });

  it('names the target that changes within its starts', () => {
    const { pair, trends } = found(startsOf([1, 1, 1]), ({ p50Us }) => ({
      p50Us: p50Us.map((us, round) => us * 2 ** (round / 39 - 0.5)),
    }));
    expect(trends).toEqual([{ target: 1, change: expect.closeTo(2, 0) }]);
    expect(pair).toMatchObject({ holds: 'open', because: 'trend' });
  });

  it('leaves excluded rounds out, and tells what they would have said', () => {
    const { pair, rawPairs } = found(startsOf([1, 1, 1]), ({ p50Us }) => ({
      excluded: p50Us.flatMap((_, round) => (round % 3 === 0 ? [] : [round])),
      p50Us: p50Us.map((us, round) => (round % 3 === 0 ? us : 9 * us)),
    }));
    expect(pair.ratio).toBeCloseTo(1, 0);
    expect(rawPairs[0]!.ratio).toBeLessThan(0.5);
  });

  it('is nothing with two starts', () =>
    expect(compareStarts(startsOf([1, 1.5, 1]).slice(0, 2), question)).toBeUndefined());
});
