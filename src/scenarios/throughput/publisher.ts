import { broadcastState } from '../../measure/samples/board.js';
import { BroadcastPublisher } from '../broadcasts/publisher.js';
import { Timeline } from '../roles/timeline.js';
import type { PublisherContext, RoleReport } from '../scenario.js';
import { ClientPublishing } from './client-publishing.js';
import { inProcessPublishing } from './in-process-publishing.js';
import { isInProcess, type ThroughputOptions } from './options.js';

/** Publishes this shard's share in several loops, and tells second by second what was due, and what was published. */
export class ThroughputPublisher extends BroadcastPublisher<ThroughputOptions> {
  readonly #clients: ClientPublishing | undefined;
  readonly #isInProcess: boolean;
  #startNs: number;

  constructor(context: PublisherContext<ThroughputOptions>) {
    const clients = context.options.publish === 'clients' ? new ClientPublishing(context) : undefined;
    const inProcess = isInProcess(context.options);
    super(context, clients ?? (inProcess ? inProcessPublishing(context) : undefined));
    this.#clients = clients;
    this.#isInProcess = inProcess;
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

  /** Nothing of batches: what the target has published of one is known when it has published all. */
  override progress(): Record<string, number> {
    return this.#isInProcess ? {} : super.progress();
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
      if (state !== broadcastState.acked || this.#isInProcess) return;
      timeline.count('published', this.context.board.sentAtNs[sequence] as number);
    });
    return { due: [], ...(!this.#isInProcess && { published: [] }), ...timeline.report() };
  }

  dispose(): void {
    this.#clients?.dispose();
  }
}
