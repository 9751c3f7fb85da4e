import { type MarkTable, markKind, mostNames, type SendColumns } from '../../../measure/samples/mark-table.js';
import type { SparseBits } from './sparse-bits.js';

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

/** What the clients of one worker are owed, and what reached them. */
export interface Received {
  table: MarkTable;
  foreign: readonly SendColumns[];
  memberships: Memberships;
  bits: SparseBits;
  times: { readonly units: number; unitOf(at: number): number };
  firstClient: number;
  clientCount: number;
  isThere: ((client: number) => boolean) | undefined;
}

function byGroup(sends: SendColumns): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let at = 0; at < sends.count; at++) {
    const group = sends.group[at] as number;
    if (group === 0 || sends.sentAtNs[at] === 0) continue;
    const list = groups.get(group);
    if (list) list.push(at);
    else groups.set(group, [at]);
  }
  return groups;
}

/** Counts by the name of a send of this shard. Those without a name have no count. */
function countsByName(table: MarkTable) {
  const counts = new Uint32Array(mostNames + 1);
  return {
    count(at: number): void {
      const name = table.name[at] as number;
      counts[name] = (counts[name] as number) + 1;
    },
    byName: () =>
      Object.fromEntries([...counts].flatMap((sum, name) => (name > 0 && sum > 0 ? [[table.nameOf(name), sum]] : []))),
  };
}

/** Returns true if a send is owed to clients other than this one. */
const skips = (sends: SendColumns, at: number, receiver: number): boolean =>
  sends.sender[at] === receiver && ((sends.kind[at] as number) & markKind.toAll) === 0;

/** Calls for each send and each client of this worker that was ever in its group. */
function eachPair({ table, foreign, memberships, firstClient }: Received, visit: PairVisit): void {
  for (const sends of [table, ...foreign])
    for (const [group, list] of byGroup(sends))
      for (const client of memberships.clientsOf(group))
        for (const at of list)
          if (isMeasured(sends, at) && !skips(sends, at, firstClient + client)) visit(client, sends, at);
}

type PairVisit = (client: number, sends: SendColumns, at: number) => void;

/** Counts the deliveries that are owed, without looking at what was received beyond each of them. */
function owedBy({ memberships, bits, table, times }: Received, pairs: (visit: PairVisit) => void) {
  const found = { owed: 0, lost: 0, unclear: 0 };
  const missing = new Uint32Array(times.units);
  const lostByName = countsByName(table);
  pairs((client, sends, at) => {
    const reached = memberships.reachOf(client, sends, at);
    if (reached === reach.never) return;
    if (bits.has(client, sends.numberAt(at))) found.owed++;
    else if (reached === reach.surely) {
      found.owed++;
      found.lost++;
      if (sends === table) {
        lostByName.count(at);
        missing[times.unitOf(at)]!++;
      }
    } else if (reached === reach.maybe) found.unclear++;
  });
  return { ...found, missing, lostByName: lostByName.byName() };
}

/** Counts what was received by what it is. `unknown`: it came from a shard whose sends are not here. */
function receivedBy({ table, foreign, memberships, bits, firstClient }: Received) {
  const tables = [table, ...foreign];
  const found = { delivered: 0, answered: 0, stray: 0, unknown: 0 };
  bits.each((client, number) => {
    const sends = tables.find((each) => each.indexOf(number) >= 0);
    if (!sends) {
      found.unknown++;
      return;
    }
    const at = sends.indexOf(number);
    const isSent = sends.sentAtNs[at] !== 0;
    const isAnswer = isSent && sends.sender[at] === firstClient + client && isAnswered(sends, at);
    const isOwed =
      isSent &&
      sends.group[at] !== 0 &&
      !skips(sends, at, firstClient + client) &&
      memberships.reachOf(client, sends, at) !== reach.never;
    if (!isAnswer && !isOwed) found.stray++;
    if (!isMeasured(sends, at)) return;
    if (isAnswer) found.answered++;
    if (isOwed) found.delivered++;
  });
  return found;
}

const isMeasured = (sends: SendColumns, at: number): boolean =>
  ((sends.kind[at] as number) & markKind.unmeasured) === 0;

const isAwaited = (sends: SendColumns, at: number): boolean =>
  ((sends.kind[at] as number) & (markKind.unmeasured | markKind.abandoned)) === 0;

const isAnswered = (sends: SendColumns, at: number): boolean => ((sends.kind[at] as number) & markKind.answered) !== 0;

/** Adds up the counts of numbers, but for sends of other shards that figures leave out. */
export function countMeasured(foreign: readonly SendColumns[], counts: ReadonlyMap<number, number>): number {
  const leftOut = ([number]: readonly [number, number]): boolean =>
    foreign.some((sends) => sends.indexOf(number) >= 0 && !isMeasured(sends, sends.indexOf(number)));
  return [...counts].reduce((sum, each) => sum + (leftOut(each) ? 0 : each[1]), 0);
}

function sendsOf({ table, bits, firstClient, clientCount, times }: Received, missing: Uint32Array) {
  const found = { owing: 0, answersOwed: 0, unanswered: 0 };
  const owingByName = countsByName(table);
  for (let at = 0; at < table.count; at++) {
    const client = (table.sender[at] as number) - firstClient;
    if (table.sentAtNs[at] === 0 || client < 0 || client >= clientCount || !isMeasured(table, at)) continue;
    if (table.group[at] !== 0) {
      found.owing++;
      owingByName.count(at);
    }
    if (!isAnswered(table, at)) continue;
    found.answersOwed++;
    if (bits.has(client, table.numberAt(at))) continue;
    found.unanswered++;
    missing[times.unitOf(at)]!++;
  }
  return { ...found, owingByName: owingByName.byName() };
}

/** Judges each pair of a send and a member, and each arrival. The two counts check each other. */
export function judgeMarks(received: Received) {
  const owed = owedBy(received, (visit) => eachPair(received, visit));
  return { ...owed, ...receivedBy(received), ...sendsOf(received, owed.missing) };
}

/** Lists the pairs that a member who is still there lacks, and the sends of own clients that lack an answer. */
export function* missingMarks(received: Received): Generator<readonly [client: number, number: number]> {
  const { table, foreign, memberships, bits, firstClient, clientCount, isThere = () => true } = received;
  for (const sends of [table, ...foreign])
    for (const [group, list] of byGroup(sends))
      for (const client of memberships.clientsOf(group)) {
        if (!isThere(client)) continue;
        for (const at of list) {
          const isOwed =
            isAwaited(sends, at) && !skips(sends, at, firstClient + client) && memberships.isThere(client, sends, at);
          if (isOwed && !bits.has(client, sends.numberAt(at))) yield [client, sends.numberAt(at)];
        }
      }
  for (let at = 0; at < table.count; at++) {
    const client = (table.sender[at] as number) - firstClient;
    const isOwn = client >= 0 && client < clientCount && table.sentAtNs[at] !== 0;
    const isAsked = isOwn && isAnswered(table, at) && isAwaited(table, at);
    if (isAsked && isThere(client) && !bits.has(client, table.numberAt(at))) yield [client, table.numberAt(at)];
  }
}
