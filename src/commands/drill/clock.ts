import type { ClockReading } from '../../contract/shard.js';
import { type ClockSample, clockOffsetOf, closestOf, tripMs } from '../../run/shards/shard-clock.js';
import type { ShardDrill } from './schema.js';

/**
 * Holds one reading of a shard's clock. It is quiet if the drill did nothing else meanwhile, so that its time is that
 * of the network path.
 */
export interface DrillClockSample extends ClockSample {
  isQuiet: boolean;
}

/** Smaller jumps of the wall clock can come from a thread that lost its core between two readings. */
const stepFromMs = 5;
const ppm = 1e6;

type Clock = NonNullable<ShardDrill['clock']>;

/** Returns the clock and the round trip that the readings show; null for both without a quiet reading. */
export function clockOf(looks: readonly DrillClockSample[]): Pick<ShardDrill, 'clock' | 'roundTrip'> {
  const quiet = looks.filter(({ isQuiet }) => isQuiet);
  if (quiet.length === 0) return { clock: null, roundTrip: null };
  const { clock, roundTrip } = clockOffsetOf(looks, quiet);
  return { clock: { ...clock, drift: driftOf(looks), stepsMs: stepsOf(looks.map(({ shard }) => shard)) }, roundTrip };
}

/** Returns the jumps of a wall clock relative to its monotonic clock, in milliseconds. */
export function stepsOf(readings: readonly ClockReading[]): number[] {
  return readings.slice(1).flatMap((now, index) => {
    const before = readings[index] as ClockReading;
    const jump = now.wallMs - now.monotonicMs - (before.wallMs - before.monotonicMs);
    return Math.abs(jump) < stepFromMs ? [] : [jump];
  });
}

/**
 * Returns how much faster the shard's monotonic clock runs than the driver's, by the readings with the shortest round
 * trip at either end.
 */
function driftOf(looks: readonly ClockSample[]): Clock['drift'] {
  const third = Math.floor(looks.length / 3);
  if (third === 0) return null;
  const [first, last] = [closestOf(looks.slice(0, third)), closestOf(looks.slice(-third))];
  const ownMs = last.shard.monotonicMs - first.shard.monotonicMs;
  const driverMs = middleMs(last) - middleMs(first);
  if (driverMs <= 0) return null;
  return {
    ppm: ((ownMs - driverMs) / driverMs) * ppm,
    uncertaintyPpm: ((tripMs(first) + tripMs(last)) / 2 / driverMs) * ppm,
    overMs: driverMs,
  };
}

const middleMs = ({ sentMs, driver }: ClockSample): number => (sentMs + driver.monotonicMs) / 2;
