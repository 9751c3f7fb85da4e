import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Connections } from '../connections.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import type { IdleOptions } from './index.js';

const tickMs = 100;

/** Opens connections, holds them, and proves at the end which of them still carry a message. */
export class IdleAudience implements Role {
  readonly #context: AudienceContext<IdleOptions>;
  readonly #connections: Connections;
  readonly #isProven: Uint8Array;
  #proven = 0;
  #isRampOver = false;

  constructor(context: AudienceContext<IdleOptions>) {
    this.#context = context;
    this.#isProven = new Uint8Array(context.clientCount);
    this.#connections = new Connections(context, {
      lost: (_client, cause) => this.#lost(cause),
      deliveries: (batch) => this.#prove(batch),
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, sleep } = this.#context;
    if (name === 'ramp') {
      const { rampRatePerSecond: ratePerSecond, maxPending, stallMs } = options;
      await this.#connections.ramp(startAtNs, { ratePerSecond, maxPending, stallMs }, signal);
      this.#isRampOver = true;
    }
    if (name === 'hold') await sleep(options.settleMs + options.holdMs, signal);
    if (name === 'probe') await this.#awaitProbe(startAtNs + options.probeTimeoutMs * 1e6, signal);
  }

  async #awaitProbe(untilNs: number, signal: AbortSignal): Promise<void> {
    const { nowNs, sleep } = this.#context;
    while (!signal.aborted && nowNs() < untilNs && this.#openAndProven() < this.#connections.open) {
      await sleep(tickMs, signal);
    }
  }

  #openAndProven(): number {
    let held = 0;
    this.#isProven.forEach((isProven, client) => {
      if (isProven === 1 && this.#connections.isOpen(client)) held++;
    });
    return held;
  }

  #prove(batch: DeliveryBatch): void {
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      if (this.#isProven[client] === 1) continue;
      this.#isProven[client] = 1;
      this.#proven++;
    }
  }

  #lost(cause: string): void {
    if (!this.#isRampOver || this.#connections.open > 0) return;
    this.#context.giveUp({
      code: 'targetGone',
      evidence: `every connection of a worker was cut, the last by ${cause}`,
    });
  }

  progress(): Record<string, number> {
    return { ...this.#connections.progress(), proven: this.#proven };
  }

  report(): RoleReport {
    const { counts, causes, timeline, samples } = this.#connections.report();
    const { connect, subscribe } = samples;
    const held = this.#openAndProven();
    return {
      counts: { ...counts, subscribers: counts.open ?? 0, proven: this.#proven, held },
      causes,
      timeline,
      samples: { connect, subscribe },
      series: {},
    };
  }

  dispose(): void {
    this.#connections.dispose();
  }
}
