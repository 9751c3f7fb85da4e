import type { Pacer, Ringing } from './pacer.js';

/** One delivery on its way through the service. */
export interface Served {
  /** When its publish came, in nanoseconds of `nowNs()`. */
  readonly cameAtNs: number;
  readonly frames: number;
  /** Whether its connection is open; if not, it takes no time. */
  isOwed(): boolean;
  served(atNs: number): void;
  /** Called instead if the connection closed. */
  gone(): void;
}

/** Served deliveries are forgotten in lots of this many. */
const forgetFrom = 65_536;

/**
 * A target with one server: deliveries are served in order, one after the other, each frame for the same time. Above
 * its rate the backlog grows by the difference.
 *
 * came ──→ waits for all before it ──→ served for frames / rate ──→ goes on
 */
export class DeliveryServer implements Ringing {
  dueNs = 0;
  readonly #frameNs: number;
  #waiting: Served[] = [];
  #first = 0;
  /** End of the last service. */
  #freeNs = 0;

  constructor(
    framesPerSecond: number,
    private readonly pacer: Pacer,
  ) {
    this.#frameNs = 1e9 / framesPerSecond;
  }

  /** Waiting deliveries, the one in service included. */
  get backlog(): number {
    return this.#waiting.length - this.#first;
  }

  /** Lines a delivery up. Call it within `pacer.pass`. */
  take(delivery: Served): void {
    this.#waiting.push(delivery);
    if (this.backlog === 1) this.#begin(delivery);
  }

  /** Ends a service, not before its freeze ends, and begins the next on schedule, however late the loop rings. */
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
    this.pacer.at(this);
  }

  #leave(): void {
    this.#first++;
    if (this.#first === this.#waiting.length || this.#first === forgetFrom) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
  }
}
