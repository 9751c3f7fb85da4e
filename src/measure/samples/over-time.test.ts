import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Blocks } from './blocks.js';
import { type BlockTimes, spansOf } from './over-time.js';

const times = (more: Partial<BlockTimes> = {}): BlockTimes => ({
  stage: 'publish',
  firstMs: 110,
  everyMs: 10,
  units: 1009,
  ...more,
});

describe('the course of a metric', () => {
  it('counts every sample once, in spans that touch and end with the schedule', () => {
    const samples = fc.array(fc.tuple(fc.nat(1008), fc.integer({ min: 0, max: 200_000_000 })), { maxLength: 307 });
    const schedule = fc.record({
      units: fc.constantFrom(1, 7, 256, 257, 1009),
      everyMs: fc.constantFrom(0.1, 7, 1503),
    });
    fc.assert(
      fc.property(samples, schedule, (list, { units, everyMs }) => {
        const blocks = new Blocks(units);
        for (const [unit, us] of list) blocks.record(unit % units, us);
        const spans = spansOf(blocks.finish(), times({ units, everyMs }), 13);
        expect(spans.reduce((sum, { count }) => sum + count, 0)).toBe(list.length);
        expect(spans[0]?.fromMs).toBe(123);
        expect(spans.at(-1)?.toMs).toBeCloseTo(123 + units * everyMs, 6);
        spans.slice(1).forEach(({ fromMs }, index) => void expect(fromMs).toBe(spans[index]?.toMs));
        for (const { fromMs, toMs } of spans.slice(0, -1)) expect(toMs - fromMs).toBeGreaterThanOrEqual(1000);
      }),
      { numRuns: 29 },
    );
  });

  it('has each broadcast where the schedule wanted it', () => {
    const blocks = new Blocks(300);
    // 100 broadcasts a second: the first second has three blocks of a broadcast more than one.
    for (let unit = 0; unit < 300; unit++) for (let n = 0; n < 7; n++) blocks.record(unit, unit < 150 ? 1000 : 9000);
    const spans = spansOf(blocks.finish(), times({ firstMs: 0, units: 300 }), 0);
    for (const { fromMs, toMs, count } of spans) expect(count).toBe(((toMs - fromMs) / 10) * 7);
    expect(spans.map(({ p50 }) => p50 !== null && p50 < 1020)).toEqual([true, true, false]);
  });

  it('has no percentile that the count can not carry, and else one of the bin', () => {
    const course = (samples: number) => {
      const blocks = new Blocks(1);
      for (let n = 0; n < samples; n++) blocks.record(0, n < samples * 0.98 ? 743 : 5003);
      return spansOf(blocks.finish(), times({ units: 1 }), 0)[0];
    };
    expect(course(0)).toMatchObject({ count: 0, p50: null, p99: null });
    expect(course(9)).toMatchObject({ count: 9, p50: null, p99: null });
    expect(course(499)).toMatchObject({ count: 499, p99: null });
    const carried = course(500);
    expect(Math.abs((carried?.p50 ?? 0) / 743 - 1)).toBeLessThan(0.01);
    expect(Math.abs((carried?.p99 ?? 0) / 5003 - 1)).toBeLessThan(0.01);
  });
});
