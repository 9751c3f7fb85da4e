import { broadcastState, type Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Timeline } from '../books/times.js';
import { lastsMs } from '../pace.js';
import type { AudienceContext, PublisherContext, Role, RoleReport } from '../scenario.js';
import { type BatchWay, BroadcastPublisher } from '../traffic/broadcasts.js';
import { ClientPublishing } from '../traffic/client-publishing.js';
import { Subscribers } from '../traffic/subscribers.js';
import { isInBatches, publishingClients, type ThroughputOptions } from './options.js';

/** Holds the subscribers of one worker, with their deliveries per second and the time to drain the backlog. */
export class ThroughputAudience implements Role {
  readonly #context: AudienceContext<ThroughputOptions>;
  readonly #subscribers: Subscribers;
  readonly #drain: Recorder;
  #received = 0;
  #firstNs = 0;
  #lastNs = 0;

  constructor(context: AudienceContext<ThroughputOptions>) {
    this.#context = context;
    this.#subscribers = new Subscribers(context, {
      isTimed: !isInBatches(context.options),
      taken: (batch) => this.#taken(batch),
    });
    this.#drain = context.recorder();
  }

  #taken(batch: DeliveryBatch): void {
    const { received } = this.#subscribers.book;
    if (received === this.#received) return;
    const lastNs = batch.receivedAtNs[batch.count - 1] as number;
    if (this.#received === 0) this.#firstNs = batch.receivedAtNs[0] as number;
    this.#subscribers.roster.timeline.count('received', lastNs, received - this.#received);
    this.#received = received;
    this.#lastNs = lastNs;
  }

  stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    return this.#subscribers.stage(name, startAtNs, signal);
  }

  progress(): Record<string, number> {
    return this.#subscribers.progress();
  }

  bins(): Uint32Array {
    return this.#subscribers.bins();
  }

  report(): RoleReport {
    const { timeline, samples, series, ...rest } = this.#subscribers.report();
    const { book, visits } = this.#subscribers;
    const sent = this.#context.board.sentAtNs.filter((atNs) => atNs > 0);
    const { lastOwnNs } = book;
    if (lastOwnNs > 0)
      this.#drain.record(Math.max(0, lastOwnNs - sent.reduce((last, each) => Math.max(last, each), 0)) / 1000);
    return {
      ...rest,
      longestMs: { deliveries: this.#lastedMs(sent) },
      timeline: { received: [], ...timeline },
      series: { ...series, ...((visits.isPlanned || this.#context.streams) && { owedInAll: book.owed(0) }) },
      samples: { ...samples, drain: this.#drain.finish() },
    };
  }

  /** Returns how long deliveries lasted, in milliseconds, the interval of the last broadcast included. */
  #lastedMs(sent: Float64Array): number {
    const fromNs = sent.reduce((first, each) => Math.min(first, each), this.#firstNs);
    return this.#lastNs > fromNs ? (this.#lastNs - fromNs) / 1e6 + lastsMs(1, this.#context.options.ratePerSecond) : 0;
  }

  dispose(): void {
    this.#subscribers.dispose();
  }
}

/** Publishes this shard's share in several loops. Reports due and published broadcasts second by second. */
export class ThroughputPublisher implements Role {
  readonly #context: PublisherContext<ThroughputOptions>;
  readonly #clients: ClientPublishing | undefined;
  readonly #broadcasts: BroadcastPublisher;
  readonly #isInBatches: boolean;
  #startNs: number;

  constructor(context: PublisherContext<ThroughputOptions>) {
    const { options, load } = context;
    this.#context = context;
    this.#clients =
      options.publish === 'clients' ? new ClientPublishing(context, publishingClients(options, load)) : undefined;
    this.#broadcasts = new BroadcastPublisher(context, this.#clients ?? batchWay(context));
    this.#isInBatches = isInBatches(options);
    this.#startNs = context.nowNs();
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    // The audience's timeline begins here, too.
    if (name === 'ramp') {
      this.#startNs = startAtNs;
      await this.#clients?.open(signal);
    }
    await this.#broadcasts.stage(name, startAtNs, signal);
  }

  /** Empty for batches: the publishes of a batch are known only when all of it is. */
  progress(): Record<string, number> {
    return this.#isInBatches ? {} : this.work();
  }

  work(): Record<string, number> {
    return this.#broadcasts.progress();
  }

  report(): RoleReport {
    const { series, ...rest } = this.#broadcasts.report();
    const { publishedInSecond, timeline } = this.#published();
    const { options, streams } = this.#context;
    const isByBroadcast = [options.stages, options.churnPerSecond, streams].some((each) => each !== undefined);
    return { ...rest, timeline, series: { ...series, ...(isByBroadcast && { publishedInSecond }) } };
  }

  /**
   * Returns counts per second, warm-up included: broadcasts `due`, and acked ones `published` if their sends are known.
   * `publishedInSecond` holds the second, from 1, of each of the latter.
   */
  #published(): { timeline: Record<string, number[]>; publishedInSecond: Uint32Array } {
    const { board } = this.#context;
    const timeline = new Timeline(this.#startNs);
    const publishedInSecond = new Uint32Array(board.size);
    board.state.forEach((state, sequence) => {
      if (state !== broadcastState.unsent && state !== broadcastState.never)
        timeline.count('due', board.intendedAtNs[sequence] as number);
      if (state !== broadcastState.acked || this.#isInBatches) return;
      const sentAtNs = board.sentAtNs[sequence] as number;
      timeline.count('published', sentAtNs);
      publishedInSecond[sequence] = timeline.secondOf(sentAtNs) + 1;
    });
    const all = { due: [], ...(!this.#isInBatches && { published: [] }), ...timeline.report() };
    return { timeline: all, publishedInSecond };
  }

  dispose(): void {
    this.#clients?.dispose();
  }
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

/**
 * Returns the size of a batch of a loop with that rate: no more than falls due in a second or a request carries, and at
 * least one.
 */
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
