import { type Turns, turns as turnsOfThread } from './turns.js';

const notYet = Number.POSITIVE_INFINITY;

/**
 * Sums how long each client's target was at work, at least, since an attempt began. A leg runs from when our bytes had
 * left for certain to when the answer can have been readable. Every delay of the rig lies between two legs. So the true
 * value lies between this sum and the time by the stamps.
 */
export class Legs {
  readonly #sumNs: Float64Array;
  /** Time when our last bytes had left for certain, and time that the thread had slept until then. */
  readonly #leftAtNs: Float64Array;
  readonly #sleptNs: Float64Array;

  constructor(
    capacity: number,
    private readonly turns: Turns = turnsOfThread,
  ) {
    this.#sumNs = new Float64Array(capacity);
    this.#leftAtNs = new Float64Array(capacity).fill(notYet);
    this.#sleptNs = new Float64Array(capacity);
  }

  begin(client: number): void {
    this.#sumNs[client] = 0;
    this.held(client);
  }

  /** The client's bytes wait in the rig. There is no leg until `left`. */
  held(client: number): void {
    this.#leftAtNs[client] = notYet;
  }

  /** The client's bytes have left. A leg begins. */
  left(client: number): void {
    this.turns.begin();
    this.#leftAtNs[client] = this.turns.loop.nowNs();
    this.#sleptNs[client] = this.turns.sleptNs;
  }

  /** The running turn took the answer to the client. A leg ends, and the next begins. */
  took(client: number): void {
    this.turns.begin();
    this.#end(client, this.turns.readableFromNs - this.#leftAtNs[client]!);
  }

  /**
   * Ends a leg in which the rig may have answered unseen, as TLS and libraries do. While the thread slept, nothing
   * waited for the rig, so at least that time was the target's.
   */
  tookInSteps(client: number): void {
    this.turns.begin();
    this.#end(client, this.turns.sleptNs - this.#sleptNs[client]!);
  }

  #end(client: number, legNs: number): void {
    if (this.#leftAtNs[client] === notYet) return;
    this.#sumNs[client]! += Math.max(0, legNs);
    this.left(client);
  }

  /** Returns the sum in nanoseconds of the legs that ended since `begin`. */
  sumNs(client: number): number {
    return this.#sumNs[client]!;
  }
}
