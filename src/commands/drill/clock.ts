import { median } from 'simple-statistics';
import type { ClockReading } from '../../contract/drill.js';
import type { ShardDrill } from './schema.js';

/** A shard's clocks between two instants of the driver's: monotonic milliseconds, and its wall clock at the second. */
export interface Look {
  sentMs: number;
  receivedMs: number;
  driverWallMs: number;
  shard: ClockReading;
  /** Whether the drill did nothing else meanwhile, so that the time is that of the way. */
  isQuiet: boolean;
}

/** Both wall clocks tell whole milliseconds. */
const wallErrorMs = 1;
/** Smaller jumps of the wall clock can be a thread that lost its core between two readings. */
const stepFromMs = 5;
const ppm = 1e6;

type Clock = NonNullable<ShardDrill['clock']>;

/** What looks at a clock say of it and of the way to it; nothing without a quiet look. */
export function clockOf(looks: readonly Look[]): Pick<ShardDrill, 'clock' | 'roundTrip'> {
  const trips = looks.filter(({ isQuiet }) => isQuiet).map(tripMs);
  if (trips.length === 0) return { clock: null, roundTrip: null };
  const closest = closestOf(looks);
  return {
    clock: {
      offsetMs: closest.shard.wallMs - (closest.driverWallMs - tripMs(closest) / 2),
      uncertaintyMs: tripMs(closest) / 2 + wallErrorMs,
      drift: driftOf(looks),
      stepsMs: stepsOf(looks.map(({ shard }) => shard)),
    },
    roundTrip: { medianMs: median(trips), worstMs: Math.max(...trips), asked: trips.length },
  };
}

/** Jumps of a wall clock, which its monotonic clock does not have, in milliseconds. */
export function stepsOf(readings: readonly ClockReading[]): number[] {
  return readings.slice(1).flatMap((now, index) => {
    const before = readings[index] as ClockReading;
    const jump = now.wallMs - now.monotonicMs - (before.wallMs - before.monotonicMs);
    return Math.abs(jump) < stepFromMs ? [] : [jump];
  });
}

/** The wall clock of the driver as the looks saw it. */
export function driverReadings(looks: readonly Look[]): ClockReading[] {
  return looks.map(({ receivedMs, driverWallMs }) => ({ wallMs: driverWallMs, monotonicMs: receivedMs }));
}

/** How much faster the shard's monotonic clock runs than the driver's, from the closest looks at either end. */
function driftOf(looks: readonly Look[]): Clock['drift'] {
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

function closestOf(looks: readonly Look[]): Look {
  return looks.reduce((best, look) => (tripMs(look) < tripMs(best) ? look : best));
}

const tripMs = ({ sentMs, receivedMs }: Look): number => receivedMs - sentMs;
const middleMs = ({ sentMs, receivedMs }: Look): number => (sentMs + receivedMs) / 2;
