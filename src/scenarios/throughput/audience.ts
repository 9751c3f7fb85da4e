import type { Board } from '../../measure/samples/board.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { LatencyAudience } from '../latency/audience.js';
import { lastsMs } from '../pace.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { Timeline } from '../timeline.js';
import { broadcastsOf, isInProcess, type ThroughputOptions } from './options.js';

/** The subscribers of a latency run, with their deliveries per second and the time to drain the backlog. */
export class ThroughputAudience implements Role {
  readonly #audience: LatencyAudience;
  readonly #board: Board;
  readonly #drain: Recorder;
  readonly #intervalMs: number;
  #inSeconds: Timeline;
  #received = 0;
  #firstNs = 0;
  #lastNs = 0;

  constructor(context: AudienceContext<ThroughputOptions>) {
    this.#board = context.board;
    this.#drain = context.recorder();
    this.#intervalMs = lastsMs(1, context.options.ratePerSecond);
    this.#inSeconds = new Timeline(context.nowNs());
    const options = { ...context.options, broadcasts: broadcastsOf(context.options) };
    this.#audience = new LatencyAudience(
      { ...context, options },
      { isTimed: !isInProcess(context.options), taken: (batch) => this.#count(batch) },
    );
  }

  #count(batch: DeliveryBatch): void {
    const { received = 0 } = this.#audience.progress();
    if (received === this.#received) return;
    const lastNs = batch.receivedAtNs[batch.count - 1] as number;
    if (this.#received === 0) this.#firstNs = batch.receivedAtNs[0] as number;
    this.#inSeconds.count('received', lastNs, received - this.#received);
    this.#received = received;
    this.#lastNs = lastNs;
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'ramp') this.#inSeconds = new Timeline(startAtNs);
    await this.#audience.stage(name, startAtNs, signal);
  }

  progress(): Record<string, number> {
    return this.#audience.progress();
  }

  bins(): Uint32Array {
    return this.#audience.bins();
  }

  report(): RoleReport {
    const { counts, timeline, samples, ...rest } = this.#audience.report();
    const sent = this.#board.sentAtNs.filter((atNs) => atNs > 0);
    const { lastOwnNs } = this.#audience;
    if (lastOwnNs > 0)
      this.#drain.record(Math.max(0, lastOwnNs - sent.reduce((last, each) => Math.max(last, each), 0)) / 1000);
    return {
      ...rest,
      counts,
      longestMs: { deliveries: this.#lastedMs(sent) },
      timeline: { ...timeline, received: [], ...this.#inSeconds.report() },
      samples: { ...samples, drain: this.#drain.finish() },
    };
  }

  /** How long deliveries lasted, the interval of the last broadcast included. */
  #lastedMs(sent: Float64Array): number {
    const fromNs = sent.reduce((first, each) => Math.min(first, each), this.#firstNs);
    return this.#lastNs > fromNs ? (this.#lastNs - fromNs) / 1e6 + this.#intervalMs : 0;
  }

  dispose(): void {
    this.#audience.dispose();
  }
}
