import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause, Clients, DropMode } from '../../protocols/protocol.js';
import { arrivedAtNs } from '../roles/delivery-times.js';
import type { AudienceContext } from '../scenario.js';
import { type Backoff, backoffDelayMs } from './options.js';

/**
 *     there --dropped, cut by the target--> down --open--> trying --opened--> open --subscribed--> there
 *                                           down <---------failed---------- trying, open
 */
const place = { there: 0, down: 1, trying: 2, open: 3 } as const;

const never = Number.POSITIVE_INFINITY;

/**
 * Tracks the clients of one worker that are away, and their attempts to come back. The waits are alike for all targets.
 */
export class AwayClients {
  readonly #context: Omit<AudienceContext<unknown>, 'options'>;
  readonly #backoff: Omit<Backoff, 'seed'>;
  readonly #place: Uint8Array;
  /** Instant when a client that is down opens, or when an open one times out. */
  readonly #dueAtNs: Float64Array;
  /** Number of the next wait since the client was there last. */
  readonly #wait: Int32Array;
  readonly #waits: Recorder;
  /**
   * Shortest duration of an absence until the attempt under way: its planned waits, and the least time of its attempts.
   */
  readonly #leastNs: Float64Array;
  readonly #lastFailure: (Cause | undefined)[];
  readonly #failures: Record<string, number> = {};
  readonly #counts = { attempts: 0, failedAttempts: 0, resumes: 0, recovered: 0 };
  #clients: Clients | undefined;
  #count = 0;
  #failing = 0;

  constructor(context: Omit<AudienceContext<unknown>, 'options'>, backoff: Omit<Backoff, 'seed'>) {
    const { clientCount } = context;
    this.#context = context;
    this.#backoff = backoff;
    this.#place = new Uint8Array(clientCount);
    this.#dueAtNs = new Float64Array(clientCount).fill(never);
    this.#wait = new Int32Array(clientCount);
    this.#waits = context.recorder();
    this.#leastNs = new Float64Array(clientCount);
    this.#lastFailure = new Array<Cause | undefined>(clientCount).fill(undefined);
  }

  begin(clients: Clients | undefined): void {
    this.#clients = clients;
  }

  has(client: number): boolean {
    return this.#place[client] !== place.there;
  }

  get count(): number {
    return this.#count;
  }

  get failing(): number {
    return this.#failing;
  }

  tick(): void {
    const nowNs = this.#context.nowNs();
    for (let client = 0; client < this.#place.length; client++) {
      if ((this.#dueAtNs[client] as number) > nowNs) continue;
      if (this.#place[client] === place.down) this.#open(client);
      else if (this.#place[client] === place.open) this.#giveUp(client);
    }
  }

  /** Ends the connection of a client that is there. The client is opened again at `openAtNs`. */
  drop(client: number, mode: DropMode, openAtNs: number): void {
    this.#count++;
    this.#leastNs[client] = 0;
    this.#downUntil(client, openAtNs);
    this.#clients?.drop(client, mode);
  }

  #downUntil(client: number, atNs: number): void {
    this.#place[client] = place.down;
    this.#dueAtNs[client] = atNs;
    // On a busy loop a drop can come after the time at which the client was to be opened again.
    this.#leastNs[client] = (this.#leastNs[client] as number) + Math.max(0, atNs - this.#context.nowNs());
  }

  #open(client: number): void {
    this.#place[client] = place.trying;
    this.#dueAtNs[client] = never;
    this.#counts.attempts++;
    this.#clients?.open(client);
  }

  #giveUp(client: number): void {
    this.closed(client, 'subscribe-timeout');
    this.#clients?.drop(client, 'reset');
  }

  opened(client: number): void {
    this.#place[client] = place.open;
    this.#dueAtNs[client] = this.#context.nowNs() + this.#context.load.subscribeTimeoutMs * 1e6;
  }

  ready(client: number): void {
    if (this.#place[client] === place.open) this.#clients?.subscribe(client, this.#context.stream);
  }

  /** Returns true if this confirmation brings the client back. */
  subscribed(client: number): boolean {
    if (this.#place[client] !== place.open) return false;
    this.#place[client] = place.there;
    this.#dueAtNs[client] = never;
    this.#count--;
    if (this.#lastFailure[client] !== undefined) this.#failing--;
    this.#lastFailure[client] = undefined;
    this.#wait[client] = 0;
    return true;
  }

  /** Returns the time of the attempt under way that surely was the target's; see `Clients.leastNs`. */
  leastNs(client: number): number {
    return this.#clients?.leastNs(client) ?? 0;
  }

  /** Returns when the answer of the current event arrived. */
  arrivedAtNs(client: number): number {
    return arrivedAtNs(this.#clients, client, this.#context);
  }

  /** Returns the shortest duration, without any delay of the rig, of the absence that an answer just ended. */
  absenceLeastNs(client: number): number {
    return (this.#leastNs[client] as number) + this.leastNs(client);
  }

  /** Returns true if the client was there until then, and was cut. A client that is down was dropped by the rig. */
  closed(client: number, cause: Cause): boolean {
    const was = this.#place[client];
    if (was === place.down) return false;
    if (was === place.there) {
      this.#count++;
      this.#leastNs[client] = 0;
    } else {
      this.#leastNs[client] = this.absenceLeastNs(client);
      this.#failed(client, cause);
    }
    this.#downUntil(client, this.#context.nowNs() + this.#drawWaitMs(client) * 1e6);
    return was === place.there;
  }

  #drawWaitMs(client: number): number {
    const { seed, firstClient } = this.#context;
    const wait = this.#wait[client] as number;
    this.#wait[client] = wait + 1;
    const waitMs = backoffDelayMs({ seed, ...this.#backoff }, firstClient + client, wait);
    this.#waits.record(waitMs * 1000);
    return waitMs;
  }

  #failed(client: number, cause: Cause): void {
    this.#counts.failedAttempts++;
    this.#failures[cause] = (this.#failures[cause] ?? 0) + 1;
    if (this.#lastFailure[client] === undefined) this.#failing++;
    this.#lastFailure[client] = cause;
  }

  resumed(client: number, wasRecovered: boolean): void {
    if (this.#place[client] !== place.open && this.has(client)) return;
    this.#counts.resumes++;
    if (wasRecovered) this.#counts.recovered++;
  }

  /**
   * Reads the clients still away from the places, so that the ledger can find a mismatch. Call it once, as it finishes
   * the recorder.
   */
  report() {
    const notBack: Record<string, number> = {};
    let underWay = 0;
    this.#place.forEach((at, client) => {
      if (at === place.there) return;
      if (at !== place.down) underWay++;
      const why = this.#lastFailure[client] ?? (at === place.down ? 'not tried' : 'under way');
      notBack[why] = (notBack[why] ?? 0) + 1;
    });
    const counts = { ...this.#counts, underWay };
    return { counts, failures: this.#failures, notBack, samples: { wait: this.#waits.finish() } };
  }
}
