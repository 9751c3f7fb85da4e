import { z } from 'zod';
import { isTimed, publishWays } from '../../measure/declaration.js';
import { churnOf, latencyOptions } from '../latency.js';
import type { LoadOptions } from '../load-options.js';
import {
  choiceOption,
  countOption,
  drainMs,
  durationOption,
  optionalCount,
  rampRatePerSecond,
  rateOption,
} from '../options.js';
import { eventsIn, lastsMs } from '../pace.js';
import { churnRefused } from '../roster/churn.js';
import { beyondSchedule } from '../roster/stages.js';
import { streamsRefused } from '../streams.js';
import { rateStagesRefused } from '../traffic/rate-stages.js';

const {
  clients,
  payloadBytes,
  stages,
  churnPerSecond,
  warmUp,
  streams,
  streamsPerClient,
  streamDistribution,
  rateStages,
} = latencyOptions.shape;

export const throughputOptions = z.strictObject({
  clients,
  ratePerSecond: rateOption(
    'rate',
    100,
    100_000,
    'broadcasts offered per second, all shards together, on an open schedule',
  ),
  rateStages,
  durationMs: durationOption('duration', 10_000, [1, 3_600_000], 'length of the measured part of the schedule'),
  broadcasts: optionalCount('broadcasts', [1, 10_000_000], 'measured broadcasts, instead of a duration'),
  publish: choiceOption('publish', publishWays, 'http', 'how broadcasts reach the target'),
  publishers: countOption('publishers', 4, [1, 4096], 'parallel publish loops of one shard, at most --max-in-flight'),
  payloadBytes,
  rampRatePerSecond,
  stages,
  churnPerSecond,
  streams,
  streamsPerClient,
  streamDistribution,
  warmUp,
  drainMs: drainMs(30_000, 'longest wait for the backlog; later deliveries count as lost'),
});

export type ThroughputOptions = z.output<typeof throughputOptions>;

/** Returns the number of clients of a shard that publish, each with a loop of its own. */
export function publishingClients(
  { publish, publishers }: ThroughputOptions,
  { maxInFlight }: Pick<LoadOptions, 'maxInFlight'>,
): number {
  return publish === 'clients' ? Math.min(publishers, maxInFlight) : 0;
}

/**
 * Returns true if broadcasts leave in batches. They have no stamp of their own, so deliveries are counted, not timed.
 */
export function isInBatches({ publish }: Pick<ThroughputOptions, 'publish'>): boolean {
  return !isTimed(publish);
}

/** Returns the measured broadcasts of a run: as many as the option sets, or as the rate makes in the duration. */
export function broadcastsOf({ broadcasts, ratePerSecond, durationMs }: ThroughputOptions): number {
  return broadcasts ?? eventsIn(durationMs, ratePerSecond);
}

/** Returns why these options cannot go together, in words. */
export function refusedOf(options: ThroughputOptions): string[] {
  const { streams = 1, publish } = options;
  const oneStream = `--streams: expected 1 with --publish ${publish}, as a batch goes to one stream`;
  return [
    ...stagesRefused(options),
    ...churnRefused(churnOf({ ...options, broadcasts: broadcastsOf(options) }), options.stages),
    ...streamsRefused(options),
    ...rateStagesRefused({ ...options, broadcasts: broadcastsOf(options) }),
    ...(streams > 1 && isInBatches(options) ? [`${oneStream}, received ${streams}`] : []),
  ];
}

function stagesRefused(options: ThroughputOptions): string[] {
  const { stages, churnPerSecond, rateStages, publish, broadcasts, warmUp, ratePerSecond } = options;
  const scheduleMs = lastsMs(warmUp + broadcastsOf(options), ratePerSecond);
  const stampless = `expected nothing with --publish ${publish}, as nobody knows when each broadcast left`;
  const given = isInBatches(options) ? { stages, churn: churnPerSecond, 'rate-stages': rateStages } : {};
  return [
    ...beyondSchedule(stages, scheduleMs, broadcasts === undefined ? '--duration' : '--broadcasts'),
    ...Object.entries(given).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}: ${stampless}, received ${value}`],
    ),
  ];
}
