import { setTimeout as delay } from 'node:timers/promises';
import { max, median, min } from 'simple-statistics';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { count } from '../../../src/units/words.js';
import { type Bench, type BenchContext, type Bound, type Finding, print } from '../bench.js';
import { collectedMemory } from '../processes/collected.js';
import { withTarget } from '../processes/places.js';
import { isHere, type Place, type Reader } from '../readers/reader.js';
import { inTurn, slopeOf } from '../rounds.js';
import { lackIn, type Side, type Sides, sideNames, withSides } from './readers.js';

/** What each further client takes is the difference: threads and code are in both. */
const few = 1000;
const many = 18_000;
const rounds = { full: 3, quick: 1 };
/** Lets the compiler finish what the ramp left. */
const settleMs = 5000;

const bytes: Bound = {
  what: 'memory per subscribed idle client, native engine, whole bench-runner',
  atMost: 800,
  print: print.bytes,
};

/** Resident memory of a bench-runner without garbage, for each further subscribed idle client, with both engines. */
export const engineMemory: Bench = {
  name: 'engine-memory',
  bounds: [bytes],
  run: (context) =>
    withSides(
      async (sides) => {
        const found = await withTarget((target) => inRounds(sides, target, context));
        const lack = lackIn(sides, 'native');
        const detail = `${count(many)} clients beside ${count(few)}; ${rangeOf(found.native)}`;
        const native: Finding =
          lack === undefined ? { bound: bytes, value: median(found.native), detail } : { bound: bytes, lack };
        const others = (['js', 'floor'] as const).filter((side) => found[side].length > 0);
        return [
          native,
          ...others.map((side) => {
            const measured = print.bytes(median(found[side]));
            return { what: `  ${sideNames[side]}`, measured, detail: rangeOf(found[side]) };
          }),
        ];
      },
      { isInspected: true },
    ),
};

/** Bytes per client of each round, for all sides that are here. */
async function inRounds(
  sides: Sides,
  target: RunningTarget,
  { isQuick, signal, say }: BenchContext,
): Promise<Record<Side, number[]>> {
  const found: Record<Side, number[]> = { js: [], native: [], floor: [] };
  for (let round = 0; round < (isQuick ? rounds.quick : rounds.full); round++) {
    for (const name of inTurn(Object.keys(found) as Side[], round)) {
      const side = sides[name];
      if (!isHere(side)) continue;
      const each = await bytesPerClient(side, { target, signal });
      found[name].push(each);
      say(`  ${sideNames[name]}: ${print.bytes(each)}`);
    }
  }
  return found;
}

function rangeOf(rounds: readonly number[]): string {
  return `${print.bytes(min(rounds))} to ${print.bytes(max(rounds))}`;
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
