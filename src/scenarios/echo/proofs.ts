import type { Clients } from '../../protocols/protocol.js';
import { total } from '../books.js';
import type { AudienceContext } from '../scenario.js';

/** How often a client is asked for its first echo, at most. */
const mostAsks = 4;

/** Sequence numbers below this one are of first echoes. */
export function firstSend(clientCount: number): number {
  return mostAsks * clientCount;
}

/**
 * The first echoes that prove the clients of one worker. A client that got none is asked again, evenly over the time
 * that it has, each time with a number of its own: any of its first echoes proves it.
 */
export class Proofs {
  readonly #asked: Uint8Array;
  readonly #askedNs: Float64Array;
  /** By client, one bit for each first echo that came. */
  readonly #came: Uint8Array;

  constructor(private readonly context: Pick<AudienceContext<unknown>, 'clientCount' | 'load' | 'nowNs'>) {
    this.#asked = new Uint8Array(context.clientCount);
    this.#askedNs = new Float64Array(context.clientCount);
    this.#came = new Uint8Array(context.clientCount);
  }

  ask(clients: Clients, client: number): void {
    const asked = this.#asked[client] as number;
    this.#askedNs[client] = this.context.nowNs();
    if (clients.echo?.(client, asked * this.context.clientCount + client)) this.#asked[client] = asked + 1;
  }

  /** Asks a client whose last first echo stays away. */
  askAgain(clients: Clients, client: number): void {
    const { nowNs, load } = this.context;
    const asked = this.#asked[client] as number;
    const dueNs = (this.#askedNs[client] as number) + (load.subscribeTimeoutMs * 1e6) / mostAsks;
    if (asked > 0 && asked < mostAsks && nowNs() >= dueNs) this.ask(clients, client);
  }

  /** Takes a first echo; false for one that this client was not asked for. */
  take(client: number, sequence: number): boolean {
    const { clientCount } = this.context;
    const ask = Math.floor(sequence / clientCount);
    if (sequence % clientCount !== client || ask >= (this.#asked[client] as number)) return false;
    this.#came[client] = (this.#came[client] as number) | (1 << ask);
    return true;
  }

  /** How many were asked for, and how many of them never came. */
  get counts(): Record<'proofs' | 'proofsLost', number> {
    let came = 0;
    for (const bits of this.#came) for (let left = bits; left > 0; left >>>= 1) came += left & 1;
    const proofs = total(this.#asked);
    return { proofs, proofsLost: proofs - came };
  }
}
