import { z } from 'zod';
import { latencyOptions } from '../../src/scenarios/latency/options.js';

/** What both rigs are asked to measure: options of the demonstration. */
export const lyingRigOptions = z.strictObject({
  target: z
    .string()
    .default('uws')
    .meta({ flag: 'target', placeholder: 'name', help: 'server to start, one of `ringside list targets`' }),
  subscribers: latencyOptions.shape.subscribers.default(10_000),
  broadcasts: latencyOptions.shape.broadcasts.default(20),
});

export type Load = z.output<typeof lyingRigOptions>;

/** Slow enough for one loop of library clients: a ramp that fails would be another demonstration. */
const rampPerSecond = 500;
const warmUp = 2;

/** The load, the same for every rig: a broadcast each second, which leaves a slow loop the time to be through with the one before. */
function loadFlags({ target, subscribers, broadcasts }: Load): string[] {
  return [
    ...['--target', target, '--subscribers', String(subscribers), '--broadcasts', String(broadcasts)],
    ...['--rate', '1/s', '--warm-up', String(warmUp), '--ramp-rate', `${rampPerSecond}/s`, '--seed', '1'],
  ];
}

/** One event loop that holds all subscribers as clients of the real library. */
export function starvedRig(load: Load): string[] {
  return [...loadFlags(load), '--client', 'library', '--local-shards', '1', '--workers', '1'];
}

/** The wire client on two bench-runners, each with as many event loops as it takes by itself on this machine. */
export function roomyRig(load: Load): string[] {
  return [...loadFlags(load), '--client', 'wire', '--local-shards', '2'];
}

/** About how long one run takes, in seconds: ramp, broadcasts, and what it takes to start and end the processes. */
export function secondsOf({ subscribers, broadcasts }: Load): number {
  return Math.ceil(subscribers / rampPerSecond + warmUp + broadcasts + 5);
}
