import { setTimeout as delay, setInterval } from 'node:timers/promises';
import { max, median, min } from 'simple-statistics';
import { countText } from '../../../src/units/text.js';
import { type BenchContext, type Bound, type Finding, printers } from '../judge.js';
import { type CollectedMemory, collectedMemory, type Inspected } from '../processes/memory.js';
import { whileHeld, withTarget } from '../processes/places.js';
import { rssBytesOf } from '../processes/program.js';
import { type Load, nativeLack, type Place, type Reader } from '../readers/reader.js';
import { shardReader } from '../readers/shard.js';
import { clientSides, engineSides, loadOfSide, type Side, sideNames, withSides } from '../readers/sides.js';
import { inRounds, slopeOf } from '../rounds.js';

/** The difference between few and many is the cost of further clients. Threads and code are part of both. */
const few = 1000;
/** Lets the compiler finish after the ramp. */
const settleMs = 5000;

/** Compares the resident memory per idle, subscribed client of wire clients and the real library. */
export async function clientMemory({ idle }: Record<'idle', Bound>, context: BenchContext): Promise<Finding[]> {
  const many = 15_000;
  const { found } = await idleClients(clientSides, many, 1, context);
  const [wire, library] = clientSides.map((side) => median(found[side]!)) as [number, number];
  return [
    { bound: idle, value: wire / library, detail: `${countText(many)} subscribed clients each` },
    ...clientSides.map((side) => memoryRow(side, found[side]!)),
  ];
}

/** Measures that of a bench-runner after garbage collection, with both engines. */
export async function engineMemory({ bytes }: Record<'bytes', Bound>, context: BenchContext): Promise<Finding[]> {
  const many = 18_000;
  const { found, lack } = await idleClients(engineSides, many, context.isQuick ? 1 : 3, context);
  const { native = [], js, floor } = found;
  const detail = `${countText(many)} clients beside ${countText(few)}; ${rangeOf(native)}`;
  return [
    lack === undefined ? { bound: bytes, value: median(native), detail } : { bound: bytes, lack },
    ...(js ? [memoryRow('js', js)] : []),
    ...(floor ? [memoryRow('floor', floor)] : []),
  ];
}

/** Returns the bytes per client of each round, for all sides that can run here. */
function idleClients(
  names: readonly Side[],
  many: number,
  rounds: number,
  { signal, say }: BenchContext,
): Promise<{ found: Partial<Record<Side, number[]>>; lack: string | undefined }> {
  return withSides(
    names,
    (sides) =>
      withTarget(async (target) => {
        const here = names.filter((side) => sides.readers[side] !== undefined);
        const found = await inRounds(here, rounds, async (side) => {
          const each = await bytesPerClient(sides.readers[side]!, { target, signal }, many);
          say(`  ${sideNames[side]}: ${printers.bytes(each)}`);
          return each;
        });
        return { found, lack: sides.lackOf('native') };
      }),
    { isInspected: true },
  );
}

async function bytesPerClient(reader: Reader, place: Place, many: number): Promise<number> {
  const held = (subscribers: number): Promise<{ units: number; value: number }> =>
    reader.with(place, { subscribers, warmUp: 0, broadcasts: 1, ratePerSecond: 1 }, async (each) => {
      await delay(settleMs, undefined, { signal: place.signal });
      return { units: subscribers, value: (await collectedMemory(each)).rssBytes };
    });
  return slopeOf(await held(few), await held(many));
}

function memoryRow(side: Side, rounds: readonly number[]): Finding {
  return { what: `  ${sideNames[side]}`, measured: printers.bytes(median([...rounds])), detail: rangeOf(rounds) };
}

function rangeOf(rounds: readonly number[]): string {
  return rounds.length === 0 ? '' : `${printers.bytes(min([...rounds]))} to ${printers.bytes(max([...rounds]))}`;
}

/** Measures the memory of a bench-runner with all its threads, per connection of a real run. */
export async function shardMemory({ held }: Record<'held', Bound>, { signal }: BenchContext): Promise<Finding[]> {
  const connections = 15_000;
  const growths = await whileHeld({ connections, rampPerSecond: 3000, holdMs: 10_000 }, signal, async (holder) => {
    const grown: number[] = [];
    while (grown.length < 5) {
      await delay(1000, undefined, { signal });
      grown.push(rssBytesOf(holder.pid) - holder.idleRssBytes);
    }
    return grown;
  });
  // The largest growth counts, because a collection during the hold can free memory of the ramp.
  const [least, most] = [min(growths), max(growths)];
  const detail = `${countText(connections)} held; ${(least / 1e6).toFixed(1)} to ${(most / 1e6).toFixed(1)} MB`;
  return [{ bound: held, value: most / connections, detail }];
}

/** Bounds the growth during a soak: of the bench-runner's resident memory, and of the heaps of all its isolates. */
export type GrowthBounds = Record<keyof CollectedMemory, Bound>;

/** Measures the memory of a bench-runner that holds connections for ten minutes. It must not grow. */
export async function soak(bounds: GrowthBounds, { isQuick, signal, say }: BenchContext): Promise<Finding[]> {
  const holdMs = (isQuick ? 2 : 10) * 60_000;
  const load = { connections: 5000, rampPerSecond: 1000, holdMs, isInspected: true };
  const readings = await whileHeld(load, signal, (holder) => memoryUntil(holder.endMs, holder, { signal, say }));
  return growthFindings(bounds, readings, `${holdMs / 60_000} min, first minute to last`);
}

const seconds = { warmUp: 3, first: 30, full: 600, quick: 30, last: 5 };

/** Measures that of one that times broadcasts for ten minutes on its native engine. */
export async function engineSoak(bounds: GrowthBounds, { isQuick, signal, say }: BenchContext): Promise<Finding[]> {
  const lack = await nativeLack();
  if (lack !== undefined) return Object.values(bounds).map((bound) => ({ bound, lack }));
  const readForSeconds = isQuick ? seconds.quick : seconds.full;
  const audience = { subscribers: 1000, ratePerSecond: 10 };
  const timedSeconds = seconds.first + readForSeconds + seconds.last - seconds.warmUp;
  const broadcasts = timedSeconds * audience.ratePerSecond;
  const load: Load = { ...audience, warmUp: seconds.warmUp * audience.ratePerSecond, broadcasts };
  // The long lease keeps a soak alive if the machine stalls. Beyond the cap, samples become a histogram, which does not
  // grow. Raw samples belong to the result and would grow.
  const ofJob = { ...loadOfSide.native, leaseMs: 120_000, samplesCap: 1000 };
  const reader = shardReader(sideNames.native, ofJob, { isInspected: true });
  const readings = await withTarget((target) =>
    reader.with({ target, signal }, load, async (held) => {
      // Once buffers have filled and the hot path is compiled.
      const read = delay(seconds.first * 1000, undefined, { signal }).then(() =>
        memoryUntil(performance.now() + readForSeconds * 1000, held, { signal, say }),
      );
      const [found] = await Promise.all([read, held.deliver()]);
      return found;
    }),
  );
  const deliveries = countText((load.warmUp + load.broadcasts) * load.subscribers);
  return growthFindings(bounds, readings, `${deliveries} deliveries, none lost`);
}

const readingEveryMs = 5000;
const readingsPerMinute = 60_000 / readingEveryMs;

/** Reads the memory of a process after garbage collection, every five seconds until `endMs` of `performance.now()`. */
async function memoryUntil(
  endMs: number,
  of: Inspected,
  { signal, say }: Pick<BenchContext, 'signal' | 'say'>,
): Promise<CollectedMemory[]> {
  const readings: CollectedMemory[] = [];
  for await (const _due of setInterval(readingEveryMs, undefined, { signal })) {
    // The last reading ends before the process goes on to other work.
    if (performance.now() > endMs - readingEveryMs) break;
    const reading = await collectedMemory(of);
    readings.push(reading);
    const [rss, heaps] = [reading.rssBytes, reading.heapBytes].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`);
    if (readings.length % readingsPerMinute === 0) say(`  ${rss}, of that ${heaps} in heaps`);
  }
  return readings;
}

function growthFindings(bounds: GrowthBounds, readings: readonly CollectedMemory[], detail: string): Finding[] {
  return (Object.keys(bounds) as (keyof GrowthBounds)[]).map((of) => {
    const each = readings.map((reading) => reading[of]);
    const [first, last] = [each[0], each.at(-1)].map((bytes) => `${((bytes ?? 0) / 1e6).toFixed(1)} MB`);
    return { bound: bounds[of], value: growthOf(each), detail: `${detail}; ${first} to ${last}` };
  });
}

/** Returns the growth from the median of the first minute to that of the last. A shorter series uses its halves. */
export function growthOf(readings: readonly number[], window = readingsPerMinute): number {
  const size = Math.min(window, Math.floor(readings.length / 2));
  if (size < 1) throw new Error(`growth needs two readings, there are ${readings.length}`);
  return median(readings.slice(-size)) / median(readings.slice(0, size)) - 1;
}
