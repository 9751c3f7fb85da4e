import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { probit } from 'simple-statistics';
import { digestOf, type JobRequest } from '../../src/contract/job.js';
import type { JobStatus, ShardInfo, ShardResult } from '../../src/contract/shard.js';
import { Blocks, blocksOf } from '../../src/measure/samples/blocks.js';
import { encodeCounts, encodeSamples } from '../../src/measure/samples/encoding.js';
import { type AskedOfShard, SimulatedShard } from './simulated-shard.js';

/**
 * Describes the load of a simulated fleet. Every shard has the same number of subscribers and of its own broadcasts.
 */
export interface SimulatedPlan {
  shards: number;
  subscribersEach: number;
  broadcastsEach: number;
  /** Metrics with a sample of every delivery of an own broadcast. */
  metrics: readonly string[];
  publishMs: number;
  otherMs: number;
}

/** Describes the data that one shard reports of its load. */
export interface SimulatedLoad {
  publishMs: number;
  otherMs: number;
  progress: Record<string, number>;
  bodies: Readonly<Record<string, Uint8Array>>;
  seconds(elapsedMs: number): JobStatus['seconds'];
  result(
    job: JobRequest,
    identity: Pick<ShardInfo, 'bootId' | 'clockId' | 'version' | 'machine'>,
    stages: JobStatus['stages'],
  ): ShardResult;
}

/** The shards share this number of bodies in turn. It is a prime number, so that no split repeats them evenly. */
const differentBodies = 7;
/** A bench-runner keeps as many for a lease of 30 s. */
const secondsKept = 35;

const loop = {
  ...{ windowMs: 1000, loopDelayP99Ms: 0.1, loopDelayMaxMs: 0.1, utilization: 0.01, cpuMs: 1, runQueueWaitMs: 0 },
  ...{ gcCount: 0, gcTotalMs: 0, gcMaxMs: 0 },
};
const self = { cpuMs: 1, rssPeakBytes: 1, coreBusy: [], descriptorsUsed: null, descriptorLimit: null, timeWait: null };

/** Returns the loads of a fleet, by shard. Bodies are encoded as a bench-runner does. */
export async function simulatedLoads(plan: SimulatedPlan): Promise<SimulatedLoad[]> {
  const sets = [];
  for (let seed = 0; seed < Math.min(differentBodies, plan.shards); seed++) sets.push(await deliveriesOf(plan, seed));
  const broadcasts = plan.shards * plan.broadcastsEach;
  const even = (value: number, isOwn: (sequence: number) => boolean): Promise<Uint8Array> =>
    encodeCounts(Uint32Array.from({ length: broadcasts }, (_, sequence) => (isOwn(sequence) ? value : 0)));
  const [none, delivered] = await Promise.all([even(0, () => false), even(plan.subscribersEach, () => true)]);
  const loads: SimulatedLoad[] = [];
  for (let index = 0; index < plan.shards; index++) {
    const acked = await even(1, (sequence) => sequence % plan.shards === index);
    const series = { acked, refused: none, failed: none, delivered, missing: none };
    const { samples, blocks } = sets[index % sets.length] as Deliveries;
    loads.push(loadOf(plan, { ...samples, ...series, ...blocks }, [...Object.keys(series), ...Object.keys(blocks)]));
  }
  return loads;
}

interface Deliveries {
  samples: Record<string, Uint8Array>;
  blocks: Record<string, Uint8Array>;
}

async function deliveriesOf({ metrics, shards, subscribersEach, broadcastsEach }: SimulatedPlan, seed: number) {
  const values = logNormalLatencies(subscribersEach * broadcastsEach, seed);
  const units = new Blocks(shards * broadcastsEach);
  for (let at = 0; at < values.length; at++) units.record((at % broadcastsEach) * shards, values[at] as number);
  const [body, counts] = await Promise.all([encodeSamples({ kind: 'raw', values }), encodeCounts(units.finish())]);
  const made: Deliveries = { samples: {}, blocks: {} };
  for (const metric of metrics) {
    made.samples[metric] = body;
    if (metric !== 'deliveryAtLeast') made.blocks[blocksOf(metric)] = counts;
  }
  return made;
}

function loadOf(plan: SimulatedPlan, bodies: Record<string, Uint8Array>, series: string[]): SimulatedLoad {
  const { shards, subscribersEach, broadcastsEach, metrics, publishMs, otherMs } = plan;
  const received = shards * broadcastsEach * subscribersEach;
  const progress = {
    ...{ asked: subscribersEach, opened: subscribersEach, open: subscribersEach, subscribers: subscribersEach },
    ...{ received, published: broadcastsEach, acked: broadcastsEach, missing: 0, members: subscribersEach },
  };
  const rate = (broadcastsEach * 1000) / publishMs;
  const count = subscribersEach * broadcastsEach;
  const digests = Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, digestOf(body)]));
  return {
    ...{ publishMs, otherMs, progress, bodies },
    seconds(elapsedMs) {
      const last = Math.floor(elapsedMs / 1000);
      const first = Math.max(1, last - secondsKept + 1);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => ({
        atMs: (first + at) * 1000,
        progress,
        rig: { loopDelayMs: 0.1, cpuCores: 0.01, rssBytes: 1 },
        ...(first + at === last && { bins: [800, count] }),
      }));
    },
    result: ({ slice }, identity, stages) => ({
      slice,
      ...identity,
      workers: 1,
      counts: {
        ...{ attempted: broadcastsEach, asked: subscribersEach, opened: subscribersEach, subscribers: subscribersEach },
        ...{ received, offeredPerSecond: rate, achievedPerSecond: rate },
      },
      causes: { connect: {}, close: {}, publish: {} },
      samples: Object.fromEntries(metrics.map((metric) => [metric, { kind: 'raw' as const, count }])),
      series,
      digests,
      timeline: { opened: [subscribersEach] },
      longestMs: {},
      stages: stages.map((stage) => ({ ...stage, durationMs: stage.durationMs ?? 0 })),
      rig: { shard: { ...self, coreSpeed: [1, 1] }, workers: [{ role: 'audience', index: 0, ...loop }] },
      stop: { code: 'completed', evidence: [] },
    }),
  };
}

/** Returns the options of the run that such a fleet answers. */
export function simulatedJob({ shards, subscribersEach, broadcastsEach, publishMs }: SimulatedPlan): string[] {
  const broadcasts = shards * broadcastsEach;
  return [
    ...['run', 'latency', '--protocol', 'ws-json', '--target-url', 'ws://127.0.0.1:9/ws'],
    ...['--publish-url', 'http://127.0.0.1:9/_broadcast', '--warm-up', '0'],
    ...['--clients', String(shards * subscribersEach), '--ramp-rate', '1000000/s'],
    ...['--broadcasts', String(broadcasts), '--rate', `${(broadcasts * 1000) / publishMs}/s`],
  ];
}

/** Runs simulated shards in this process, as many as the plan requires. */
export class SimulatedFleet {
  readonly shards: readonly SimulatedShard[];

  private constructor(shards: readonly SimulatedShard[]) {
    this.shards = shards;
  }

  static async start(plan: SimulatedPlan): Promise<SimulatedFleet> {
    return new SimulatedFleet(
      await Promise.all((await simulatedLoads(plan)).map((load) => SimulatedShard.start(load))),
    );
  }

  /** Returns the value of the variable `SHARDS` for a driver. */
  get addresses(): string {
    return this.shards.map(({ url }) => url).join();
  }

  /** Sums the requests of the driver to all shards. */
  get asked(): AskedOfShard {
    const sum: AskedOfShard = { statuses: 0, statusBytes: 0, bodies: 0, bodyBytes: 0 };
    for (const { asked } of this.shards) {
      sum.statuses += asked.statuses;
      sum.statusBytes += asked.statusBytes;
      sum.bodies += asked.bodies;
      sum.bodyBytes += asked.bodyBytes;
    }
    return sum;
  }

  stop(): void {
    for (const shard of this.shards) shard.stop();
  }
}

/** Typical latencies of a fan-out are log-normal, with a median of 7 ms and a p99 of 45 ms. */
const medianUs = 7000;
const sigma = 0.8;

/** Returns `count` sorted latencies in microseconds. The same seed gives the same values. */
export function logNormalLatencies(count: number, seed: number): Uint32Array {
  const random = xoroshiro128plus(seed);
  const draw = (): number => medianUs * Math.exp(sigma * probit(uniformFloat64(random)));
  return Uint32Array.from({ length: count }, draw).sort();
}
