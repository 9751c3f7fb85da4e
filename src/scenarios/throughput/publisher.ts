import { broadcastState } from '../../measure/samples/board.js';
import { ClientPublishing } from '../broadcasts/client-publishing.js';
import { type BatchWay, BroadcastPublisher } from '../broadcasts/publisher.js';
import { Timeline } from '../roles/timeline.js';
import type { PublisherContext, RoleReport } from '../scenario.js';
import { isInBatches, publishingClients, type ThroughputOptions } from './options.js';

/** Publishes this shard's share in several loops, and tells second by second what was due, and what was published. */
export class ThroughputPublisher extends BroadcastPublisher<ThroughputOptions> {
  readonly #clients: ClientPublishing | undefined;
  readonly #isInBatches: boolean;
  #startNs: number;

  constructor(context: PublisherContext<ThroughputOptions>) {
    const clients =
      context.options.publish === 'clients'
        ? new ClientPublishing(context, publishingClients(context.options, context.load))
        : undefined;
    super(context, clients ?? batchWay(context));
    this.#clients = clients;
    this.#isInBatches = isInBatches(context.options);
    this.#startNs = context.nowNs();
  }

  override async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    // Where the audience's timeline begins, too.
    if (name === 'ramp') {
      this.#startNs = startAtNs;
      await this.#clients?.open(signal);
    }
    await super.stage(name, startAtNs, signal);
  }

  /** Nothing of batches: what is published of one is known when all of it is. */
  override progress(): Record<string, number> {
    return this.#isInBatches ? {} : super.progress();
  }

  work(): Record<string, number> {
    return super.progress();
  }

  override report(): RoleReport {
    const { series, ...rest } = super.report();
    const { publishedInSecond, timeline } = this.#published();
    const { stages } = this.context.options;
    return { ...rest, timeline, series: { ...series, ...(stages !== undefined && { publishedInSecond }) } };
  }

  /**
   * Per second, warm-up included: broadcasts `due`, and acked ones `published` where their sends are known. Of each of
   * the latter its second, from 1.
   */
  #published(): { timeline: Record<string, number[]>; publishedInSecond: Uint32Array } {
    const { board } = this.context;
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

/** Publishes in batches, one request each, of what falls due in a second, but no more than a request can hold. */
export function batchPublishing({ together, payload }: PublisherContext<ThroughputOptions>): BatchWay {
  if (!together) throw new Error('the publish address takes no batches');
  return {
    batchOf: (ratePerSecond) => Math.max(1, Math.min(together.most, Math.floor(ratePerSecond))),
    async publishBatch(sequences) {
      const answer = await together.publish(sequences.map((sequence) => payload(sequence)));
      // All of a request leave at once, so none is earlier than its answer.
      return typeof answer === 'number' && answer >= 200 && answer < 300 ? { tookMs: 0 } : answer;
    },
  };
}

/** Half of what a target takes in one request (servers/README.md). */
const maxBatchBytes = 512 * 1024;

/** A batch of a loop of that rate: no more than falls due in a second, and than a request carries, but one at least. */
export function batchOf(ratePerSecond: number, payloadBytes: number): number {
  // In a string of JSON a character takes two at most, and there are quotes and a comma around it.
  const carried = Math.floor(maxBatchBytes / (2 * payloadBytes + 3));
  return Math.max(1, Math.min(Math.floor(ratePerSecond), carried));
}

/** Has the target publish by itself, in batches, without an HTTP request for each broadcast. */
export function inProcessPublishing(context: PublisherContext<ThroughputOptions>): BatchWay {
  const { publishBatch, payload, options } = context;
  return {
    batchOf: (ratePerSecond) => batchOf(ratePerSecond, options.payloadBytes),
    async publishBatch(sequences, ratePerSecond) {
      if (!publishBatch) throw new Error('the job names no address that takes batches');
      return publishBatch(
        sequences.map((sequence) => payload(sequence)),
        ratePerSecond,
      );
    },
  };
}
