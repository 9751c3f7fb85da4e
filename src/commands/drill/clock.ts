import type { ClockReading } from '../../contract/shard.js';
import { type ClockSample, clockOffsetOf, closestOf, tripMs } from '../../run/shards/shard-clock.js';
import type { ShardDrill } from './schema.js';

/** A look of a drill; a quiet one if the drill did nothing else meanwhile, so that the time is that of the way. */
export interface DrillClockSample extends ClockSample {
  isQuiet: boolean;
}

/** Smaller jumps of the wall clock can be a thread that lost its core between two readings. */
const stepFromMs = 5;
const ppm = 1e6;

type Clock = NonNullable<ShardDrill['clock']>;

/** What looks at a clock say of it and of the way to it; nothing without a quiet look. */
export function clockOf(looks: readonly DrillClockSample[]): Pick<ShardDrill, 'clock' | 'roundTrip'> {
  const quiet = looks.filter(({ isQuiet }) => isQuiet);
  if (quiet.length === 0) return { clock: null, roundTrip: null };
  const { clock, roundTrip } = clockOffsetOf(looks, quiet);
  return { clock: { ...clock, drift: driftOf(looks), stepsMs: stepsOf(looks.map(({ shard }) => shard)) }, roundTrip };
}

/** Jumps of a wall clock, which its monotonic clock does not have, in milliseconds. */
export function stepsOf(readings: readonly ClockReading[]): number[] {
  return readings.slice(1).flatMap((now, index) => {
    const before = readings[index] as ClockReading;
    const jump = now.wallMs - now.monotonicMs - (before.wallMs - before.monotonicMs);
    return Math.abs(jump) < stepFromMs ? [] : [jump];
  });
}

/** How much faster the shard's monotonic clock runs than the driver's, from the closest looks at either end. */
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
