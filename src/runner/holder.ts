import { ProblemError, problem } from '../contract/problems.js';
import type { LeftBody, RunState } from '../contract/run-state.js';
import { nowNs } from '../measure/rig/clock.js';

/** A driver asks four times a second: one that was silent for so long, or for half its lease, may be replaced. */
const goneAfterMs = 5000;

/** The driver that a job obeys: one at a time, each with the same lease. */
export class Holder {
  #name: string;
  readonly #leaseMs: number;
  #lastSeenNs = nowNs();
  #left: LeftBody | null = null;
  #isAway = false;

  constructor(name: string, leaseMs: number) {
    this.#name = name;
    this.#leaseMs = leaseMs;
  }

  /** Renews the lease. Throws `ProblemError` if another driver has the job; who gives no name is not checked. */
  hears(name: string | undefined): void {
    if (name !== undefined && name !== this.#name) throw this.#held();
    this.#lastSeenNs = nowNs();
  }

  /** Obeys this driver from now on. Throws `ProblemError` while another one is there. */
  take(name: string): void {
    if (name !== this.#name && !this.isGone) throw this.#held();
    this.#name = name;
    this.#lastSeenNs = nowNs();
    this.#isAway = false;
  }

  /** The driver goes, and what it saw stays for the next one. */
  leave(left: LeftBody): void {
    this.#left = left;
    this.#isAway = true;
  }

  #held(): ProblemError {
    return new ProblemError([problem('runHeld', `the run is in the hands of ${this.#name}`)]);
  }

  get isGone(): boolean {
    return this.#isAway || this.silentMs > Math.min(goneAfterMs, this.#leaseMs / 2);
  }

  /** Whether a driver within its lease will come back for the result. */
  get isAwaited(): boolean {
    return !this.#isAway && this.silentMs <= this.#leaseMs;
  }

  get silentMs(): number {
    return (nowNs() - this.#lastSeenNs) / 1e6;
  }

  get state(): Pick<RunState, 'driver' | 'left'> {
    return { driver: { name: this.#name, silentMs: this.silentMs, isGone: this.isGone }, left: this.#left };
  }
}
