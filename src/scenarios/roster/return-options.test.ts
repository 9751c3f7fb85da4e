import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelayMs } from './returning.js';

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const clients = fc.integer({ min: 0, max: 9_999_991 });

describe('the wait before an attempt to come back', () => {
  it('lies below the doubled base, and below the longest', () => {
    const attempts = fc.integer({ min: 0, max: 2003 });
    const lengths = fc.integer({ min: 1, max: 600_000 });
    fc.assert(
      fc.property(seeds, clients, attempts, lengths, lengths, (seed, client, attempt, backoffMs, backoffMaxMs) => {
        const delayMs = backoffDelayMs({ seed, backoffMs, backoffMaxMs }, client, attempt);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThan(Math.min(backoffMaxMs, backoffMs * 2 ** attempt));
      }),
    );
  });

  it('depends on nothing but seed, client and attempt', () => {
    const attempts = fc.integer({ min: 0, max: 31 });
    fc.assert(
      fc.property(seeds, clients, attempts, (seed, client, attempt) => {
        const share = (backoffMs: number) =>
          backoffDelayMs({ seed, backoffMs, backoffMaxMs: 1e15 }, client, attempt) / (backoffMs * 2 ** attempt);
        expect(share(503)).toBe(share(503));
        expect(share(503)).toBeCloseTo(share(1009), 9);
      }),
    );
  });

  it('is spread evenly over the clients: full jitter leaves no wave', () => {
    const drawn = Array.from({ length: 10_007 }, (_, client) =>
      backoffDelayMs({ seed: 7, backoffMs: 500, backoffMaxMs: 5000 }, client, 1),
    );
    const tenths = new Array<number>(10).fill(0);
    for (const delayMs of drawn) tenths[Math.floor(delayMs / 100)]!++;
    for (const count of tenths) expect(Math.abs(count - 1000.7)).toBeLessThan(150);
  });
});
