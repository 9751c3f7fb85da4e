import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import type { ClientPresence } from './presence.js';

/** What a scenario knows whose clients are cut off and come back. */
export type Presence = Pick<ClientPresence, 'isReplay' | 'cameLive' | 'wasAway'>;

/** The part of the books that tells live deliveries from replayed ones. */
export class Replays {
  readonly live: Uint32Array;
  readonly replayed: Uint32Array;
  readonly latency: Recorder;
  readonly presence: Presence;
  readonly #warmUp: number;

  constructor(presence: Presence, broadcasts: number, warmUp: number, latency: Recorder) {
    this.presence = presence;
    this.#warmUp = warmUp;
    this.live = new Uint32Array(broadcasts);
    this.replayed = new Uint32Array(broadcasts);
    this.latency = latency;
  }

  /** Counts a delivery that arrived in time; gives whether it is a replay. Hot path: allocates nothing. */
  take(client: number, sequence: number, batch: DeliveryBatch, index: number): boolean {
    const isReplay = this.presence.isReplay(client, sequence);
    if (!isReplay) this.presence.cameLive(sequence, batch, index);
    if (sequence < this.#warmUp) return isReplay;
    const counts = isReplay ? this.replayed : this.live;
    counts[sequence - this.#warmUp] = (counts[sequence - this.#warmUp] as number) + 1;
    return isReplay;
  }
}
