import { countText } from '../../../src/units/text.js';
import { type Bench, type BenchContext, type Bound, type Finding, printers } from '../bench.js';
import { withTarget } from '../processes/places.js';
import { isHere, type Load, type Place } from '../readers/reader.js';
import { type Round, roundOrder } from '../rounds.js';
import {
  costBeside,
  costRows,
  type EngineSide,
  type EngineSides,
  missingSides,
  sideNames,
  withSides,
} from './readers.js';

const rounds = { full: 6, quick: 1 };
/** Sets 20,000 deliveries a second. That is a small part of one core, so that one read seldom returns several. */
const loads = [
  { subscribers: 1000, ratePerSecond: 20 },
  { subscribers: 10_000, ratePerSecond: 2 },
];
const seconds = { full: 15, quick: 6 };
const warmUpSeconds = 3;

const boundsOf = loads.map(({ subscribers }) => ({
  ofJs: bound(`native / JS, whole bench-runner, ${countText(subscribers)} subscribers`, 0.7),
  ofFloor: bound(`native / bare epoll floor, ${countText(subscribers)} subscribers`, 1.35),
}));

const unstamped: Bound = {
  what: 'deliveries without a kernel timestamp, native engine',
  atMost: 0.0001,
  print: (share) => `${(share * 10_000).toFixed(2)} in 10,000`,
};

/**
 * Compares the CPU per delivery of both engines, each in a whole bench-runner, and of a bare reader. Server and
 * broadcasts are the same.
 */
export const engineDelivery: Bench = {
  name: 'engine-delivery',
  bounds: [...boundsOf.flatMap(({ ofJs, ofFloor }) => [ofJs, ofFloor]), unstamped],
  run: (context) =>
    withSides(async (sides) => {
      const findings: Finding[] = [];
      const stamps = { all: 0, unstamped: 0 };
      for (const [index, load] of loads.entries()) {
        const { ofJs, ofFloor } = boundsOf[index]!;
        const { js, native, floor } = await withTarget((target) =>
          measure(sides, loadFor(load, context), { target, signal: context.signal }, context, stamps),
        );
        findings.push(
          costBeside(ofJs, missingSides(sides, 'native'), native, js),
          costBeside(ofFloor, missingSides(sides, 'native', 'floor'), native, floor),
          ...costRows({ js, native, floor }),
        );
      }
      const lack = missingSides(sides, 'native');
      const value = stamps.unstamped / stamps.all;
      findings.push(
        lack === undefined
          ? { bound: unstamped, value, detail: `of ${countText(stamps.all)}` }
          : { bound: unstamped, lack },
      );
      return findings;
    }),
};

function bound(what: string, atMost: number): Bound {
  return { what: `CPU per delivery, ${what}`, atMost, print: printers.ratio };
}

function loadFor(load: (typeof loads)[number], { isQuick }: BenchContext): Load {
  const measured = isQuick ? seconds.quick : seconds.full;
  const { ratePerSecond } = load;
  return { ...load, warmUp: warmUpSeconds * ratePerSecond, broadcasts: measured * ratePerSecond };
}

async function measure(
  sides: EngineSides,
  load: Load,
  place: Place,
  { isQuick, say }: BenchContext,
  stamps: { all: number; unstamped: number },
): Promise<Record<EngineSide, Round[]>> {
  const found: Record<EngineSide, Round[]> = { js: [], native: [], floor: [] };
  for (let round = 0; round < (isQuick ? rounds.quick : rounds.full); round++) {
    for (const name of roundOrder(Object.keys(found) as EngineSide[], round)) {
      const side = sides[name];
      if (!isHere(side)) continue;
      const delivered = await side.with(place, load, (held) => held.deliver());
      found[name].push(delivered);
      const { exact = 0, bracketed = 0, unstamped: without = 0 } = (name === 'native' && delivered.stamps) || {};
      stamps.all += exact + bracketed + without;
      stamps.unstamped += without;
      const each = (delivered.cpuUs / delivered.units).toFixed(2);
      const reads = delivered.readsPerUnit?.toFixed(2) ?? 'unknown';
      say(`  ${countText(load.subscribers)} subscribers, ${sideNames[name]}: ${each} us, reads per delivery ${reads}`);
    }
  }
  return found;
}
