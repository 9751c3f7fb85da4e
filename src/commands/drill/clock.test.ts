import { expect, it } from 'vitest';
import { clockOf, type DrillClockSample, stepsOf } from './clock.js';

const wallMs = 1_763_900_000_000;

/** A look that begins so long after the first one, at a shard whose clocks differ from the driver's. */
function look(atMs: number, tripMs: number, { offsetMs = 0, fastPpm = 0, isQuiet = true } = {}): DrillClockSample {
  const middleMs = atMs + tripMs / 2;
  const shard = { wallMs: wallMs + middleMs + offsetMs, monotonicMs: 7919 + middleMs * (1 + fastPpm / 1e6) };
  const driver = { wallMs: wallMs + atMs + tripMs, monotonicMs: atMs + tripMs };
  return { sentMs: atMs, driver, shard, holder: null, isQuiet };
}

it('the offset of a clock is that of the closest look, as certain as the way is short', () => {
  const looks = [look(0, 43, { offsetMs: 90 }), look(101, 7, { offsetMs: 61_003 }), look(211, 31)];
  const { clock, roundTrip } = clockOf(looks);
  expect(clock?.offsetMs).toBeCloseTo(61_003, 3);
  expect(clock?.uncertaintyMs).toBe(3.5 + 1);
  expect(roundTrip).toEqual({ medianMs: 31, worstMs: 43, asked: 3 });
});

it('a round trip is that of quiet looks', () => {
  const { roundTrip } = clockOf([look(0, 7), look(101, 997, { isQuiet: false }), look(2003, 11)]);
  expect(roundTrip).toEqual({ medianMs: 9, worstMs: 11, asked: 2 });
  expect(clockOf([look(0, 7, { isQuiet: false })])).toEqual({ clock: null, roundTrip: null });
});

it('the drift of a clock is known as well as the ways at either end are short', () => {
  const at = (ms: number, tripMs: number) => look(ms, tripMs, { fastPpm: 701 });
  const { clock } = clockOf([at(0, 4), at(503, 97), at(997, 89), at(10_007, 83), at(19_001, 61), at(20_000, 4)]);
  expect(clock?.drift?.ppm).toBeCloseTo(701, 3);
  expect(clock?.drift?.uncertaintyPpm).toBeCloseTo(200, 3);
  expect(clock?.drift?.overMs).toBe(20_000);
  expect(clockOf([at(0, 4), at(503, 4)]).clock?.drift).toBeNull();
});

it('a step is a jump that the monotonic clock does not have', () => {
  const reading = (monotonicMs: number, stepMs = 0) => ({ wallMs: wallMs + monotonicMs + stepMs, monotonicMs });
  expect(stepsOf([reading(0), reading(503), reading(997, 3), reading(2003)])).toEqual([]);
  expect(stepsOf([reading(0), reading(503), reading(997, -2003), reading(2003, -2003)])).toEqual([-2003]);
});
