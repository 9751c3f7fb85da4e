import { median } from 'simple-statistics';
import type { ClockReading, ShardHolder, ShardNow } from '../../contract/shard.js';
import { readClocks } from '../../measure/rig/clock.js';
import type { ShardClient } from './shard-client.js';

/** A shard's clocks and those of the driver: the shard read its own between `sentMs` and the driver's reading. */
export interface ClockSample {
  /** On the driver's monotonic clock. */
  sentMs: number;
  driver: ClockReading;
  shard: ClockReading;
  holder: ShardHolder | null;
}

/** A shard's wall clock against that of the driver, and the way to it. */
export interface ClockOffset {
  clock: {
    /** Positive if the shard's clock is ahead. */
    offsetMs: number;
    /** The true offset is at most so far away. */
    uncertaintyMs: number;
  };
  roundTrip: { medianMs: number; worstMs: number; asked: number };
}

/** Both wall clocks tell whole milliseconds. */
const wallErrorMs = 1;

/** Looks at a shard's clocks once. Throws what `ShardClient.now` throws. */
export async function sampleClock(shard: Pick<ShardClient, 'now'>): Promise<ClockSample> {
  const sentMs = performance.now();
  const { holder, ...clocks }: ShardNow = await shard.now();
  return { sentMs, driver: readClocks(), shard: clocks, holder };
}

/** What looks say of a shard's wall clock, and the quiet ones of the way to it. Throws a RangeError without any. */
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

/** The look whose answer waited least. Throws a RangeError without any. */
export function closestOf(looks: readonly ClockSample[]): ClockSample {
  const [first, ...more] = looks;
  if (!first) throw new RangeError('expected a look at a clock, received none');
  return more.reduce((best, look) => (tripMs(look) < tripMs(best) ? look : best), first);
}

/** The round trip of a look. */
export function tripMs({ sentMs, driver }: ClockSample): number {
  return driver.monotonicMs - sentMs;
}
