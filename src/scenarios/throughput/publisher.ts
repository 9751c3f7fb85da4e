import { broadcastState } from '../../measure/samples/board.js';
import { ClientPublishing } from '../broadcasts/client-publishing.js';
import { type BatchWay, BroadcastPublisher } from '../broadcasts/publisher.js';
import { Timeline } from '../roles/timeline.js';
import type { PublisherContext, RoleReport } from '../scenario.js';
import { batchPublishing } from './batch-publishing.js';
import { inProcessPublishing } from './in-process-publishing.js';
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
