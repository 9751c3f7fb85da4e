import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { latency } from './latency.js';
import { loadOptions } from './load-options.js';
import { soakAndBurst } from './soak-and-burst.js';

const load = loadOptions.parse({});

describe('the demand of a latency run', () => {
  it('is the ramp, the schedule with its warm-up, and the drain', () => {
    const options = latency.options.parse({
      clients: 1009,
      rampRatePerSecond: 250,
      broadcasts: 97,
      warmUp: 3,
      ratePerSecond: 20,
      payloadBytes: 211,
      drainMs: 1999,
    });
    expect(latency.demand(options, load)).toEqual({
      clients: 1009,
      publishesPerSecond: 20,
      payloadBytes: 211,
      broadcasts: 100,
      measuredBroadcasts: 97,
      durationMs: 4036 + 5000 + 1999,
    });
  });

  it('has a client for each visit, whom no gate awaits', () => {
    const options = latency.options.parse({ clients: 11, stages: '1s:7,1s:3,1s:5' });
    expect(latency.demand(options, load).clients).toBe(11 + 9);
    expect(latency.arriving?.(options)).toBe(9);
    expect(latency.independentAtMost(options)).toMatchObject({ connect: 11, arrival: 9 });
  });

  it('is refused where stages last longer than the schedule, and in a paired comparison', () => {
    const options = latency.options.parse({ stages: '5s:7,1ms:7', broadcasts: 97, warmUp: 3, ratePerSecond: 20 });
    expect(latency.contradictions?.(options)).toEqual([naming('--stages', '5s', '5001ms')]);
    expect(latency.contradictions?.({ ...options, stages: '5s:7' })).toEqual([]);
    expect(latency.contradictions?.({ ...options, stages: undefined })).toEqual([]);
    expect(latency.slots?.contradictions?.(options)).toHaveLength(1);
  });
});

describe('the demand of a soak with bursts', () => {
  it('is by default that of Sockudo’s benchmark', () => {
    const options = soakAndBurst.options.parse({});
    expect(soakAndBurst.demand(options, load)).toEqual({
      // 250 who soak, 250 of the burst, and 50 of the second rise.
      clients: 250 + 250 + 50,
      publishesPerSecond: 10,
      payloadBytes: 200,
      broadcasts: 1100,
      measuredBroadcasts: 1090,
      durationMs: 50_000 + 110_000 + 5000,
    });
    expect(soakAndBurst.arriving?.(options)).toBe(300);
  });

  it('has as many broadcasts as the rate makes while the stages last, and one at least', () => {
    const broadcasts = (stages: string, ratePerSecond: number): unknown =>
      soakAndBurst.demand(soakAndBurst.options.parse({ stages, ratePerSecond, warmUp: 3 }), load).measuredBroadcasts;
    expect(broadcasts('2s:7,1500ms:3', 2)).toBe(7 - 3);
    expect(broadcasts('1s:7', 1)).toBe(1);
  });
});
