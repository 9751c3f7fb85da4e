import { z } from 'zod';
import { outside, outsideSentence } from '../contract/outside.js';
import { seriesSchema } from '../targets/observe/series.js';

interface GaugeSpec {
  unit: 'count' | 'perSecond' | 'ms' | 'cores' | 'bytes';
  /** How the values of several shards at one instant make one. */
  together: 'sum' | 'max';
  means: string;
}

/** Everything of which the course over a run is kept, shard by shard. The one table. */
export const gaugeTable = {
  open: { unit: 'count', together: 'sum', means: 'clients that are there now, those that have no network left out' },
  deliveriesPerSecond: {
    unit: 'perSecond',
    together: 'sum',
    means:
      'deliveries since the point before it, warm-up included; times the time between the points they add up to all',
  },
  publishesPerSecond: {
    unit: 'perSecond',
    together: 'sum',
    means: 'broadcasts published, or messages sent by clients, since the point before it, warm-up included',
  },
  backlog: {
    unit: 'count',
    together: 'sum',
    means: 'deliveries owed and not there: to each subscriber what all shards published and was acked, less what came',
  },
  loopDelayMs: {
    unit: 'ms',
    together: 'max',
    means: 'how much later than asked a timer of the shard’s event loops ran, at the worst since the point before it',
  },
  cpuCores: { unit: 'cores', together: 'sum', means: 'CPU seconds per second of the bench-runner’s process' },
  rssBytes: { unit: 'bytes', together: 'sum', means: 'resident memory of the bench-runner’s process' },
} as const satisfies Record<string, GaugeSpec>;

export type GaugeName = keyof typeof gaugeTable;

/** Every gauge, for schemas. */
export const gaugeNames = Object.keys(gaugeTable) as [GaugeName, ...GaugeName[]];

/** Gauges that are known at the start of a job: nothing was there. */
export const startsAtZero: ReadonlySet<GaugeName> = new Set([
  'open',
  'deliveriesPerSecond',
  'publishesPerSecond',
  'backlog',
]);

/** The source of a gauge that is of all shards together, exact to the second. */
export const wholeRun = 'run';

/** The source of the gauges of one shard. */
export function shardSource(index: number): string {
  return `shard ${index}`;
}

/**
 * One gauge over time, formed like an observation. About a point a second, and at most some 2,000: of a longer run each point stands for several
 * seconds, rates and CPU as their mean, delays as their maximum, all else as at their end. It ends where its shard was lost, and says why.
 */
export const gaugeSeries = z.strictObject({
  /** `shard N`, or `run`. */
  source: outside,
  name: z.enum(gaugeNames),
  unit: z.enum(['count', 'perSecond', 'ms', 'cores', 'bytes']),
  points: seriesSchema.shape.points,
  endedBecause: outsideSentence.optional(),
});

export type GaugeSeries = z.output<typeof gaugeSeries>;
