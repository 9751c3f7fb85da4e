import { describe, expect, it } from 'vitest';
import { together } from './together.js';

describe('runs that go through gates together', () => {
  it('start at one instant once all stand at the gate', () => {
    let nowMs = 1009;
    const told: [string, number][] = [];
    const [one, other, third] = together(
      3,
      (gate, atMs) => told.push([gate, atMs]),
      () => nowMs,
    );
    expect(one!.standsAt('start')).toBeUndefined();
    expect(one!.standsAt('start')).toBeUndefined();
    expect(other!.standsAt('start')).toBeUndefined();
    nowMs = 2003;
    const startMs = third!.standsAt('start');
    expect(startMs).toBeGreaterThan(2003);
    nowMs = 2039;
    expect([one, other, third].map((each) => each!.standsAt('start'))).toEqual([startMs, startMs, startMs]);
    expect(one!.standsAt('drain')).toBeUndefined();
    expect(told).toEqual([['start', startMs]]);
  });

  it('do not wait for one that left', () => {
    const [one, other] = together(2, undefined, () => 7);
    expect(one!.standsAt('start')).toBeUndefined();
    other!.leave();
    expect(one!.standsAt('start')).toBeGreaterThan(7);
  });
});
