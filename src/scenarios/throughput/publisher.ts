import { type Board, broadcastState } from '../../measure/samples/board.js';
import { BroadcastPublisher } from '../broadcasts/publisher.js';
import type { PublisherContext, Role, RoleReport } from '../scenario.js';
import { Timeline } from '../timeline.js';
import { ClientPublishing } from './client-publishing.js';
import { InProcessPublishing } from './in-process-publishing.js';
import { isInProcess, type ThroughputOptions } from './options.js';

/** Publishes this shard's share in several loops, and tells second by second what was due, and what was published. */
export class ThroughputPublisher implements Role {
  readonly #publisher: BroadcastPublisher;
  readonly #clients: ClientPublishing | undefined;
  readonly #board: Board;
  readonly #isInProcess: boolean;
  #startNs: number;

  constructor(context: PublisherContext<ThroughputOptions>) {
    this.#clients = context.options.publish === 'clients' ? new ClientPublishing(context) : undefined;
    this.#isInProcess = isInProcess(context.options);
    const inProcess = this.#isInProcess ? new InProcessPublishing(context) : undefined;
    this.#publisher = new BroadcastPublisher(context, this.#clients ?? inProcess);
    this.#board = context.board;
    this.#startNs = context.nowNs();
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    // Where the audience's timeline begins, too.
    if (name === 'ramp') {
      this.#startNs = startAtNs;
      await this.#clients?.open(signal);
    }
    await this.#publisher.stage(name, startAtNs, signal);
  }

  /** Nothing of batches: what the target has published of one is known when it has published all. */
  progress(): Record<string, number> {
    return this.#isInProcess ? {} : this.#publisher.progress();
  }

  /** Of batches, too. */
  work(): Record<string, number> {
    return this.#publisher.progress();
  }

  report(): RoleReport {
    return { ...this.#publisher.report(), timeline: this.#timeline() };
  }

  /** Per second, warm-up included: broadcasts `due`, and acked ones `published` where their sends are known. */
  #timeline(): Record<string, number[]> {
    const timeline = new Timeline(this.#startNs);
    this.#board.state.forEach((state, sequence) => {
      if (state !== broadcastState.unsent) timeline.count('due', this.#board.intendedAtNs[sequence] as number);
      if (state !== broadcastState.acked || this.#isInProcess) return;
      timeline.count('published', this.#board.sentAtNs[sequence] as number);
    });
    return { due: [], ...(!this.#isInProcess && { published: [] }), ...timeline.report() };
  }

  dispose(): void {
    this.#clients?.dispose();
  }
}
