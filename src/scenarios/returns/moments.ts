import type { Recorder } from '../../measure/samples/recorder.js';
import { finished, recordersOf } from '../roles/recorders.js';

/** When each client was first cut, cut after the order, last confirmed and proven, and the times between. */
export class Moments {
  readonly #deadlineMs: number;
  readonly #cutNs: Float64Array;
  readonly #isCutAfter: Uint8Array;
  readonly #confirmedNs: Float64Array;
  readonly #provenNs: Float64Array;
  readonly #metrics: Record<'disconnect' | 'offline' | 'back' | 'backAfter', Recorder>;
  /** Clients by the whole millisecond after the order in which they were cut, and proven back. */
  readonly #series: Record<'cutInMs' | 'provenInMs', Uint32Array>;
  #orderNs = 0;

  constructor(clients: number, deadlineMs: number, recorder: () => Recorder) {
    this.#deadlineMs = deadlineMs;
    this.#cutNs = new Float64Array(clients);
    this.#isCutAfter = new Uint8Array(clients);
    this.#confirmedNs = new Float64Array(clients);
    this.#provenNs = new Float64Array(clients);
    this.#metrics = recordersOf(recorder, 'disconnect', 'offline', 'back', 'backAfter');
    const perMs = (): Uint32Array => new Uint32Array(deadlineMs + 1);
    this.#series = { cutInMs: perMs(), provenInMs: perMs() };
  }

  begin(orderNs: number): void {
    this.#orderNs = orderNs;
  }

  /** A cut of a client. Before the order it is an accident, and no part of how the order was carried out. */
  cut(client: number, atNs: number): void {
    if (this.#cutNs[client] === 0) this.#cutNs[client] = atNs;
    if (atNs < this.#orderNs || this.#isCutAfter[client] === 1) return;
    this.#isCutAfter[client] = 1;
    const afterNs = atNs - this.#orderNs;
    this.#metrics.disconnect.record(afterNs / 1000);
    this.#countAt('cutInMs', afterNs);
  }

  /** Whether every cut of a client came before the order. */
  wasCutBefore(client: number): boolean {
    return (this.#cutNs[client] as number) > 0 && this.#isCutAfter[client] === 0;
  }

  confirmed(client: number, atNs: number): void {
    this.#confirmedNs[client] = atNs;
  }

  /** Whether a delivery proves a client that is back: received after its confirmation and by the deadline. */
  isProof(client: number, atNs: number): boolean {
    if (atNs < (this.#confirmedNs[client] as number) || atNs >= this.#orderNs + this.#deadlineMs * 1e6) return false;
    this.#provenNs[client] = atNs;
    return true;
  }

  recordBack(client: number): void {
    this.#metrics.offline.record(((this.#confirmedNs[client] as number) - (this.#cutNs[client] as number)) / 1000);
  }

  recordProven(client: number): void {
    const provenNs = this.#provenNs[client] as number;
    this.#metrics.back.record((provenNs - (this.#cutNs[client] as number)) / 1000);
    // A client that was cut before the order can be proven back before it, too.
    const afterNs = Math.max(0, provenNs - this.#orderNs);
    this.#metrics.backAfter.record(afterNs / 1000);
    this.#countAt('provenInMs', afterNs);
  }

  report() {
    return { series: this.#series, samples: finished(this.#metrics) };
  }

  #countAt(name: 'cutInMs' | 'provenInMs', afterNs: number): void {
    const series = this.#series[name];
    const at = Math.min(series.length - 1, Math.floor(afterNs / 1e6));
    series[at] = (series[at] as number) + 1;
  }
}
