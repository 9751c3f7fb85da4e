import { setTimeout as delay } from 'node:timers/promises';
import { median } from 'simple-statistics';
import { count } from '../../../src/units/words.js';
import { type Bench, type Bound, type Finding, print } from '../bench.js';
import { withTarget } from '../processes/places.js';
import { rssBytesOf } from '../processes/process-files.js';
import { isHere, type Place, type Reader } from '../readers/reader.js';
import { inTurn, slopeOf } from '../rounds.js';
import { lackIn, type Side, sideNames, withSides } from './readers.js';

/** What each further client takes is the difference: threads and code are in both. */
const few = 1000;
const many = 18_000;
const rounds = { full: 3, quick: 1 };
/** Lets the garbage collector and compiler finish what the ramp left. */
const settleMs = 5000;
const readings = 5;
const readingEveryMs = 500;

const bytes: Bound = {
  what: 'memory per subscribed idle client, native engine, whole bench-runner',
  atMost: 800,
  print: print.bytes,
};

/** Resident memory of a whole bench-runner for each further client that is subscribed and idle, with both engines. */
export const engineMemory: Bench = {
  name: 'engine-memory',
  bounds: [bytes],
  run: ({ isQuick, signal, say }) =>
    withSides((sides) =>
      withTarget(async (target) => {
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
        const lack = lackIn(sides, 'native');
        const detail = `${count(many)} clients beside ${count(few)}`;
        const native: Finding =
          lack === undefined ? { bound: bytes, value: median(found.native), detail } : { bound: bytes, lack };
        const others = (['js', 'floor'] as const).filter((side) => found[side].length > 0);
        return [
          native,
          ...others.map((side) => {
            return { what: `  ${sideNames[side]}`, measured: print.bytes(median(found[side])), detail: '' };
          }),
        ];
      }),
    ),
};

async function bytesPerClient(reader: Reader, place: Place): Promise<number> {
  const held = async (clients: number) => ({ units: clients, value: await heldBytes(reader, place, clients) });
  return slopeOf(await held(few), await held(many));
}

function heldBytes(reader: Reader, place: Place, subscribers: number): Promise<number> {
  const load = { subscribers, warmUp: 0, broadcasts: 1, ratePerSecond: 1 };
  return reader.with(place, load, async ({ pid }) => {
    await delay(settleMs, undefined, { signal: place.signal });
    const read: number[] = [];
    for (let reading = 0; reading < readings; reading++) {
      read.push(rssBytesOf(pid));
      await delay(readingEveryMs, undefined, { signal: place.signal });
    }
    return median(read);
  });
}
