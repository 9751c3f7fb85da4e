import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { BroadcastAudience } from '../broadcasts/audience.js';
import { lastsMs } from '../pace.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { isInBatches, type ThroughputOptions } from './options.js';

/** The subscribers of one worker, with their deliveries per second and the time to drain the backlog. */
export class ThroughputAudience implements Role {
  readonly #context: AudienceContext<ThroughputOptions>;
  readonly #audience: BroadcastAudience;
  readonly #drain: Recorder;
  #received = 0;
  #firstNs = 0;
  #lastNs = 0;

  constructor(context: AudienceContext<ThroughputOptions>) {
    this.#context = context;
    this.#audience = new BroadcastAudience(context, {
      isTimed: !isInBatches(context.options),
      taken: (batch) => this.#taken(batch),
    });
    this.#drain = context.recorder();
  }

  #taken(batch: DeliveryBatch): void {
    const { received } = this.#audience.arrivals;
    if (received === this.#received) return;
    const lastNs = batch.receivedAtNs[batch.count - 1] as number;
    if (this.#received === 0) this.#firstNs = batch.receivedAtNs[0] as number;
    this.#audience.connections.timeline.count('received', lastNs, received - this.#received);
    this.#received = received;
    this.#lastNs = lastNs;
  }

  stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    return this.#audience.stage(name, startAtNs, signal);
  }

  progress(): Record<string, number> {
    return this.#audience.progress();
  }

  bins(): Uint32Array {
    return this.#audience.bins();
  }

  report(): RoleReport {
    const { timeline, samples, series, ...rest } = this.#audience.report();
    const { arrivals, isVisited } = this.#audience;
    const sent = this.#context.board.sentAtNs.filter((atNs) => atNs > 0);
    const { lastOwnNs } = arrivals;
    if (lastOwnNs > 0)
      this.#drain.record(Math.max(0, lastOwnNs - sent.reduce((last, each) => Math.max(last, each), 0)) / 1000);
    return {
      ...rest,
      longestMs: { deliveries: this.#lastedMs(sent) },
      timeline: { received: [], ...timeline },
      series: { ...series, ...(isVisited && { owedInAll: arrivals.owed(0) }) },
      samples: { ...samples, drain: this.#drain.finish() },
    };
  }

  /** How long deliveries lasted, the interval of the last broadcast included. */
  #lastedMs(sent: Float64Array): number {
    const fromNs = sent.reduce((first, each) => Math.min(first, each), this.#firstNs);
    return this.#lastNs > fromNs ? (this.#lastNs - fromNs) / 1e6 + lastsMs(1, this.#context.options.ratePerSecond) : 0;
  }

  dispose(): void {
    this.#audience.dispose();
  }
}
