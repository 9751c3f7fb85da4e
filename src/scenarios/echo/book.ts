import type { Clients } from '../../protocols/protocol.js';
import { total } from '../books/ledger.js';
import type { SendTimes } from '../books/times.js';
import type { AudienceContext } from '../scenario.js';

/** Largest number of asks for a client's first echo. */
const mostAsks = 4;

/** Returns the sequence number of the first send. Lower numbers are first echoes. */
export function firstSend(clientCount: number): number {
  return mostAsks * clientCount;
}

/**
 * Tracks the first echoes that prove the clients of one worker. A client without one is asked again, evenly over its
 * subscribe timeout. Each ask has its own number, and any of its first echoes proves the client.
 */
export class Proofs {
  readonly #asked: Uint8Array;
  readonly #askedNs: Float64Array;
  /** Per client: one bit for each first echo that came. */
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

  /** Asks a client again if its last first echo stays away. */
  askAgain(clients: Clients, client: number): void {
    const { nowNs, load } = this.context;
    const asked = this.#asked[client] as number;
    const dueNs = (this.#askedNs[client] as number) + (load.subscribeTimeoutMs * 1e6) / mostAsks;
    if (asked > 0 && asked < mostAsks && nowNs() >= dueNs) this.ask(clients, client);
  }

  /** Takes a first echo. Returns false if this client was not asked for it. */
  take(client: number, sequence: number): boolean {
    const { clientCount } = this.context;
    const ask = Math.floor(sequence / clientCount);
    if (sequence % clientCount !== client || ask >= (this.#asked[client] as number)) return false;
    this.#came[client] = (this.#came[client] as number) | (1 << ask);
    return true;
  }

  /** Counts the first echoes that were asked for, and those of them that never came. */
  get counts(): Record<'proofs' | 'proofsLost', number> {
    let came = 0;
    for (const bits of this.#came) for (let left = bits; left > 0; left >>>= 1) came += left & 1;
    const proofs = total(this.#asked);
    return { proofs, proofsLost: proofs - came };
  }
}

const chunkBits = 16;
const chunkLength = 1 << chunkBits;

const sendState = { entered: 0, awaited: 1, answered: 2, abandoned: 3, unsent: 4 } as const;

/**
 * Describes an echo: the first of its send in time, another one, one after its time, or none of this client's sends.
 */
export type Arrival = 'first' | 'duplicate' | 'late' | 'stray';

/** Holds sends in chunks instead of growing arrays, so that no send waits while millions of others are copied. */
interface Chunk {
  client: Int32Array;
  unit: Int32Array;
  sentAtNs: Float64Array;
  writtenAtNs: Float64Array;
  intendedAtNs: Float64Array;
  state: Uint8Array;
}

/** Records the sends of one worker's clients, numbered in the order of entry, and the echoes of each. */
export class EchoBook {
  readonly #chunks: Chunk[] = [];
  #entered = 0;
  #sends = 0;
  #measured = 0;
  #withdrawn = 0;
  #isClosed = false;

  /** Number of sends that left. */
  get sends(): number {
    return this.#sends;
  }

  /** Sends whose unit is not negative, without those taken back. */
  get measured(): number {
    return this.#measured - this.#withdrawn;
  }

  /** Enters a send that is about to leave and returns its number. */
  enter(client: number, unit: number, intendedAtNs: number): number {
    const number = this.#entered++;
    const at = number % chunkLength;
    if (at === 0) {
      this.#chunks.push({
        client: new Int32Array(chunkLength),
        unit: new Int32Array(chunkLength),
        sentAtNs: new Float64Array(chunkLength),
        writtenAtNs: new Float64Array(chunkLength),
        intendedAtNs: new Float64Array(chunkLength),
        state: new Uint8Array(chunkLength),
      });
    }
    const chunk = this.#chunks[this.#chunks.length - 1] as Chunk;
    chunk.client[at] = client;
    chunk.unit[at] = unit;
    chunk.intendedAtNs[at] = intendedAtNs;
    return number;
  }

  /** Marks a send as left. Times are in nanoseconds; `writtenAtNs` is 0 if the kernel did not take it at once. */
  sent(number: number, sentAtNs: number, writtenAtNs: number): void {
    const chunk = this.#chunkOf(number);
    const at = number % chunkLength;
    this.#sends++;
    if ((chunk.unit[at] as number) >= 0) this.#measured++;
    chunk.sentAtNs[at] = sentAtNs;
    chunk.writtenAtNs[at] = writtenAtNs;
    chunk.state[at] = sendState.awaited;
  }

  /** Marks a send that did not leave and will not. */
  unsent(number: number): void {
    this.#chunkOf(number).state[number % chunkLength] = sendState.unsent;
  }

  answer(client: number, number: number): Arrival {
    if (number >= this.#entered) return 'stray';
    const chunk = this.#chunkOf(number);
    const at = number % chunkLength;
    if (chunk.client[at] !== client || chunk.state[at] === sendState.entered) return 'stray';
    if (chunk.state[at] === sendState.answered) return 'duplicate';
    if (this.#isClosed || chunk.state[at] !== sendState.awaited) return 'late';
    chunk.state[at] = sendState.answered;
    return 'first';
  }

  /** Stops waiting for an echo. If it comes, it is late. */
  abandon(number: number): void {
    this.#chunkOf(number).state[number % chunkLength] = sendState.abandoned;
  }

  unit(number: number): number {
    return this.#chunkOf(number).unit[number % chunkLength] as number;
  }

  sentAtNs(number: number): number {
    return this.#chunkOf(number).sentAtNs[number % chunkLength] as number;
  }

  stamps(number: number): SendTimes {
    const chunk = this.#chunkOf(number);
    const at = number % chunkLength;
    return {
      intendedAtNs: chunk.intendedAtNs[at] as number,
      sentAtNs: chunk.sentAtNs[at] as number,
      writtenAtNs: chunk.writtenAtNs[at] as number,
    };
  }

  /** Takes back the last `unsent` sends of each client, which were entered and never left. */
  withdraw(unsent: Int32Array): void {
    const left = unsent.slice();
    for (let number = this.#entered - 1; number >= 0; number--) {
      const chunk = this.#chunkOf(number);
      const at = number % chunkLength;
      const client = chunk.client[at] as number;
      if (left[client] === 0 || !isMissing(chunk.state[at] as number)) continue;
      left[client] = (left[client] as number) - 1;
      chunk.state[at] = sendState.unsent;
      if ((chunk.unit[at] as number) >= 0) this.#withdrawn++;
    }
  }

  /** Ends the drain. An echo from now on counts as late, and its send stays lost. */
  close(): void {
    this.#isClosed = true;
  }

  /** Measured sends that were taken back. */
  get withdrawn(): number {
    return this.#withdrawn;
  }

  /**
   * Counts, per unit, the other sends without an echo. Reads the table, not a counter, so that the ledger can find a
   * mismatch.
   */
  missing(units: number): Uint32Array {
    const missing = new Uint32Array(units);
    for (let number = 0; number < this.#entered; number++) {
      const unit = this.unit(number);
      if (unit < 0 || !isMissing(this.#chunkOf(number).state[number % chunkLength] as number)) continue;
      missing[unit] = (missing[unit] as number) + 1;
    }
    return missing;
  }

  #chunkOf(number: number): Chunk {
    return this.#chunks[number >>> chunkBits] as Chunk;
  }
}

/** Returns true if a send in that state left and has no echo. */
function isMissing(state: number): boolean {
  return state === sendState.awaited || state === sendState.abandoned;
}
