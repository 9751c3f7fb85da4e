import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';

export interface GapEnd {
  isMember(client: number): boolean;
  isSilent(client: number): boolean;
  /** Instant when the last broadcast was due, or when the counting closed before that. */
  atNs: number;
  everyNs: number;
}

/** Measures the longest time that each client went without a delivery and that ended after the redeploy order. */
export class Gaps {
  readonly #lastNs: Float64Array;
  readonly #longestNs: Float64Array;
  readonly #recorder: Recorder;
  #orderNs = Number.POSITIVE_INFINITY;

  constructor(clients: number, recorder: Recorder) {
    this.#lastNs = new Float64Array(clients);
    this.#longestNs = new Float64Array(clients);
    this.#recorder = recorder;
  }

  ordered(atNs: number): void {
    this.#orderNs = atNs;
  }

  /** Takes live deliveries and replayed ones alike. Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      const atNs = batch.receivedAtNs[i] as number;
      const lastNs = this.#lastNs[client] as number;
      this.#lastNs[client] = atNs;
      if (lastNs === 0 || atNs < this.#orderNs) continue;
      const gapNs = atNs - lastNs;
      if (gapNs > (this.#longestNs[client] as number)) this.#longestNs[client] = gapNs;
    }
  }

  /**
   * Returns one sample per member with a delivery. A client that was cut or still waits for long counts as open, until
   * `atNs`.
   */
  report({ isMember, isSilent, atNs, everyNs }: GapEnd): { counts: Record<string, number>; samples: { gap: Samples } } {
    const counts = { gaps: 0, openGaps: 0, unheard: 0 };
    this.#lastNs.forEach((lastNs, client) => {
      if (!isMember(client)) return;
      if (lastNs === 0) {
        counts.unheard++;
        return;
      }
      const closedNs = this.#longestNs[client] as number;
      const restNs = atNs - lastNs;
      const isOpen = closedNs === 0 || isSilent(client) || restNs > Math.max(closedNs, 2 * everyNs);
      counts[isOpen ? 'openGaps' : 'gaps']++;
      this.#recorder.record(Math.max(closedNs, isOpen ? restNs : 0) / 1000);
    });
    return { counts, samples: { gap: this.#recorder.finish() } };
  }
}
