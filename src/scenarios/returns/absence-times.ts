import type { Recorder } from '../../measure/samples/recorder.js';
import type { ClientPresence } from '../broadcasts/presence.js';
import { finished, recordersOf } from '../roles/recorders.js';

/** Times each absence of a worker's clients and the attempt that ended it, and passes all events on to `presence`. */
export class AbsenceTimes {
  readonly #presence: ClientPresence;
  readonly #leftNs: Float64Array;
  readonly #attemptNs: Float64Array;
  readonly #times: Record<'offline' | 'reconnect' | 'reconnectAtLeast', Recorder>;
  #absences = 0;

  constructor(clients: number, recorder: () => Recorder, presence: ClientPresence) {
    this.#presence = presence;
    this.#leftNs = new Float64Array(clients);
    this.#attemptNs = new Float64Array(clients);
    this.#times = recordersOf(recorder, 'offline', 'reconnect', 'reconnectAtLeast');
  }

  get absences(): number {
    return this.#absences;
  }

  left(client: number, atNs: number, readNs = atNs): void {
    this.#absences++;
    this.#leftNs[client] = atNs;
    this.#presence.left(client, atNs, readNs);
  }

  returning(client: number, sinceNs: number): void {
    this.#attemptNs[client] = sinceNs;
    this.#presence.returning(client, sinceNs);
  }

  /** `leastNs`: how much of the attempt was the target's for certain. */
  back(client: number, atNs: number, leastNs: number): void {
    const leftNs = this.#leftNs[client] as number;
    if (leftNs > 0) this.#times.offline.record((atNs - leftNs) / 1000);
    this.#leftNs[client] = 0;
    this.#times.reconnect.record((atNs - (this.#attemptNs[client] as number)) / 1000);
    this.#times.reconnectAtLeast.record(leastNs / 1000);
    this.#presence.back(client, atNs);
  }

  report() {
    return finished(this.#times);
  }
}
