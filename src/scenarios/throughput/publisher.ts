import { broadcastState } from '../../measure/samples/board.js';
import { type BatchWay, BroadcastPublisher } from '../broadcasts/publisher.js';
import { Timeline } from '../roles/timeline.js';
import type { PublisherContext, RoleReport } from '../scenario.js';
import { batchPublishing } from './batch-publishing.js';
import { ClientPublishing } from './client-publishing.js';
import { inProcessPublishing } from './in-process-publishing.js';
import { isInBatches, type ThroughputOptions } from './options.js';

/** Publishes this shard's share in several loops, and tells second by second what was due, and what was published. */
export class ThroughputPublisher extends BroadcastPublisher<ThroughputOptions> {
  readonly #clients: ClientPublishing | undefined;
  readonly #isInBatches: boolean;
  #startNs: number;

  constructor(context: PublisherContext<ThroughputOptions>) {
    const clients = context.options.publish === 'clients' ? new ClientPublishing(context) : undefined;
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
    return { ...super.report(), timeline: this.#timeline() };
  }

  /** Per second, warm-up included: broadcasts `due`, and acked ones `published` where their sends are known. */
  #timeline(): Record<string, number[]> {
    const timeline = new Timeline(this.#startNs);
    this.context.board.state.forEach((state, sequence) => {
      if (state !== broadcastState.unsent) timeline.count('due', this.context.board.intendedAtNs[sequence] as number);
      if (state !== broadcastState.acked || this.#isInBatches) return;
      timeline.count('published', this.context.board.sentAtNs[sequence] as number);
    });
    return { due: [], ...(!this.#isInBatches && { published: [] }), ...timeline.report() };
  }

  dispose(): void {
    this.#clients?.dispose();
  }
}

function batchWay(context: PublisherContext<ThroughputOptions>): BatchWay | undefined {
  if (context.options.publish === 'batches') return batchPublishing(context);
  return context.options.publish === 'in-process' ? inProcessPublishing(context) : undefined;
}
