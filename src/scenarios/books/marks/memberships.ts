import type { SendColumns } from '../../../measure/samples/mark-table.js';

/** Names one stay of a client in a group. */
export type Membership = number;

/**
 * Says how a send reaches a client. `surely`: it is owed. `maybe`: it left while the client joined, or shortly before
 * the client did. `near`: it left shortly before or after the stay, so only its delivery shows a member.
 */
export const reach = { never: 0, near: 1, maybe: 2, surely: 3 } as const;

/** Shortest time before the end of a stay in which a missing delivery may still be under way. */
export const leastUnderWayNs = 1e9;

const leastRows = 256;

/** Holds the stays of one worker's clients in groups. A client may be in several groups, and in one several times. */
export class Memberships {
  #count = 0;
  #group = new Float64Array(leastRows);
  #askedNs = new Float64Array(leastRows);
  #joinedNs = new Float64Array(leastRows);
  /** Infinity while it lasts. */
  #leftNs = new Float64Array(leastRows);
  /** The client's stay before this one, plus 1; 0 for its first. */
  #before = new Int32Array(leastRows);
  /** The client's last stay, plus 1; 0 without one. */
  readonly #last: Int32Array;
  readonly #clients = new Map<number, Set<number>>();
  readonly #underWayNs = Float64Array.of(leastUnderWayNs);

  constructor(clientCount: number) {
    this.#last = new Int32Array(clientCount);
  }

  /** Stays so far. */
  get count(): number {
    return this.#count;
  }

  join(client: number, group: number, askedNs: number, joinedNs: number): Membership {
    if (this.#count === this.#group.length) this.#grow();
    const row = this.#count++;
    this.#group[row] = group;
    this.#askedNs[row] = askedNs;
    this.#joinedNs[row] = joinedNs;
    this.#leftNs[row] = Number.POSITIVE_INFINITY;
    this.#before[row] = this.#last[client] as number;
    this.#last[client] = row + 1;
    const clients = this.#clients.get(group) ?? new Set();
    this.#clients.set(group, clients.add(client));
    return row;
  }

  leave(membership: Membership, leftNs: number): void {
    this.#leftNs[membership] = Math.min(this.#leftNs[membership] as number, leftNs);
  }

  /** Clients of this worker that were ever in a group. */
  clientsOf(group: number): Iterable<number> {
    return this.#clients.get(group) ?? [];
  }

  /** Notes how long delivery `index` took since its send. Reads doubles itself, as arguments may be boxed. */
  took(receivedAtNs: Float64Array, index: number, sends: SendColumns, at: number): void {
    const tookNs = (receivedAtNs[index] as number) - (sends.sentAtNs[at] as number);
    if (tookNs > (this.#underWayNs[0] as number)) this.#underWayNs[0] = tookNs;
  }

  /** Returns how a send reaches a client by its stays in the group of the send. Hot path: allocates nothing. */
  reachOf(client: number, sends: SendColumns, at: number): number {
    const group = sends.group[at] as number;
    const sentAtNs = sends.sentAtNs[at] as number;
    const { errorNs } = sends;
    const underWayNs = this.#underWayNs[0] as number;
    let best: number = reach.never;
    for (let row = (this.#last[client] as number) - 1; row >= 0; row = (this.#before[row] as number) - 1) {
      if (this.#group[row] !== group) continue;
      const askedNs = this.#askedNs[row] as number;
      const joinedNs = this.#joinedNs[row] as number;
      const leftNs = this.#leftNs[row] as number;
      if (sentAtNs >= joinedNs + errorNs && sentAtNs <= leftNs - underWayNs - errorNs) return reach.surely;
      if (sentAtNs >= askedNs - errorNs && sentAtNs <= leftNs + errorNs) best = reach.maybe;
      else if (sentAtNs >= askedNs - underWayNs - errorNs && sentAtNs <= leftNs + underWayNs + errorNs)
        best = Math.max(best, reach.near);
    }
    return best;
  }

  /** Returns true if a client is in the group now and has been since before that send. */
  isThere(client: number, sends: SendColumns, at: number): boolean {
    for (let row = (this.#last[client] as number) - 1; row >= 0; row = (this.#before[row] as number) - 1) {
      if (this.#group[row] !== sends.group[at] || this.#leftNs[row] !== Number.POSITIVE_INFINITY) continue;
      if ((sends.sentAtNs[at] as number) >= (this.#joinedNs[row] as number)) return true;
    }
    return false;
  }

  #grow(): void {
    const rows = this.#count * 2;
    const grown = <T extends Float64Array | Int32Array>(into: T, from: T): T => {
      into.set(from);
      return into;
    };
    this.#group = grown(new Float64Array(rows), this.#group);
    this.#askedNs = grown(new Float64Array(rows), this.#askedNs);
    this.#joinedNs = grown(new Float64Array(rows), this.#joinedNs);
    this.#leftNs = grown(new Float64Array(rows), this.#leftNs);
    this.#before = grown(new Int32Array(rows), this.#before);
  }
}
