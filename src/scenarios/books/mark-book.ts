import { partName } from '../../measure/metric-names.js';
import { type MarkTable, markKind, type SendColumns } from '../../measure/samples/mark-table.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import type { AudienceContext } from '../scenario.js';
import { judgeMarks, missingMarks, type Received } from './marks/judge.js';
import { MarkTimes, type Slices } from './marks/mark-times.js';
import { type Membership, Memberships } from './marks/memberships.js';
import { hashOf, MarkNumbers } from './marks/numbers.js';
import { SparseBits } from './marks/sparse-bits.js';
import type { SendTimes } from './times.js';

/** What declared sends owe. `isAnswered`: their marks come back to their sender once. */
export interface OwingSends {
  name: string;
  owed?: { group: string; isToAll: boolean } | undefined;
  isAnswered: boolean;
}

/** What the table holds of each of such sends. */
export interface DeclaredSends {
  group: number;
  name: number;
  kind: number;
}

/** Why a send never left: its socket was gone or took no more, the run ended before it, or the table was full. */
export type UnsentWhy = 'gone' | 'unread' | 'stopped' | 'table-full';

type BookShape = Pick<AudienceContext<never>, 'firstClient' | 'clientCount' | 'recorder' | 'slice'> & {
  table: MarkTable;
  slices: Slices;
};

/** Keeps the declared sends of one worker's clients, and what those clients receive of all sends of the run. */
export class MarkBook {
  readonly #shape: BookShape;
  readonly #table: MarkTable;
  readonly #numbers: MarkNumbers;
  readonly #memberships: Memberships;
  readonly #times: MarkTimes;
  readonly #bits = new SparseBits();
  readonly #foreign: SendColumns[] = [];
  readonly #hashes = new Map<string, number>();
  readonly #names = new Map<string, number>();
  readonly #counts = { declared: 0, sent: 0, received: 0, duplicate: 0, late: 0, stray: 0, echoed: 0, nameless: 0 };
  readonly #unsent: Record<UnsentWhy, number> = { gone: 0, unread: 0, stopped: 0, 'table-full': 0 };
  #isClosed = false;
  /** What `isComplete` found missing last, and how many sends of the shard were settled then. */
  #missing: Generator<readonly [number, number]> | undefined;
  #lacked: readonly [client: number, number: number] | undefined;
  #settledAtScan = -1;

  constructor(shape: BookShape) {
    this.#shape = shape;
    this.#table = shape.table;
    this.#numbers = new MarkNumbers(shape.table, shape.clientCount);
    this.#memberships = new Memberships(shape.clientCount);
    this.#times = new MarkTimes(shape.table, this.#memberships, shape.slices, shape.recorder);
  }

  /** Sets the start of the load, from which figures over time count. */
  startAt(startAtNs: number): void {
    this.#times.startAt(startAtNs);
  }

  /** Looks names and groups up once for all sends of a schedule. */
  declare({ name, owed, isAnswered }: OwingSends): DeclaredSends {
    const toAll = owed?.isToAll ? markKind.toAll : 0;
    return {
      group: owed ? this.#hashOf(owed.group) : 0,
      name: this.#indexOfName(name),
      kind: markKind.begun | toAll | (isAnswered ? markKind.answered : 0),
    };
  }

  /** Enters a send before its message is made. Returns the number for its mark; undefined if the table is full. */
  begin(client: number, { group, name, kind }: DeclaredSends): number | undefined {
    this.#counts.declared++;
    const row = this.#numbers.take(client);
    if (row === undefined) {
      this.#unsent['table-full']++;
      return undefined;
    }
    const table = this.#table;
    table.sender[row] = this.#shape.firstClient + client;
    table.group[row] = group;
    table.name[row] = name;
    if (name === 0) this.#counts.nameless++;
    table.kind[row] = kind;
    return table.numberAt(row);
  }

  /** Notes that a send has left. */
  sent(number: number, { intendedAtNs, sentAtNs, writtenAtNs }: SendTimes): void {
    const table = this.#table;
    const row = table.indexOf(number);
    table.intendedAtNs[row] = Math.min(intendedAtNs, sentAtNs);
    table.writtenAtNs[row] = writtenAtNs;
    table.sentAtNs[row] = sentAtNs;
    table.settled();
    this.#counts.sent++;
  }

  unsent(number: number, why: Exclude<UnsentWhy, 'table-full'>): void {
    const row = this.#table.indexOf(number);
    this.#table.kind[row] = (this.#table.kind[row] as number) | markKind.unsent;
    this.#table.settled();
    this.#unsent[why]++;
  }

  /** A stay begins when the target confirms it. What left since it was asked for may be owed or not. */
  join(client: number, group: string, askedNs: number, joinedNs: number): Membership {
    this.#missing = undefined;
    return this.#memberships.join(client, this.#hashOf(group), askedNs, joinedNs);
  }

  leave(membership: Membership, leftNs: number): void {
    this.#missing = undefined;
    this.#memberships.leave(membership, leftNs);
  }

  /** Takes marks that the engine found. Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const table = this.#table;
    const counts = this.#counts;
    const { firstClient } = this.#shape;
    for (let n = 0; n < batch.count; n++) {
      const client = batch.client[n] as number;
      const number = batch.sequence[n] as number;
      const row = table.indexOf(number);
      const kind = row < 0 ? 0 : (table.kind[row] as number);
      const isOwn = row >= 0 && kind !== 0 && table.sender[row] === firstClient + client;
      const isAnswer = isOwn && (kind & markKind.answered) !== 0;
      const isToSender = isAnswer || (isOwn && (kind & markKind.toAll) !== 0);
      if (row >= 0 && kind === 0) counts.stray++;
      else if (isOwn && !isToSender) counts.echoed++;
      else if (this.#isClosed && !this.#bits.has(client, number)) counts.late++;
      else if (this.#isClosed || !this.#bits.add(client, number)) counts.duplicate++;
      else {
        counts.received++;
        if (isAnswer) this.#times.answer(row, batch, n);
        const isDelivery = row >= 0 && table.group[row] !== 0 && (!isOwn || (kind & markKind.toAll) !== 0);
        if (isDelivery) this.#times.delivery(client, row, batch, n);
      }
    }
  }

  /** Adds the sends of another shard, so that what they owe here can be judged. */
  learn(sends: SendColumns): void {
    const isKnown = this.#foreign.some((each) => each.count > 0 && each.numberAt(0) === sends.numberAt(0));
    // The driver sends a log again if it got no answer.
    if (!isKnown) this.#foreign.push(sends);
  }

  /**
   * Returns true if nothing that is owed or awaited is missing here. Says false if that cannot be known, because other
   * shards send, too.
   */
  isComplete(): boolean {
    const { declared, sent } = this.#counts;
    if (this.#shape.slice.of > 1 || declared > sent + this.#unsentCount) return false;
    const { settledCount } = this.#table;
    if (this.#missing === undefined || settledCount !== this.#settledAtScan) {
      this.#settledAtScan = settledCount;
      this.#missing = missingMarks(this.#received);
      this.#lacked = undefined;
    }
    // Goes on where it stopped: what has come stays.
    while (this.#lacked === undefined || this.#bits.has(...this.#lacked)) {
      const next = this.#missing.next();
      if (next.done) return true;
      this.#lacked = next.value;
    }
    return false;
  }

  /** Ends the drain. What comes from now on is late, and stays lost. */
  close(): void {
    this.#isClosed = true;
  }

  progress(): { sent: number; received: number } {
    const { sent, received } = this.#counts;
    return { sent, received };
  }

  get deliveryBins(): Uint32Array {
    return this.#times.bins;
  }

  report() {
    // What was handed over and never reported ended with the run.
    this.#unsent.stopped += this.#counts.declared - this.#counts.sent - this.#unsentCount;
    const { timed, clockFaults, samples, series } = this.#times.report();
    const { owingByName, lostByName, stray, unclear, unknown, ...judged } = judgeMarks(this.#received);
    // `received` of a run counts all messages of its clients.
    const { received: _, ...counts } = this.#counts;
    return {
      counts: {
        ...counts,
        ...judged,
        attempted: counts.sent,
        unsent: this.#unsentCount,
        stray: counts.stray + stray,
        unclear: unclear + unknown,
        unlearned: Math.max(0, this.#shape.slice.of - 1 - this.#foreign.length),
        untimed: Math.max(0, judged.delivered - timed),
        clockFaults,
      },
      causes: { unsent: { ...this.#unsent }, owingByName, lostByName },
      samples,
      series,
    };
  }

  get #unsentCount(): number {
    const { gone, unread, stopped, 'table-full': full } = this.#unsent;
    return gone + unread + stopped + full;
  }

  get #received(): Received {
    const { firstClient, clientCount } = this.#shape;
    const [table, foreign, memberships, bits] = [this.#table, this.#foreign, this.#memberships, this.#bits];
    return { table, foreign, memberships, bits, firstClient, clientCount };
  }

  #hashOf(group: string): number {
    const hash = this.#hashes.get(group) ?? hashOf(group);
    this.#hashes.set(group, hash);
    return hash;
  }

  #indexOfName(text: string): number {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const index = this.#table.indexOfName(partName(text));
    if (index !== 0) this.#names.set(text, index);
    return index;
  }
}
