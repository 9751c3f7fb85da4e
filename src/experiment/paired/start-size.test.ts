import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundMs } from '../../measure/paired/slots.js';
import {
  expectedMs,
  firstPilot,
  grownSlots,
  isSpoilt,
  isStart,
  leastBudgetMs,
  nextPilot,
  roundsMs,
  sizeFor,
  slotsAfter,
  usualBudgetMs,
} from './start-size.js';

const given = { slotsMs: [20, 20, 41, 20, 20], besideMs: 3000, starts: 8, rounds: 60, made: 0 };

describe('what a budget buys', () => {
  it('is starts first, then rounds, as many as asked at most', () => {
    const { starts, size } = sizeFor({ ...given, leftMs: 60_000 });
    expect(starts).toBe(8);
    const startMs = (rounds: number) => roundsMs({ ...size, rounds }) + given.besideMs;
    expect(starts * startMs(size.rounds)).toBeLessThanOrEqual(60_000);
    expect(starts * startMs(size.rounds + 1)).toBeGreaterThan(60_000);
    expect(sizeFor({ ...given, leftMs: 600_000 }).size.rounds).toBe(60);
  });

  it('is fewer starts where it is short, and never shorter slots', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 20, max: 6007 }), { minLength: 2, maxLength: 9 }),
        fc.integer({ min: 0, max: 700_001 }),
        (slotsMs, leftMs) => {
          const { starts, size } = sizeFor({ ...given, slotsMs, leftMs });
          expect(size.slotsMs).toBe(slotsMs);
          expect(starts).toBeGreaterThanOrEqual(3);
          if (leftMs >= leastBudgetMs({ ...given, slotsMs }))
            expect(starts * (roundsMs(size) + given.besideMs)).toBeLessThanOrEqual(leftMs + 1e-6);
        },
      ),
    );
  });

  it('grows to five starts where none was given', () => {
    const long = { ...given, slotsMs: [6000, 20] };
    expect(usualBudgetMs(long)).toBe((leastBudgetMs(long) * 5) / 3);
    expect(usualBudgetMs({ ...long, starts: 3 })).toBe(leastBudgetMs(long));
    // Ten rounds of 6.02 s, two of them before those that count.
    expect(leastBudgetMs(long, 1)).toBe(3000 + 10 * roundMs(long.slotsMs));
  });
});

it('a pilot with the rounds of a start is the first one, and the budget buys the others', () => {
  expect(isStart(firstPilot(4, 53, 0))).toBe(false);
  expect(isStart(firstPilot(4, 10_000, 0))).toBe(true);
  expect(isStart(nextPilot([900, 300]))).toBe(true);
  expect(isStart(nextPilot([300, 300]))).toBe(false);
  const long = { ...given, slotsMs: [900, 300], starts: 3, made: 1 };
  // Eight rounds of 1.2 s, two of warm-up, and 3 s beside them.
  expect(leastBudgetMs(long)).toBe(2 * 15_000);
  expect(sizeFor({ ...long, leftMs: 0 })).toMatchObject({ starts: 3, size: { rounds: 8 } });
  expect(sizeFor({ ...long, leftMs: 2 * 16_200 })).toMatchObject({ starts: 3, size: { rounds: 9 } });
  expect(sizeFor({ ...long, made: 3, leftMs: 0 }).starts).toBe(4);
});

it('the time that a comparison is expected to take is that of its pilot and its starts', () => {
  const audience = { clients: 10_000, leastSlotMs: 0 };
  // Slots of 500 ms: 4 s and 20 s of handshakes beside 12 rounds of the pilot, and 10 of each other start.
  const [pilotMs, startMs] = [24_000 + 12 * 2000, 24_000 + 10 * 2000];
  expect(expectedMs(4, audience, { starts: 3, rounds: 100 })).toBe(pilotMs + 2 * startMs);
  const rich = { starts: 3, rounds: 100, budgetMs: pilotMs + 2 * (startMs + 2000) };
  expect(expectedMs(4, audience, rich)).toBe(rich.budgetMs);
});

describe('slots', () => {
  it('fit the audience before anything is known', () => {
    expect(firstPilot(3, 7, 0).slotsMs).toEqual([40, 40, 40]);
    expect(firstPilot(2, 10_000, 0).slotsMs).toEqual([500, 500]);
    expect(firstPilot(2, 53, 250).slotsMs).toEqual([250, 250]);
  });

  const shown = (overlapping: number, ...lastMs: number[]) => ({ lastMs, overlapping });

  it('are one and a half times the last delivery, whatever a single stall took', () => {
    const least = { leastSlotMs: 0, spreadShare: 0 };
    expect(slotsAfter([60, 40], [shown(0, 100, 101, 100, 99, 2000), shown(0, 1, 1, 1, 1, 1)], least)).toEqual([
      168, 20,
    ]);
    expect(slotsAfter([40], [shown(0, 12, 12, 12)], { ...least, spreadShare: 0.4 })).toEqual([57]);
    expect(slotsAfter([40], [shown(0, 12, 12, 12)], { ...least, leastSlotMs: 211 })).toEqual([211]);
    expect(slotsAfter([40], [shown(0)], least)).toEqual([20]);
    // Deliveries that queued up in short slots overstate the need.
    expect(slotsAfter([40], [shown(3, 1000, 2000, 3000)], least)).toEqual([160]);
  });

  it('grow where more than a tenth of the rounds overlap the next slot', () => {
    const rounds = Array.from({ length: 30 }, (_, n) => (n < 4 ? 300 : 10));
    expect(grownSlots([40, 40], [shown(4, ...rounds), shown(3, ...rounds)], 0)).toEqual([160, 40]);
    expect(grownSlots([150], [shown(4, ...rounds)], 0)).toEqual([466]);
    expect(grownSlots([40], [shown(5, 1, 1, 1, 1, 1)], 0)).toEqual([50]);
  });

  it('spoil a start if a quarter of its rounds is void', () => {
    expect([3, 4].map((overlapping) => isSpoilt(overlapping, 12))).toEqual([false, true]);
  });
});
