import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareOfShard } from './assess.js';

const rest = { publishesPerSecond: 1, payloadBytes: 64, durationMs: 1 };

it('deals every measured broadcast to the shard that its number says, behind the warm-up', () => {
  const counts = fc.record({
    warmUp: fc.nat(23),
    measured: fc.nat(97),
    clients: fc.nat(97),
    of: fc.integer({ min: 1, max: 13 }),
  });
  fc.assert(
    fc.property(counts, ({ warmUp, measured, clients, of }) => {
      const demand = { ...rest, clients, broadcasts: warmUp + measured, measuredBroadcasts: measured };
      const sequences = Array.from({ length: measured }, (_, n) => warmUp + n);
      for (let index = 0; index < of; index++) {
        const own = sequences.filter((sequence) => sequence % of === index).length;
        expect(shareOfShard({ index, of }, demand).broadcasts).toBe(own);
      }
    }),
  );
});

it('knows of clients alone where the run decides how much it publishes', () => {
  const demand = { ...rest, clients: 7, broadcasts: 3 };
  expect([0, 1, 2].map((index) => shareOfShard({ index, of: 3 }, demand))).toEqual(
    [3, 2, 2].map((clients) => ({ clients, broadcasts: null })),
  );
});
