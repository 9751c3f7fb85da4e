import type { Pacer, Ringing } from './pacer.js';

/** One delivery on its way through the service. */
export interface Served {
  /** When the publish came that it is of, in nanoseconds of `nowNs()`. */
  readonly cameAtNs: number;
  /** Frames that it is written as. */
  readonly frames: number;
  /** Whether anybody is there to take it; one that is owed to nobody takes no time. */
  isOwed(): boolean;
  /** Called at the end of its service, which is due at `atNs`. */
  served(atNs: number): void;
  /** Called instead where it is owed to nobody any more. */
  gone(): void;
}

/** Deliveries that were served are forgotten in lots of this many. */
const forgetFrom = 65_536;

/**
 * A target with one server: deliveries are served in the order in which they came, one after the other, each frame for the same time. What comes while
 * it is busy waits, so that above its rate the backlog grows by the difference, and below it drains by the same law.
 *
 *     came ──→ waits for all before it ──→ served for frames / rate ──→ goes on
 */
export class Service implements Ringing {
  /** When the service of the first that waits ends. */
  dueNs = 0;
  readonly #pacer: Pacer;
  readonly #frameNs: number;
  #waiting: Served[] = [];
  #first = 0;
  /** When the last one was through: no service begins before. */
  #freeNs = 0;

  constructor(framesPerSecond: number, pacer: Pacer) {
    this.#frameNs = 1e9 / framesPerSecond;
    this.#pacer = pacer;
  }

  /** Deliveries that wait, the one in service among them. */
  get backlog(): number {
    return this.#waiting.length - this.#first;
  }

  /** Lines a delivery up. To be called from within `pacer.pass`. */
  take(delivery: Served): void {
    this.#waiting.push(delivery);
    if (this.backlog === 1) this.#begin(delivery);
  }

  /** Ends a service, no earlier than the freeze that it fell into, and begins the next: on schedule, however late the loop rings. */
  ring(thawedNs: number): void {
    const served = this.#waiting[this.#first] as Served;
    this.#freeNs = Math.max(this.dueNs, thawedNs);
    this.#leave();
    if (served.isOwed()) served.served(this.#freeNs);
    else served.gone();
    for (let next = this.#waiting[this.#first]; next !== undefined; next = this.#waiting[this.#first]) {
      if (next.isOwed()) {
        this.#begin(next);
        return;
      }
      this.#leave();
      next.gone();
    }
  }

  #begin(delivery: Served): void {
    this.dueNs = Math.max(delivery.cameAtNs, this.#freeNs) + delivery.frames * this.#frameNs;
    this.#pacer.at(this);
  }

  #leave(): void {
    this.#first++;
    if (this.#first === this.#waiting.length || this.#first === forgetFrom) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
  }
}
