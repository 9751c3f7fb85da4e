import { z } from 'zod';
import { isTimed, publishWays } from '../../measure/declaration.js';
import { broadcastState } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { latencyOptions, scheduleRefused, subscribers } from '../latency.js';
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
import { Timeline } from '../roster/roster.js';
import type { AudienceContext, PublisherContext, Role } from '../scenario.js';
import { type BatchWay, publishBroadcasts } from '../traffic/broadcasts.js';
import { publishByClients } from '../traffic/client-publishing.js';
import { eventsIn, lastsMs } from '../traffic/schedule.js';

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
  ratePerSecond: rateOption('rate', 100, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
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

/** Returns true if broadcasts leave in batches. They have no stamp, so deliveries are counted, not timed. */
export function isInBatches({ publish }: Pick<ThroughputOptions, 'publish'>): boolean {
  return !isTimed(publish);
}

/** Returns the measured broadcasts of a run: as many as the option sets, or as the rate makes in the duration. */
export function broadcastsOf({ broadcasts, ratePerSecond, durationMs }: ThroughputOptions): number {
  return broadcasts ?? eventsIn(durationMs, ratePerSecond);
}

/** Returns why these options cannot go together, in words. */
export function refusedOf(options: ThroughputOptions): string[] {
  const { publish, broadcasts, streams = 1 } = options;
  const longer = broadcasts === undefined ? '--duration' : '--broadcasts';
  const refused = scheduleRefused({ ...options, broadcasts: broadcastsOf(options) }, longer);
  if (!isInBatches(options)) return refused;
  const given = { stages: options.stages, churn: options.churnPerSecond, 'rate-stages': options.rateStages };
  const stampless = `expected nothing with --publish ${publish}, as nobody knows when each broadcast left`;
  const oneStream = `--streams: expected 1 with --publish ${publish}, as a batch goes to one stream`;
  return [
    ...refused,
    ...Object.entries(given).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}: ${stampless}, received ${value}`],
    ),
    ...(streams > 1 ? [`${oneStream}, received ${streams}`] : []),
  ];
}

/** Holds the subscribers of one worker, with their deliveries per second and the time to drain the backlog. */
export function throughputAudience(context: AudienceContext<ThroughputOptions>): Role {
  const { board, options, streams } = context;
  const drain = context.recorder();
  /** Of deliveries: their number, and when the first and the last came. */
  const came = { received: 0, firstNs: 0, lastNs: 0 };
  const taken = (batch: DeliveryBatch): void => {
    const before = came.received;
    came.received = audience.book.received;
    if (came.received === before) return;
    came.lastNs = batch.receivedAtNs[batch.count - 1] as number;
    if (before === 0) came.firstNs = batch.receivedAtNs[0] as number;
    audience.roster.timeline.count('received', came.lastNs, came.received - before);
  };
  const audience = subscribers(context, { ...(isInBatches(options) && { isTimed: () => false }), taken });

  const lastedMs = (sent: Float64Array): number => {
    const fromNs = sent.reduce((first, each) => Math.min(first, each), came.firstNs);
    return came.lastNs > fromNs ? (came.lastNs - fromNs) / 1e6 + lastsMs(1, options.ratePerSecond) : 0;
  };

  return {
    stage: (name, startAtNs, signal) => audience.stage(name, startAtNs, signal),
    progress: () => audience.progress(),
    bins: () => audience.bins(),
    report() {
      const { timeline, samples, series, ...rest } = audience.report();
      const { book, visits } = audience;
      const sent = board.sentAtNs.filter((atNs) => atNs > 0);
      const lastSentNs = sent.reduce((last, each) => Math.max(last, each), 0);
      if (book.lastOwnNs > 0) drain.record(Math.max(0, book.lastOwnNs - lastSentNs) / 1000);
      return {
        ...rest,
        longestMs: { deliveries: lastedMs(sent) },
        timeline: { received: [], ...timeline },
        series: { ...series, ...((visits.isPlanned || streams) && { owedInAll: book.owed(0) }) },
        samples: { ...samples, drain: drain.finish() },
      };
    },
    dispose: () => audience.dispose(),
  };
}

/** Publishes this shard's share in several loops. Reports due and published broadcasts second by second. */
export function throughputPublisher(context: PublisherContext<ThroughputOptions>): Role {
  const { board, load, options, streams } = context;
  const isBatched = isInBatches(options);
  const clients =
    options.publish === 'clients' ? publishByClients(context, publishingClients(options, load)) : undefined;
  const broadcasts = publishBroadcasts(context, clients ?? batchWay(context));
  let startNs = context.nowNs();

  /** Returns broadcasts by second, warm-up included, and the second, from 1, of each acked one. */
  const published = () => {
    const timeline = new Timeline(startNs);
    const publishedInSecond = new Uint32Array(board.size);
    board.state.forEach((state, sequence) => {
      if (state !== broadcastState.unsent && state !== broadcastState.never)
        timeline.count('due', board.intendedAtNs[sequence] as number);
      if (state !== broadcastState.acked || isBatched) return;
      const sentAtNs = board.sentAtNs[sequence] as number;
      timeline.count('published', sentAtNs);
      publishedInSecond[sequence] = timeline.secondOf(sentAtNs) + 1;
    });
    return { timeline: { due: [], ...(!isBatched && { published: [] }), ...timeline.report() }, publishedInSecond };
  };

  return {
    async stage(name, startAtNs, signal) {
      // The audience's timeline begins here, too.
      if (name === 'ramp') {
        startNs = startAtNs;
        await clients?.open(signal);
      }
      await broadcasts.stage(name, startAtNs, signal);
    },
    /** Empty for batches: the publishes of a batch are known only when all of it is. */
    progress: () => (isBatched ? {} : broadcasts.progress()),
    work: () => broadcasts.progress(),
    report() {
      const { series, ...rest } = broadcasts.report();
      const { publishedInSecond, timeline } = published();
      const isByBroadcast = [options.stages, options.churnPerSecond, streams].some((each) => each !== undefined);
      return { ...rest, timeline, series: { ...series, ...(isByBroadcast && { publishedInSecond }) } };
    },
    dispose: () => clients?.dispose(),
  };
}

function batchWay(context: PublisherContext<ThroughputOptions>): BatchWay | undefined {
  if (context.options.publish === 'batches') return batchPublishing(context);
  return context.options.publish === 'in-process' ? inProcessPublishing(context) : undefined;
}

/** Publishes in batches, one request each, of the broadcasts due in a second, but no more than a request can hold. */
export function batchPublishing({ together, payload }: PublisherContext<ThroughputOptions>): BatchWay {
  if (!together) throw new Error('the publish address takes no batches');
  return {
    batchOf: (ratePerSecond) => Math.max(1, Math.min(together.most, Math.floor(ratePerSecond))),
    async publishBatch(sequences) {
      const answer = await together.publish(sequences.map((sequence) => payload(sequence)));
      // All broadcasts of a request leave at once, so none is earlier than its answer.
      return typeof answer === 'number' && answer >= 200 && answer < 300 ? { tookMs: 0 } : answer;
    },
  };
}

/** Half of the bytes that a target takes in one request (servers/README.md). */
const maxBatchBytes = 512 * 1024;

/** Returns the size of a batch of a loop with that rate: what falls due in a second and a request carries. */
export function requestsPerBatch(ratePerSecond: number, payloadBytes: number): number {
  // A character of a JSON string takes two bytes at most. Quotes and a comma surround the string.
  const carried = Math.floor(maxBatchBytes / (2 * payloadBytes + 3));
  return Math.max(1, Math.min(Math.floor(ratePerSecond), carried));
}

/** Lets the target publish by itself, in batches, without an HTTP request for each broadcast. */
export function inProcessPublishing(context: PublisherContext<ThroughputOptions>): BatchWay {
  const { publishBatch, payload, options } = context;
  return {
    batchOf: (ratePerSecond) => requestsPerBatch(ratePerSecond, options.payloadBytes),
    async publishBatch(sequences, ratePerSecond) {
      if (!publishBatch) throw new Error('the job names no address that takes batches');
      return publishBatch(
        sequences.map((sequence) => payload(sequence)),
        ratePerSecond,
      );
    },
  };
}
