import { type Turns, turns as turnsOfThread } from './turns.js';

const notYet = Number.POSITIVE_INFINITY;

/**
 * How long each client's target had the word, at least, since an attempt began: the sum of its legs, each from when
 * what we said had left for certain to when the answer can have been readable. Every delay of the rig lies between
 * two legs, so the true value lies between this sum and the time by the stamps.
 */
export class Legs {
  readonly #sumNs: Float64Array;
  /** When our last word had left for certain, and how long the thread had slept until then. */
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

  /** What the client says waits in the rig: until `left` there is no leg. */
  held(client: number): void {
    this.#leftAtNs[client] = notYet;
  }

  /** What the client says has left: a leg begins. */
  left(client: number): void {
    this.turns.begin();
    this.#leftAtNs[client] = this.turns.loop.nowNs();
    this.#sleptNs[client] = this.turns.sleptNs;
  }

  /** The running turn took what the client was told: a leg ends, and the next begins. */
  took(client: number): void {
    this.turns.begin();
    this.#end(client, this.turns.readableFromNs - (this.#leftAtNs[client] as number));
  }

  /**
   * The same where the rig may have answered in between without telling, as TLS and libraries do. While the thread
   * slept, nothing waited for the rig, so that time at least was the target's.
   */
  tookInSteps(client: number): void {
    this.turns.begin();
    this.#end(client, this.turns.sleptNs - (this.#sleptNs[client] as number));
  }

  #end(client: number, legNs: number): void {
    if (this.#leftAtNs[client] === notYet) return;
    this.#sumNs[client] = (this.#sumNs[client] as number) + Math.max(0, legNs);
    this.left(client);
  }

  /** In nanoseconds, of the legs that ended since `begin`. */
  sumNs(client: number): number {
    return this.#sumNs[client] as number;
  }
}
