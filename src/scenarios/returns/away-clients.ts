import type { Cause, Clients, DropMode } from '../../protocols/protocol.js';
import type { AudienceContext } from '../scenario.js';
import { type Backoff, backoffDelayMs } from './backoff.js';

/**
 *     there --dropped--> leaving --closed--> down --open--> trying --opened--> open --subscribed--> there
 *     there --cut by the target--> down
 *     trying, open --failed--> down           open --not confirmed in time--> givenUp --closed--> down
 *
 * A client whose library reconnects goes from `down` to `open` by itself.
 */
const place = { there: 0, leaving: 1, down: 2, trying: 3, open: 4, givenUp: 5 } as const;

const never = Number.POSITIVE_INFINITY;

/** Our engine needs up to 2 s to end the TCP connection of a client that the protocol refused, and can't open it again before. */
const afterRefusalMs = 3000;

/**
 * Who of one worker's clients is away, and the attempts to come back. Clients are left to their library where that reconnects; all others are opened
 * again after waits that are drawn alike for all targets. At first everybody is there.
 */
export class AwayClients {
  readonly #context: Omit<AudienceContext<unknown>, 'options'>;
  readonly #backoff: Omit<Backoff, 'seed'>;
  readonly #place: Uint8Array;
  /** When a client that is down is opened, and one that is open given up. */
  readonly #dueAtNs: Float64Array;
  /** Number of the next wait since the client was there last. */
  readonly #wait: Int32Array;
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
    this.#lastFailure = new Array<Cause | undefined>(clientCount).fill(undefined);
  }

  begin(clients: Clients): void {
    this.#clients = clients;
  }

  has(client: number): boolean {
    return this.#place[client] !== place.there;
  }

  /** How many are away now. */
  get count(): number {
    return this.#count;
  }

  /** How many of them have failed to come back. */
  get failing(): number {
    return this.#failing;
  }

  /** Does what is due. */
  tick(): void {
    const nowNs = this.#context.nowNs();
    for (let client = 0; client < this.#place.length; client++) {
      if ((this.#dueAtNs[client] as number) > nowNs) continue;
      if (this.#place[client] === place.down) this.#open(client);
      else if (this.#place[client] === place.open) this.#giveUp(client);
    }
  }

  /** Ends a client's connection; the client is opened again at that time. */
  drop(client: number, mode: DropMode, openAtNs: number): void {
    if (!this.has(client)) this.#count++;
    this.#place[client] = place.leaving;
    this.#openAt(client, openAtNs);
    this.#clients?.drop(client, mode);
  }

  #openAt(client: number, atNs: number): void {
    this.#dueAtNs[client] = this.#clients?.reconnects ? never : atNs;
  }

  #open(client: number): void {
    this.#place[client] = place.trying;
    this.#dueAtNs[client] = never;
    this.#counts.attempts++;
    this.#clients?.open(client);
  }

  #giveUp(client: number): void {
    this.#place[client] = place.givenUp;
    this.#dueAtNs[client] = never;
    this.#clients?.drop(client, 'reset');
  }

  // --- from the clients

  opened(client: number): void {
    // A library's own attempt is known by its success alone.
    if (this.#place[client] !== place.trying) this.#counts.attempts++;
    this.#place[client] = place.open;
    this.#dueAtNs[client] = this.#context.nowNs() + this.#context.load.subscribeTimeoutMs * 1e6;
  }

  ready(client: number): void {
    if (this.#place[client] === place.open) this.#clients?.subscribe(client, this.#context.stream);
  }

  /** Whether the client is there again by it. */
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

  /** Whether the client was there until then: it was cut. */
  closed(client: number, told: Cause): boolean {
    const was = this.#place[client];
    if (was === place.down) return false;
    this.#place[client] = place.down;
    if (was === place.leaving) return false;
    const cause = was === place.givenUp ? 'subscribe-timeout' : told;
    if (was === place.there) this.#count++;
    else this.#failed(client, cause);
    this.#openAt(client, this.#context.nowNs() + this.#delayMs(client, cause) * 1e6);
    return was === place.there;
  }

  #delayMs(client: number, cause: Cause): number {
    const { seed, firstClient } = this.#context;
    const wait = this.#wait[client] as number;
    this.#wait[client] = wait + 1;
    const leastMs = cause.startsWith('rejected') ? afterRefusalMs : 0;
    return Math.max(leastMs, backoffDelayMs({ seed, ...this.#backoff }, firstClient + client, wait));
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

  /** What is left at the end is read from the places, so that the ledger can break. */
  report() {
    const notBack: Record<string, number> = {};
    let underWay = 0;
    this.#place.forEach((at, client) => {
      if (at === place.there) return;
      if (at >= place.trying) underWay++;
      const why = this.#lastFailure[client] ?? this.#whyUnfailed(client);
      notBack[why] = (notBack[why] ?? 0) + 1;
    });
    return { counts: { ...this.#counts, underWay }, failures: this.#failures, notBack };
  }

  /** Why a client is not back that has not failed since it left; a library does not tell which of its own attempts failed. */
  #whyUnfailed(client: number): string {
    const reconnects = this.#clients?.reconnects;
    if (this.#place[client] === place.leaving) return reconnects ? 'unnoticed by its library' : 'not yet closed';
    if (this.#place[client] === place.down) return reconnects ? 'left to its library' : 'not tried';
    return 'under way';
  }
}
