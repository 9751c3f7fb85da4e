import { describe, expect, it } from 'vitest';
import { loadOptions } from '../load-options.js';
import { soakAndBurst } from '../soak-and-burst.js';

const load = loadOptions.parse({});

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
