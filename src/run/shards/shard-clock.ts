import { median } from 'simple-statistics';
import type { ClockReading, ShardHolder, ShardNow } from '../../contract/shard.js';
import { readClocks } from '../../measure/rig/clock.js';
import type { ShardClient } from './shard-client.js';

/** Clocks of a shard and of the driver. The shard read its own between `sentMs` and the driver's reading. */
export interface ClockSample {
  /** Time on the driver's monotonic clock. */
  sentMs: number;
  driver: ClockReading;
  shard: ClockReading;
  holder: ShardHolder | null;
}

/** Offset of a shard's wall clock from the driver's, and the round trip to the shard. */
export interface ClockOffset {
  clock: {
    /** Positive if the shard's clock is ahead. */
    offsetMs: number;
    /** Largest distance of the true offset from `offsetMs`. */
    uncertaintyMs: number;
  };
  roundTrip: { medianMs: number; worstMs: number; asked: number };
}

/** Both wall clocks have a resolution of one millisecond. */
const wallErrorMs = 1;

export async function sampleClock(shard: Pick<ShardClient, 'now'>): Promise<ClockSample> {
  const sentMs = performance.now();
  const { holder, ...clocks }: ShardNow = await shard.now();
  return { sentMs, driver: readClocks(), shard: clocks, holder };
}

/** Computes the offset of a shard's wall clock from `looks`, and the round trip from the quiet readings. */
export function clockOffsetOf(looks: readonly ClockSample[], quiet: readonly ClockSample[] = looks): ClockOffset {
  const closest = closestOf(looks);
  const halfMs = tripMs(closest) / 2;
  const trips = quiet.map(tripMs);
  return {
    clock: {
      offsetMs: closest.shard.wallMs - (closest.driver.wallMs - halfMs),
      uncertaintyMs: halfMs + wallErrorMs,
    },
    roundTrip: { medianMs: median(trips), worstMs: Math.max(...trips), asked: trips.length },
  };
}

export function closestOf(looks: readonly ClockSample[]): ClockSample {
  const [first, ...more] = looks;
  if (!first) throw new RangeError('expected a look at a clock, received none');
  return more.reduce((best, look) => (tripMs(look) < tripMs(best) ? look : best), first);
}

export function tripMs({ sentMs, driver }: ClockSample): number {
  return driver.monotonicMs - sentMs;
}
