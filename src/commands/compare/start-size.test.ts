import { expect, it } from 'vitest';
import { mostSlotMs, pilotWith, roundsFor, roundsMs, warmUp } from './start-size.js';

const budget = { sides: 5, starts: 6, leftMs: 60_000, besideMs: 3000 };

it('rounds fill what the budget leaves to each start, and no more than asked', () => {
  const rounds = roundsFor(20, budget, 200);
  expect(rounds).toBe(65);
  expect(roundsMs({ rounds, warmUp, slotMs: 20 }, 5) + 3000).toBeLessThanOrEqual(10_000);
  expect(roundsMs({ rounds: rounds + 1, warmUp, slotMs: 20 }, 5) + 3000).toBeGreaterThan(10_000);
  expect(roundsFor(20, budget, 40)).toBe(40);
});

it('a start without time keeps its fewest rounds', () => {
  expect(roundsFor(20, { ...budget, leftMs: -1000 }, 40)).toBe(12);
  expect(roundsFor(1000, budget, 40)).toBe(12);
});

it('the longest slot leaves time for three starts of the fewest rounds', () => {
  expect(mostSlotMs(budget)).toBe(200);
  expect(roundsMs({ rounds: 12, warmUp, slotMs: 200 }, 5) + 3000).toBe(20_000);
});

it('the pilot has slots that its clients fit in', () => {
  expect(pilotWith(250).slotMs).toBe(250);
  expect(pilotWith(0).slotMs).toBe(pilotWith(1).slotMs);
});
