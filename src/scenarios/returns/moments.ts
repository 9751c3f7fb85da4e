import type { Recorder } from '../../measure/recorder.js';
import type { Samples } from '../../measure/samples.js';

interface MomentsShape {
  clients: number;
  deadlineMs: number;
  recorder(): Recorder;
}

/** When each client of a worker was first cut, was last confirmed again, and was proven after that; and the distributions of what lies between. */
export class Moments {
  readonly #deadlineMs: number;
  readonly #cutNs: Float64Array;
  readonly #confirmedNs: Float64Array;
  readonly #provenNs: Float64Array;
  readonly #metrics: Record<'disconnect' | 'reconnect' | 'back' | 'backAfter', Recorder>;
  /** Clients by the whole millisecond after the order in which they were cut, and proven back. */
  readonly #series: Record<'cutInMs' | 'provenInMs', Uint32Array>;
  #orderNs = 0;

  constructor({ clients, deadlineMs, recorder }: MomentsShape) {
    this.#deadlineMs = deadlineMs;
    this.#cutNs = new Float64Array(clients);
    this.#confirmedNs = new Float64Array(clients);
    this.#provenNs = new Float64Array(clients);
    this.#metrics = { disconnect: recorder(), reconnect: recorder(), back: recorder(), backAfter: recorder() };
    const perMs = (): Uint32Array => new Uint32Array(deadlineMs + 1);
    this.#series = { cutInMs: perMs(), provenInMs: perMs() };
  }

  /** The order to restart, as this shard knows it. */
  begin(orderNs: number): void {
    this.#orderNs = orderNs;
  }

  /** The first cut of a client. */
  cut(client: number, atNs: number): void {
    this.#cutNs[client] = atNs;
    const afterNs = this.#afterNs(atNs);
    this.#metrics.disconnect.record(afterNs / 1000);
    this.#countAt('cutInMs', afterNs);
  }

  confirmed(client: number, atNs: number): void {
    this.#confirmedNs[client] = atNs;
  }

  /** Takes a delivery for the proof of a client that is back. One that was taken off the socket before the confirmation, or after the deadline, is none. */
  isProof(client: number, atNs: number): boolean {
    if (atNs < (this.#confirmedNs[client] as number) || atNs >= this.#orderNs + this.#deadlineMs * 1e6) return false;
    this.#provenNs[client] = atNs;
    return true;
  }

  /** At the end: a client is back. */
  recordBack(client: number): void {
    this.#metrics.reconnect.record(((this.#confirmedNs[client] as number) - (this.#cutNs[client] as number)) / 1000);
  }

  /** At the end: a client is proven back. */
  recordProven(client: number): void {
    const provenNs = this.#provenNs[client] as number;
    this.#metrics.back.record((provenNs - (this.#cutNs[client] as number)) / 1000);
    const afterNs = this.#afterNs(provenNs);
    this.#metrics.backAfter.record(afterNs / 1000);
    this.#countAt('provenInMs', afterNs);
  }

  /** At the deadline: a client is not proven back. What is known of its time is that it is longer. */
  recordCensored(): void {
    this.#metrics.backAfter.record(this.#deadlineMs * 1000);
  }

  /** Series and samples; the recorders are spent by it. */
  report(): {
    series: Record<'cutInMs' | 'provenInMs', Uint32Array>;
    samples: Record<'disconnect' | 'reconnect' | 'back' | 'backAfter', Samples>;
  } {
    const { disconnect, reconnect, back, backAfter } = this.#metrics;
    return {
      series: this.#series,
      samples: {
        disconnect: disconnect.finish(),
        reconnect: reconnect.finish(),
        back: back.finish(),
        backAfter: backAfter.finish(),
      },
    };
  }

  /** Zero for what comes before the order, as the clocks of shards do not agree to the millisecond. */
  #afterNs(atNs: number): number {
    return Math.max(0, atNs - this.#orderNs);
  }

  #countAt(name: 'cutInMs' | 'provenInMs', afterNs: number): void {
    const series = this.#series[name];
    const at = Math.min(series.length - 1, Math.floor(afterNs / 1e6));
    series[at] = (series[at] as number) + 1;
  }
}
