import type { Recorder } from '../../measure/recorder.js';
import type { Samples } from '../../measure/samples.js';
import type { AbsenceEvents } from '../returns/returns.js';

/** How long each absence of a worker's clients was, and how long the attempt that ended it took; tells `next` of all of them. */
export class AbsenceTimes implements AbsenceEvents {
  readonly #next: AbsenceEvents;
  readonly #leftNs: Float64Array;
  readonly #attemptNs: Float64Array;
  readonly #offline: Recorder;
  readonly #reconnect: Recorder;
  #absences = 0;

  constructor(clients: number, recorder: () => Recorder, next: AbsenceEvents) {
    this.#next = next;
    this.#leftNs = new Float64Array(clients);
    this.#attemptNs = new Float64Array(clients);
    this.#offline = recorder();
    this.#reconnect = recorder();
  }

  /** How many have begun. */
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
    this.#offline.record((atNs - (this.#leftNs[client] as number)) / 1000);
    this.#reconnect.record((atNs - (this.#attemptNs[client] as number)) / 1000);
    this.#next.back(client, atNs);
  }

  /** The recorders are spent by it. */
  report(): Record<'offline' | 'reconnect', Samples> {
    return { offline: this.#offline.finish(), reconnect: this.#reconnect.finish() };
  }
}
