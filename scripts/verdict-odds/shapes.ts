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
/**
 * What `calibrate` found measured within 0.3 ms, of known truth: a server of a few milliseconds would make one stall of the machine a part of its p99, and a
 * `limited` that is right. 500 broadcasts carry a p99 of `publishLag`.
 */
const comfortableFlags =
  '--target metronome --target-option delay=uniform:5ms,50ms --subscribers 1000 --broadcasts 500 --rate 10/s --warm-up 10 --ramp-rate 500/s --seed 1 --client wire --local-shards 1';

/** What no rig can measure, and what is known to be measured right. */
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
      what: '1,000 wire clients, 10 broadcasts a second of known delay',
      flags: comfortableFlags.split(' '),
      promised: 'clean',
      inTen: 9,
      seconds: 58,
    },
  ];
}
