import type { Pacer, Ringing } from './pacer.js';

interface Served {
  /** Time at which its publish arrived, in nanoseconds of `nowNs()`. */
  readonly cameAtNs: number;
  readonly frames: number;
  /** Returns true if its connection is open. A delivery to a closed connection takes no time. */
  isOwed(): boolean;
  served(atNs: number): void;
  /** Called instead if the connection closed. */
  gone(): void;
}

/** Served deliveries are removed in batches of this size. */
const forgetFrom = 65_536;

/**
 * Simulates a target with one server. It serves deliveries in order, one after the other, each frame for the same time.
 * Above its rate, the backlog grows by the difference.
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

  get backlog(): number {
    return this.#waiting.length - this.#first;
  }

  /** Queues a delivery. Call it within `pacer.pass`. */
  take(delivery: Served): void {
    this.#waiting.push(delivery);
    if (this.backlog === 1) this.#begin(delivery);
  }

  /** Ends a service, not before its freeze ends, and begins the next on schedule even if the loop rings late. */
  ring(thawedNs: number): void {
    const served = this.#waiting[this.#first]!;
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
