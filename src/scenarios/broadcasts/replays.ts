import type { Board } from '../../measure/samples/board.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';

/** What a scenario knows whose clients are cut off and come back. */
export interface Presence {
  /** Whether the target took that broadcast before the client began its last return. Allocates nothing. */
  isReplay(client: number, sequence: number): boolean;
  /** A live delivery of that broadcast arrived: number `index` of the batch. On the hot path: allocates nothing. */
  cameLive(sequence: number, batch: DeliveryBatch, index: number): void;
  /** Whether the client was away between that broadcast's send and its last live delivery in this worker. */
  wasAway(client: number, sequence: number): boolean;
}

interface ReplaysShape {
  warmUp: number;
  board: Board;
  recorder(): Recorder;
}

/** The part of the books that tells live deliveries from replayed ones. */
export class Replays {
  readonly live: Uint32Array;
  readonly replayed: Uint32Array;
  readonly latency: Recorder;
  readonly presence: Presence;
  readonly #warmUp: number;

  constructor(presence: Presence, { board, warmUp, recorder }: ReplaysShape) {
    this.presence = presence;
    this.#warmUp = warmUp;
    this.live = new Uint32Array(board.size - warmUp);
    this.replayed = new Uint32Array(board.size - warmUp);
    this.latency = recorder();
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
