import { describe, expect, it } from 'vitest';
import { type JamFacts, jamSigns, jamsOf, type Plateau, restOf } from './jam.js';

const plateau: Plateau = { p50: 5_003, drain: 11_003, unackedShare: 0, lostShare: 0 };

/** A run of 3 s that kept up: 300 publishes to 7 subscribers. */
const calm = (more: Partial<JamFacts> = {}): JamFacts => ({
  ...{ scheduleMs: 3000, offeredPerSecond: 100, achievedPerSecond: 99.7, attempted: 300, unacked: 0 },
  ...{ untaken: undefined, heldBack: 0, expected: 2100, lost: 0, cut: 0, cutBy: '', gone: undefined, p50: 6_007 },
  ...{ drain: 13_007, growthMsPerSecond: 0.7 },
  least: {},
  ...more,
});

const signsOf = (more: Partial<JamFacts>, on: Partial<Plateau> = {}) =>
  jamsOf(calm(more), { ...plateau, ...on }).signs.map(({ sign }) => sign);

describe('a run that kept up', () => {
  it('shows no sign of a jam', () => expect(signsOf({})).toEqual([]));

  it.each<[string, Partial<JamFacts>, Partial<Plateau>?]>([
    ['a small latency that trebled', { p50: 24_000 }],
    ['a large one that did not', { p50: 140_000 }, { p50: 50_000 }],
    ['a drain of less than 2 % of the schedule more', { scheduleMs: 7000, drain: 11_003 + 142_000 }],
    ['a last delivery that a pause held up', { drain: 11_003 + 99_000 }],
    ['a target that loses by order, as on the plateau', { lost: 21 }, { lostShare: 0.01 }],
    ['a target that refuses by order, as on the plateau', { unacked: 3 }, { unackedShare: 0.01 }],
    ['publishes held back by a moment, and caught up', { heldBack: 7 }],
    ['a schedule that the rig missed by itself', { achievedPerSecond: 60 }],
    ['a slope that comes to little over the run', { growthMsPerSecond: 31, scheduleMs: 600 }],
    ['too few deliveries for a slope or a p50', { growthMsPerSecond: undefined, p50: null, drain: null }],
    ['a plateau of which nothing is known', { p50: 900_001, drain: 900_001 }, { p50: null, drain: null }],
  ])('does not either for %s', (_, more, on) => expect(signsOf(more, on)).toEqual([]));
});

describe('a jam', () => {
  it.each<[string, Partial<JamFacts>]>([
    ['connections-cut', { cut: 1, cutBy: 'reset × 1' }],
    ['connections-cut', { gone: 'the process ended' }],
    ['publishes-failed', { unacked: 1 }],
    ['publishes-failed', { attempted: 0, untaken: 'none of the first 7 publishes was acked' }],
    ['publishes-held-back', { heldBack: 7, achievedPerSecond: 97.9 }],
    ['deliveries-lost', { lost: 3 }],
    ['backlog-left', { drain: 11_003 + 101_000 }],
    ['backlog-left', { scheduleMs: 7000, drain: 11_003 + 144_000 }],
    ['latency-left-plateau', { p50: 25_007 }],
    ['backlog-grows', { growthMsPerSecond: 10 }],
  ])('shows as %s: %j', (sign, more) => expect(signsOf(more)).toEqual([sign]));

  it('shows by the arithmetic of an open schedule from 2 % above the limit on', () => {
    for (const x of [0.021, 0.05, 0.3]) {
      const queue = { p50: 5_003 + (x * 7e6) / 2, drain: 11_003 + x * 7e6, growthMsPerSecond: x * 1000 };
      expect(signsOf({ scheduleMs: 7000, ...queue })).toEqual([
        'backlog-left',
        'latency-left-plateau',
        'backlog-grows',
      ]);
    }
    const within = { p50: 5_003 + 0.008 * 1.5e6, drain: 11_003 + 0.008 * 3e6, growthMsPerSecond: 8 };
    expect(signsOf(within)).toEqual([]);
  });

  it('has signs of different names, each with a threshold and its reason', () => {
    expect(new Set(jamSigns.map(({ sign }) => sign)).size).toBe(jamSigns.length);
    for (const { threshold, reason } of jamSigns) expect(threshold.length * reason.length).toBeGreaterThan(0);
  });
});

it('is sure of a jam that is left by the least that the figures can be', () => {
  const late = { p50: 900_001, drain: 2_000_003, growthMsPerSecond: 211 };
  const isSure = (least: JamFacts['least']): boolean => jamsOf(calm({ ...late, least }), plateau).isSure;
  expect(isSure({})).toBe(true);
  expect(isSure({ p50: 5_003, drain: 7_001 })).toBe(true);
  expect(isSure({ p50: 5_003, drain: 7_001, growthMsPerSecond: 9 })).toBe(false);
});

describe('a run at the lowest rate', () => {
  const signs = (more: Partial<JamFacts>) => {
    const facts = calm({ drain: 7_001, ...more });
    return jamsOf(facts, restOf(facts)).signs.map(({ sign }) => sign);
  };

  it('shows none where the target loses or refuses up to a hundredth by order', () => {
    expect(signs({ lost: 20, unacked: 3 })).toEqual([]);
    expect(signs({ p50: 400_009, drain: 480_001 })).toEqual([]);
  });

  it.each<[string, Partial<JamFacts>]>([
    ['deliveries-lost', { lost: 2100, p50: null, drain: null }],
    ['deliveries-lost', { lost: 24 }],
    ['publishes-failed', { unacked: 4 }],
    ['backlog-left', { p50: 900_001, drain: 1_900_003 }],
    ['backlog-grows', { growthMsPerSecond: 97 }],
  ])('is held against none but itself, and shows %s: %j', (sign, more) => expect(signs(more)).toEqual([sign]));
});
