import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { lastsMs } from '../pace.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { VisitedAudience } from '../visits/audience.js';
import { broadcastsOf, isInBatches, type ThroughputOptions } from './options.js';

/** The subscribers of a latency run, with their deliveries per second and the time to drain the backlog. */
export class ThroughputAudience extends VisitedAudience {
  readonly #drain: Recorder;
  #received = 0;
  #firstNs = 0;
  #lastNs = 0;

  constructor(context: AudienceContext<ThroughputOptions>) {
    const { options } = context;
    super(
      { ...context, options: { ...options, broadcasts: broadcastsOf(options) } },
      { isTimed: !isInBatches(options) },
    );
    this.#drain = context.recorder();
  }

  protected override take(batch: DeliveryBatch): void {
    super.take(batch);
    const { received } = this.arrivals;
    if (received === this.#received) return;
    const lastNs = batch.receivedAtNs[batch.count - 1] as number;
    if (this.#received === 0) this.#firstNs = batch.receivedAtNs[0] as number;
    this.connections.timeline.count('received', lastNs, received - this.#received);
    this.#received = received;
    this.#lastNs = lastNs;
  }

  override report(): RoleReport {
    const { counts, timeline, samples, series, ...rest } = super.report();
    const sent = this.context.board.sentAtNs.filter((atNs) => atNs > 0);
    const { lastOwnNs } = this.arrivals;
    if (lastOwnNs > 0)
      this.#drain.record(Math.max(0, lastOwnNs - sent.reduce((last, each) => Math.max(last, each), 0)) / 1000);
    return {
      ...rest,
      counts,
      longestMs: { deliveries: this.#lastedMs(sent) },
      timeline: { received: [], ...timeline },
      series: { ...series, ...(this.isVisited && { owedInAll: this.arrivals.owed(0) }) },
      samples: { ...samples, drain: this.#drain.finish() },
    };
  }

  /** How long deliveries lasted, the interval of the last broadcast included. */
  #lastedMs(sent: Float64Array): number {
    const fromNs = sent.reduce((first, each) => Math.min(first, each), this.#firstNs);
    return this.#lastNs > fromNs ? (this.#lastNs - fromNs) / 1e6 + lastsMs(1, this.context.options.ratePerSecond) : 0;
  }
}
