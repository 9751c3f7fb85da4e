import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { aloneWindows, crowdEffect, differ, roundsAlone, windowsMs } from './neighbours.js';
import { slotTimes } from './slots.js';

describe('windows in which one target runs alone', () => {
  it('give each target its turns, never two at a time', () =>
    law(fc.nat(), fc.integer({ min: 2, max: 7 }), fc.integer({ min: 1, max: 3 }), (seed, targets, times) => {
      const windows = aloneWindows(seed, targets, times);
      expect(windows.map(({ target }) => target).sort()).toEqual(
        Array.from({ length: targets * times }, (_, n) => Math.floor(n / times)),
      );
      windows.reduce((before, { fromMs, toMs }) => {
        expect(fromMs).toBeGreaterThan(before);
        return toMs;
      }, 0);
      expect(windowsMs(windows)).toBeGreaterThan(windows.at(-1)!.toMs);
    }));

  it('hold the rounds of their own target, and rounds outside them are of the crowd', () => {
    const windows = aloneWindows(7, 3, 2);
    const plan = { seed: 7, rounds: Math.floor(windowsMs(windows) / 80), slotsMs: [20, 20, 20, 20] };
    for (const target of [0, 1, 2]) {
      const { alone, crowded } = roundsAlone(plan, target, windows);
      expect(alone.length).toBeGreaterThan(7);
      expect(crowded.length).toBeGreaterThan(alone.length);
      const at = (round: number): number => slotTimes(plan, target)[round]! / 1e6;
      for (const round of alone)
        expect(windows.find(({ fromMs, toMs }) => at(round) > fromMs && at(round) < toMs)?.target).toBe(target);
      for (const round of crowded)
        expect(windows.some(({ fromMs, toMs }) => at(round) + 20 > fromMs && at(round) < toMs)).toBe(false);
    }
  });
});

describe('the effect of the crowd', () => {
  const around = (us: number): number[] => Array.from({ length: 11 }, (_, n) => us * (1 + (n - 5) / 50));

  it('is the ratio of the medians', () => {
    const effect = crowdEffect(around(1300), around(1000))!;
    expect(effect.ratio).toBeCloseTo(1.3, 6);
    expect(effect.interval[0]).toBeLessThan(1.3);
    expect(crowdEffect([1], around(1000))).toBeUndefined();
  });

  it('puts an order in doubt only if it differs beyond margin and noise', () => {
    const effect = (us: number) => crowdEffect(around(us), around(1000))!;
    expect(differ(effect(1300), effect(1000), 0.05)).toBe(true);
    expect(differ(effect(1030), effect(1000), 0.05)).toBe(false);
    const noisy = { ratio: 1.3, interval: [0.9, 1.9] as [number, number] };
    expect(differ(noisy, effect(1000), 0.05)).toBe(false);
  });

  it('needs more of each pair the more pairs there are', () => {
    const [one, other] = [1, 1.5].map((ratio) => ({
      ratio,
      interval: [ratio / 1.3, ratio * 1.3] as [number, number],
    }));
    expect([1, 6].map((pairs) => differ(one!, other!, 0.05, pairs))).toEqual([true, false]);
  });
});
