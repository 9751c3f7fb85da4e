import { setTimeout as delay } from 'node:timers/promises';
import { max, median, min } from 'simple-statistics';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { countText } from '../../../src/units/text.js';
import { type Bench, type BenchContext, type Bound, type Finding, printers } from '../bench.js';
import {
  type CollectedMemory,
  collectedMemory,
  growthBounds,
  growthFindings,
  memoryUntil,
} from '../processes/collected.js';
import { withTarget } from '../processes/places.js';
import { engineLack, type Held, isHere, type Load, type Place, type Reader } from '../readers/reader.js';
import { shardReader } from '../readers/shard.js';
import { roundOrder, slopeOf } from '../rounds.js';
import { type EngineSide, type EngineSides, missingSides, sideNames, withSides } from './readers.js';

const audience = { subscribers: 1000, ratePerSecond: 10 };
const seconds = { warmUp: 3, first: 30, full: 600, quick: 30, last: 5 };
/**
 * The long lease keeps a soak alive if the machine stalls. Beyond the cap, samples become a histogram, which does not
 * grow. Raw samples belong to the result and would grow.
 */
const jobLoad = { leaseMs: 120_000, samplesCap: 1000 };

const bounds = growthBounds(`under ${countText(audience.subscribers)} x ${audience.ratePerSecond}/s, native engine`);

/**
 * Measures the memory of a bench-runner that times broadcasts for ten minutes on its native engine. It must not grow.
 */
export const engineSoak: Bench = {
  name: 'engine-soak',
  isOnRequest: true,
  bounds: Object.values(bounds),
  async run(context) {
    const lack = await engineLack('native');
    if (lack !== undefined) return Object.values(bounds).map((bound) => ({ bound, lack }));
    const readForSeconds = context.isQuick ? seconds.quick : seconds.full;
    const timedSeconds = seconds.first + readForSeconds + seconds.last - seconds.warmUp;
    const load: Load = {
      ...audience,
      warmUp: seconds.warmUp * audience.ratePerSecond,
      broadcasts: timedSeconds * audience.ratePerSecond,
    };
    const reader = shardReader(sideNames.native, 'native', { load: jobLoad, isInspected: true });
    const readings = await withTarget((target) =>
      reader.with({ target, signal: context.signal }, load, (held) =>
        whileDelivering(held, { ...context, readForSeconds }),
      ),
    );
    const deliveries = countText((load.warmUp + load.broadcasts) * load.subscribers);
    return growthFindings(bounds, readings, `${deliveries} deliveries, none lost`);
  },
};

/** Reads the memory during the deliveries, once buffers have filled and the hot path is compiled. */
async function whileDelivering(
  held: Held,
  { signal, say, readForSeconds }: BenchContext & { readForSeconds: number },
): Promise<CollectedMemory[]> {
  const read = async (): Promise<CollectedMemory[]> => {
    await delay(seconds.first * 1000, undefined, { signal });
    return memoryUntil(performance.now() + readForSeconds * 1000, held, { signal, say });
  };
  const [readings] = await Promise.all([read(), held.deliver()]);
  return readings;
}

/** The difference between few and many is the cost of further clients. Threads and code are part of both. */
const few = 1000;
const many = 18_000;
const rounds = { full: 3, quick: 1 };
/** Lets the compiler finish after the ramp. */
const settleMs = 5000;

const bytes: Bound = {
  what: 'memory per subscribed idle client, native engine, whole bench-runner',
  atMost: 800,
  print: printers.bytes,
};

/**
 * Measures the resident memory of a bench-runner after garbage collection, for each further idle client, with both
 * engines.
 */
export const engineMemory: Bench = {
  name: 'engine-memory',
  bounds: [bytes],
  run: (context) =>
    withSides(
      async (sides) => {
        const found = await withTarget((target) => inRounds(sides, target, context));
        const lack = missingSides(sides, 'native');
        const detail = `${countText(many)} clients beside ${countText(few)}; ${rangeOf(found.native)}`;
        const native: Finding =
          lack === undefined ? { bound: bytes, value: median(found.native), detail } : { bound: bytes, lack };
        const others = (['js', 'floor'] as const).filter((side) => found[side].length > 0);
        return [
          native,
          ...others.map((side) => {
            const measured = printers.bytes(median(found[side]));
            return { what: `  ${sideNames[side]}`, measured, detail: rangeOf(found[side]) };
          }),
        ];
      },
      { isInspected: true },
    ),
};

/** Returns the bytes per client of each round, for all sides that can run here. */
async function inRounds(
  sides: EngineSides,
  target: RunningTarget,
  { isQuick, signal, say }: BenchContext,
): Promise<Record<EngineSide, number[]>> {
  const found: Record<EngineSide, number[]> = { js: [], native: [], floor: [] };
  for (let round = 0; round < (isQuick ? rounds.quick : rounds.full); round++) {
    for (const name of roundOrder(Object.keys(found) as EngineSide[], round)) {
      const side = sides[name];
      if (!isHere(side)) continue;
      const each = await bytesPerClient(side, { target, signal });
      found[name].push(each);
      say(`  ${sideNames[name]}: ${printers.bytes(each)}`);
    }
  }
  return found;
}

function rangeOf(rounds: readonly number[]): string {
  return `${printers.bytes(min(rounds))} to ${printers.bytes(max(rounds))}`;
}

async function bytesPerClient(reader: Reader, place: Place): Promise<number> {
  const held = async (clients: number) => ({ units: clients, value: await heldBytes(reader, place, clients) });
  return slopeOf(await held(few), await held(many));
}

function heldBytes(reader: Reader, place: Place, subscribers: number): Promise<number> {
  const load = { subscribers, warmUp: 0, broadcasts: 1, ratePerSecond: 1 };
  return reader.with(place, load, async (held) => {
    await delay(settleMs, undefined, { signal: place.signal });
    return (await collectedMemory(held)).rssBytes;
  });
}
