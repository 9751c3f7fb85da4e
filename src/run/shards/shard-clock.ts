import { median } from 'simple-statistics';
import type { ClockReading, SendsQuery, ShardHolder, ShardNow } from '../../contract/shard.js';
import { readClocks } from '../../measure/rig/clock.js';
import type { Member } from './member.js';
import { NoAnswer, shardAnswer } from './partial-body.js';
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

/** A shard's monotonic clock against that of the driver. `errorMs`: largest error of the difference. */
interface AheadOfDriver {
  aheadMs: number;
  errorMs: number;
}

/** Both wall clocks have a resolution of one millisecond. */
const wallErrorMs = 1;
/** The quickest of this many answers waited least. */
const questions = 9;

/** Reads a shard's clocks several times. Throws `ProblemError` if it refuses or is silent. */
export async function measureClock(shard: ShardClient): Promise<ClockOffset & Pick<ClockSample, 'holder'>> {
  const looks = await shardAnswer(shard, sampleClocks(shard));
  return { ...clockOffsetOf(looks), holder: looks.at(-1)?.holder ?? null };
}

async function sampleClocks(shard: Pick<ShardClient, 'now'>): Promise<ClockSample[]> {
  const looks: ClockSample[] = [];
  while (looks.length < questions) looks.push(await sampleClock(shard));
  return looks;
}

export async function sampleClock(shard: Pick<ShardClient, 'now'>): Promise<ClockSample> {
  const sentMs = performance.now();
  const { holder, ...clocks }: ShardNow = await shard.now();
  return { sentMs, driver: readClocks(), shard: clocks, holder };
}

/** Computes the offset of a shard's wall clock, and the round trip. Throws a RangeError without a reading. */
export function clockOffsetOf(looks: readonly ClockSample[]): ClockOffset {
  const closest = closestOf(looks);
  const halfMs = tripMs(closest) / 2;
  const trips = looks.map(tripMs);
  return {
    clock: {
      offsetMs: closest.shard.wallMs - (closest.driver.wallMs - halfMs),
      uncertaintyMs: halfMs + wallErrorMs,
    },
    roundTrip: { medianMs: median(trips), worstMs: Math.max(...trips), asked: trips.length },
  };
}

/** Returns how far a shard's monotonic clock is ahead of the driver's. Throws a RangeError without a reading. */
export function monotonicOffsetOf(looks: readonly ClockSample[]): AheadOfDriver {
  const closest = closestOf(looks);
  const halfMs = tripMs(closest) / 2;
  return { aheadMs: closest.shard.monotonicMs - (closest.driver.monotonicMs - halfMs), errorMs: halfMs };
}

function closestOf(looks: readonly ClockSample[]): ClockSample {
  const [first, ...more] = looks;
  if (!first) throw new RangeError('expected a look at a clock, received none');
  return more.reduce((best, look) => (tripMs(look) < tripMs(best) ? look : best), first);
}

const tripMs = ({ sentMs, driver }: ClockSample): number => driver.monotonicMs - sentMs;

/** Gives each shard the sends of all others. A shard that is lost meanwhile ends the run by itself. */
export async function exchangeSends(members: readonly Member[]): Promise<void> {
  const there = members.filter(({ isOver }) => !isOver);
  const clocks = isOneClock(there) ? undefined : await Promise.all(there.map(clockOf));
  // One log at a time is in memory.
  for (const [from, member] of there.entries()) {
    const log = await member.sends();
    if (log === undefined) continue;
    await Promise.all(
      there.map(async (other, to) => {
        const clock = clocks ? relation(clocks[from], clocks[to]) : {};
        if (other !== member && clock) await other.learn(log, clock);
      }),
    );
  }
}

/** Reads a shard's clock. Undefined if the shard does not answer. */
async function clockOf({ client }: Member): Promise<AheadOfDriver | undefined> {
  return sampleClocks(client).then(monotonicOffsetOf, (error: unknown) => {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  });
}

function isOneClock(members: readonly Member[]): boolean {
  const clockIds = new Set(members.map(({ info }) => info?.clockId));
  return clockIds.size === 1 && !clockIds.has(undefined);
}

/** Relates two clocks. Undefined if one is not known. */
function relation(from: AheadOfDriver | undefined, to: AheadOfDriver | undefined): SendsQuery | undefined {
  if (!from || !to) return undefined;
  return { shiftMs: to.aheadMs - from.aheadMs, errorMs: from.errorMs + to.errorMs };
}
