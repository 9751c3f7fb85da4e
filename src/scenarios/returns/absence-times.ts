import type { Recorder } from '../../measure/samples/recorder.js';
import { finished, recordersOf } from '../recorders.js';

/** Told of each absence of a client as it happens. */
export interface AbsenceEvents {
  left(client: number, atNs: number): void;
  /** A new connection of the client is open, by an attempt that began at `sinceNs`. */
  returning(client: number, sinceNs: number): void;
  back(client: number, atNs: number): void;
}

/** Times each absence of a worker's clients and the attempt that ended it, and passes all events on to `next`. */
export class AbsenceTimes implements AbsenceEvents {
  readonly #next: AbsenceEvents;
  readonly #leftNs: Float64Array;
  readonly #attemptNs: Float64Array;
  readonly #times: Record<'offline' | 'reconnect', Recorder>;
  #absences = 0;

  constructor(clients: number, recorder: () => Recorder, next: AbsenceEvents) {
    this.#next = next;
    this.#leftNs = new Float64Array(clients);
    this.#attemptNs = new Float64Array(clients);
    this.#times = recordersOf(recorder, 'offline', 'reconnect');
  }

  get absences(): number {
    return this.#absences;
  }

  left(client: number, atNs: number): void {
    this.#absences++;
    this.#leftNs[client] = atNs;
    this.#next.left(client, atNs);
  }

  returning(client: number, sinceNs: number): void {
    this.#attemptNs[client] = sinceNs;
    this.#next.returning(client, sinceNs);
  }

  back(client: number, atNs: number): void {
    const leftNs = this.#leftNs[client] as number;
    if (leftNs > 0) this.#times.offline.record((atNs - leftNs) / 1000);
    this.#leftNs[client] = 0;
    this.#times.reconnect.record((atNs - (this.#attemptNs[client] as number)) / 1000);
    this.#next.back(client, atNs);
  }

  report() {
    return finished(this.#times);
  }
}
