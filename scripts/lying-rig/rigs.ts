import { z } from 'zod';
import { latencyOptions } from '../../src/scenarios/latency.js';

/** Options of the demonstration: the load of both rigs. */
export const lyingRigOptions = z.strictObject({
  target: z
    .string()
    .default('uws')
    .meta({ flag: 'target', placeholder: 'name', help: 'server to start, one of `ringside list targets`' }),
  subscribers: latencyOptions.shape.subscribers.default(10_000),
  broadcasts: latencyOptions.shape.broadcasts.default(20),
});

export type LyingLoad = z.output<typeof lyingRigOptions>;

/** A faster ramp would fail on one loop of library clients. */
const rampPerSecond = 500;
const warmUp = 2;

/** The load of both rigs. One broadcast per second lets a slow loop finish each one. */
function loadFlags({ target, subscribers, broadcasts }: LyingLoad): string[] {
  return [
    ...['--target', target, '--subscribers', String(subscribers), '--broadcasts', String(broadcasts)],
    ...['--rate', '1/s', '--warm-up', String(warmUp), '--ramp-rate', `${rampPerSecond}/s`, '--seed', '1'],
  ];
}

/** One event loop with all subscribers, as clients of the real library. */
export function starvedRig(load: LyingLoad): string[] {
  return [...loadFlags(load), '--client', 'library', '--local-shards', '1', '--workers', '1'];
}

/** Wire clients on two bench-runners, each with its default number of event loops. */
export function roomyRig(load: LyingLoad): string[] {
  return [...loadFlags(load), '--client', 'wire', '--local-shards', '2'];
}

/** About how many seconds one run takes, from start to end of its processes. */
export function secondsOf({ subscribers, broadcasts }: LyingLoad): number {
  return Math.ceil(subscribers / rampPerSecond + warmUp + broadcasts + 5);
}
