import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastSlotMs, marksOfSends, offsetOf, RateMeter, roundsOfSends, sendsIn } from './send-schedule.js';

describe('the offset of a client', () => {
  it('is a function of the seed and the client alone', () => {
    expect(offsetOf(7, 13)).toBe(offsetOf(7, 13));
    expect(offsetOf(7, 13)).not.toBe(offsetOf(8, 13));
  });

  it.each([0, 1, 7, 0xffff_ffff])('lies evenly in its period: seed %i', (seed) => {
    const tenths = new Array<number>(10).fill(0);
    for (let client = 0; client < 10_000; client++) {
      const tenth = Math.floor(offsetOf(seed, client) * 10);
      tenths[tenth] = (tenths[tenth] as number) + 1;
    }
    // Ten standard deviations.
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(300);
  });
});

describe('the sends of a client', () => {
  it('send as often as the rate makes in the duration, and once at least', () => {
    expect(sendsIn({ ratePerSecond: 5, durationMs: 3000 })).toBe(15);
    expect(sendsIn({ ratePerSecond: 0.1, durationMs: 1000 })).toBe(1);
    expect(sendsIn({ ratePerSecond: 3, durationMs: 333 })).toBe(1);
  });

  it('take whole blocks of the table', () => {
    expect([0, 1, 32, 33].map((each) => marksOfSends(7, each, 1))).toEqual([0, 7 * 32, 7 * 32, 7 * 64]);
  });
});

describe('the schedule of a paired comparison', () => {
  it('is that many sends of each client, warm-up apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 2, max: 240_000 }), (wanted, roundMs) => {
        expect(sendsIn(roundsOfSends({ rounds: wanted, warmUp: 5, roundMs }))).toBe(wanted);
      }),
    );
  });

  it('leaves a round so much time that its sends are no burst', () => {
    expect([7, 50, 1000, 10_000].map((each) => leastSlotMs({ clients: each }))).toEqual([4, 25, 500, 5000]);
  });
});

describe('a rate', () => {
  it('is that of the intervals between the first and the last event, in whatever order they are told', () => {
    const meter = new RateMeter();
    for (const atNs of [3e9, 1e9, 2e9]) meter.count(atNs);
    expect(meter.perSecond).toBe(1);
  });

  it('has a span, from the first event of one meter to the last of another and an interval for that', () => {
    const [sent, came] = [new RateMeter(), new RateMeter()];
    expect(came.lastsMsFrom(sent, 500)).toBe(0);
    for (const atNs of [1e9, 1.5e9]) sent.count(atNs);
    expect(came.lastsMsFrom(sent, 500)).toBe(0);
    for (const atNs of [1.1e9, 1.6e9]) came.count(atNs);
    expect(came.lastsMsFrom(sent, 500)).toBeCloseTo(1100, 9);
  });

  it('is zero of fewer than two instants', () => {
    const meter = new RateMeter();
    expect(meter.perSecond).toBe(0);
    meter.count(5e9);
    meter.count(5e9);
    expect(meter.perSecond).toBe(0);
  });
});
