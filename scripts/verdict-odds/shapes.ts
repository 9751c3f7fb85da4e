import { z } from 'zod';
import { latencyOptions } from '../../src/scenarios/latency/options.js';
import { count } from '../../src/units/words.js';
import { secondsOf, starvedRig } from '../lying-rig/rigs.js';

/** Options of the odds: runs of each shape, and subscribers of the starved one. */
export const oddsOptions = z.strictObject({
  runs: z.number().int().min(1).max(1000).default(10).meta({
    flag: 'runs',
    unit: 'count',
    help: 'runs of each shape, interleaved',
  }),
  subscribers: latencyOptions.shape.subscribers.default(10_000),
});

export type OddsOptions = z.output<typeof oddsOptions>;

/** A load whose verdict is known beforehand, and in how many of ten runs it has to come out. */
export interface Shape {
  name: 'starved' | 'comfortable';
  what: string;
  flags: readonly string[];
  promised: 'limited' | 'clean';
  inTen: number;
  /** About how long one run takes. */
  seconds: number;
}

const starvedBroadcasts = 10;
const comfortableFlags =
  '--target ws --subscribers 50 --broadcasts 500 --rate 25/s --warm-up 10 --ramp-rate 200/s --seed 1 --client wire --local-shards 1';

/** What no rig can measure, and what every machine that Ringside runs on can. */
export function shapesOf({ subscribers }: OddsOptions): readonly [Shape, Shape] {
  const load = { target: 'uws', subscribers, broadcasts: starvedBroadcasts };
  return [
    {
      name: 'starved',
      what: `${count(subscribers)} library clients on one loop`,
      flags: starvedRig(load),
      promised: 'limited',
      inTen: 10,
      seconds: secondsOf(load),
    },
    {
      name: 'comfortable',
      what: '50 wire clients, 25 broadcasts a second',
      flags: comfortableFlags.split(' '),
      promised: 'clean',
      inTen: 9,
      seconds: 28,
    },
  ];
}
