import { isTaken, nothingToReport, type PublisherContext, type Role, type RoleReport } from '../scenario.js';
import { type IdleOptions, isPinged, probeTimeoutMsOf } from './options.js';

const retryMs = 1000;

/** Publishes the probe from the first shard, again when the target did not take it, as long as it is awaited. */
export class IdlePublisher implements Role {
  readonly #causes: Record<string, number> = {};
  #attempted = 0;
  #acked = 0;

  constructor(private readonly context: PublisherContext<IdleOptions>) {}

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { slice, board, options, nowNs, sleep } = this.context;
    if (name !== 'probe' || slice.index !== 0 || isPinged(options)) return;
    const untilNs = startAtNs + probeTimeoutMsOf(options) * 1e6;
    for (let sequence = 0; sequence < board.size && this.#acked === 0; sequence++) {
      if (sequence > 0) await sleep(retryMs, signal);
      if (signal.aborted || (sequence > 0 && nowNs() >= untilNs)) return;
      this.#attempted++;
      const answer = await this.context.publish(this.context.payload(sequence));
      if (isTaken(answer)) this.#acked++;
      else {
        const cause = typeof answer === 'number' ? `http-status:${answer}` : String(answer);
        this.#causes[cause] = (this.#causes[cause] ?? 0) + 1;
      }
    }
  }

  progress(): Record<string, number> {
    return {};
  }

  report(): RoleReport {
    const counts = { probesAttempted: this.#attempted, probesAcked: this.#acked };
    return { ...nothingToReport, counts, causes: { publish: this.#causes } };
  }
}
