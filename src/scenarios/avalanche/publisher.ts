import type { Board } from '../../measure/samples/board.js';
import { sumCounts } from '../../measure/samples/sums.js';
import { total } from '../books.js';
import { BroadcastPublisher } from '../broadcasts/publisher.js';
import type { PublisherContext, Role, RoleReport } from '../scenario.js';
import type { AvalancheOptions } from './options.js';

/** Publishes the broadcasts of the calm, then those of the storm until the drain: other shards may still wait. */
export class AvalanchePublisher implements Role {
  readonly #calm: BroadcastPublisher;
  readonly #storm: BroadcastPublisher;
  readonly #end = new AbortController();
  #wasAborted = false;
  #underWay: Promise<void> = Promise.resolve();

  constructor(context: PublisherContext<AvalancheOptions>) {
    const { calmBroadcasts } = context.options;
    this.#calm = partOf(context, 0, calmBroadcasts);
    this.#storm = partOf(context, calmBroadcasts, context.board.size);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => {
      this.#wasAborted = true;
      this.#end.abort();
    });
    if (name === 'calm') await this.#calm.stage('publish', startAtNs, signal);
    if (name === 'storm') this.#underWay = this.#storm.stage('publish', startAtNs, this.#end.signal);
    if (name === 'drain') {
      this.#end.abort();
      await this.#underWay;
    }
  }

  progress(): Record<string, number> {
    const { published = 0, acked = 0 } = sumCounts([this.#calm.progress(), this.#storm.progress()]);
    return { published, acked };
  }

  report(): RoleReport {
    const parts = [this.#calm.report(), this.#storm.report()];
    const { attempted = 0, latePublishes = 0 } = sumCounts(parts.map(({ counts }) => counts));
    const causes = sumCounts(parts.map((part) => part.causes.publish ?? {}));
    const listed = (name: string): number => parts.reduce((sum, { series }) => sum + total(series[name]), 0);
    const [acked, refused, failed] = [listed('acked'), listed('refused'), listed('failed')];
    // A run that ends early waits for no answer of the storm.
    const unanswered = this.#wasAborted ? attempted - acked - refused - failed : 0;
    if (unanswered > 0) causes.ours = (causes.ours ?? 0) + unanswered;
    return {
      counts: { attempted, acked, refused, failedPublishes: failed + unanswered, latePublishes },
      causes: { publish: causes },
      samples: parts[1]?.samples ?? {},
      series: {},
      timeline: {},
    };
  }
}

/** A publisher of the broadcasts from `from` up to, not including, `to`, on a schedule of their own. */
function partOf(context: PublisherContext<AvalancheOptions>, from: number, to: number): BroadcastPublisher {
  const { board, options } = context;
  const part: Board = {
    buffer: board.buffer,
    size: to - from,
    intendedAtNs: board.intendedAtNs.subarray(from, to),
    sentAtNs: board.sentAtNs.subarray(from, to),
    writtenAtNs: board.writtenAtNs.subarray(from, to),
    ackAtNs: board.ackAtNs.subarray(from, to),
    state: board.state.subarray(from, to),
  };
  return new BroadcastPublisher({
    ...context,
    board: part,
    options: { ratePerSecond: options.ratePerSecond, warmUp: 0 },
    payload: (sequence) => context.payload(from + sequence),
  });
}
