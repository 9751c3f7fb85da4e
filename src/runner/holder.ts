import type { LeftBody, RunState } from '../contract/job.js';
import { problemError } from '../contract/problems.js';
import { nowNs } from '../measure/rig/clock.js';

/** Silence after which a driver may be replaced, or half its lease. A driver asks at least once a second. */
const goneAfterMs = 5000;
/** A driver that fetches results from many shards asks less often. */
const goneInFetchingAfterMs = 15_000;

/** Tracks the driver that a job obeys. There is one at a time, each with the same lease. */
export class Holder {
  #name: string;
  #lastSeenNs = nowNs();
  #left: LeftBody | null = null;
  #isAway = false;

  constructor(
    name: string,
    private readonly leaseMs: number,
    private readonly isDone: () => boolean,
  ) {
    this.#name = name;
  }

  /** Renews the lease. Throws `ProblemError` if another driver has the job. A caller without a name is not checked. */
  hears(name: string | undefined): void {
    if (name !== undefined && name !== this.#name)
      throw problemError('runTaken', `${this.#name} has taken the run over`);
    this.#lastSeenNs = nowNs();
  }

  /** Obeys this driver from now on. Throws `ProblemError` while another driver is there. */
  take(name: string): void {
    if (name !== this.#name && !this.isGone) throw problemError('runHeld', `the run is in the hands of ${this.#name}`);
    this.#name = name;
    this.#lastSeenNs = nowNs();
    this.#isAway = false;
  }

  leave(left: LeftBody): void {
    this.#left = left;
    this.#isAway = true;
  }

  get isGone(): boolean {
    const mostMs = this.isDone() ? goneInFetchingAfterMs : goneAfterMs;
    return this.#isAway || this.silentMs > Math.min(mostMs, this.leaseMs / 2);
  }

  /** Returns true if a driver within its lease will return for the result. */
  get isAwaited(): boolean {
    return !this.#isAway && this.silentMs <= this.leaseMs;
  }

  get silentMs(): number {
    return (nowNs() - this.#lastSeenNs) / 1e6;
  }

  get state(): Pick<RunState, 'driver' | 'left'> {
    return { driver: { name: this.#name, silentMs: this.silentMs, isGone: this.isGone }, left: this.#left };
  }
}
