import { type MarkTable, markKind, type SendColumns } from '../../measure/samples/mark-table.js';
import type { SendTimes } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import type { AudienceContext } from '../scenario.js';
import { type BegunSend, type BookHooks, Declarations, type DeclaredSends, type Slices } from './marks/declarations.js';
import { countMeasured, judgeMarks, type Membership, Memberships, missingMarks, type Received } from './marks/judge.js';
import { MarkTimes } from './marks/mark-times.js';
import { SparseBits } from './marks/sparse-bits.js';

/** Why a send never left: its socket was gone or took no more, the run ended before it, or the table was full. */
export type UnsentWhy = 'gone' | 'unread' | 'stopped' | 'table-full';

/** The worker of a book, and what it is told of arrivals. */
export type BookShape = Pick<AudienceContext<never>, 'firstClient' | 'clientCount' | 'recorder' | 'slice'> &
  BookHooks & {
    table: MarkTable;
    slices: Slices;
    /** Returns when all that a client of this worker sent had left, or 0 while that is unknown. */
    leftAtNs?(client: number): number;
    /** Returns false for a client whose missing deliveries will not come. All clients are there by default. */
    isThere?(client: number): boolean;
  };

/** Keeps the declared sends of one worker's clients, and what those clients receive of all sends of the run. */
export class MarkBook {
  readonly #shape: BookShape;
  readonly #table: MarkTable;
  readonly #memberships: Memberships;
  readonly #times: MarkTimes;
  readonly #bits = new SparseBits();
  readonly #foreign: SendColumns[] = [];
  readonly #declarations: Declarations;
  readonly #counts = { declared: 0, sent: 0, received: 0, duplicate: 0, late: 0, stray: 0, echoed: 0, nameless: 0 };
  /** By number: what came again or late of other shards. Only what is learned of them tells if figures count it. */
  readonly #foreignCounts = { duplicate: new Map<number, number>(), late: new Map<number, number>() };
  readonly #unsent: Record<UnsentWhy, number> = { gone: 0, unread: 0, stopped: 0, 'table-full': 0 };
  #isSealed = false;
  #isClosed = false;
  /** What `isComplete` found missing last, and how many sends of the shard were settled then. */
  #missing: Generator<readonly [number, number]> | undefined;
  #lacked: readonly [client: number, number: number] | undefined;
  #settledAtScan = -1;

  constructor(shape: BookShape) {
    this.#shape = shape;
    this.#table = shape.table;
    this.#declarations = new Declarations(shape.table, shape.clientCount);
    this.#memberships = new Memberships(shape.clientCount);
    this.#times = new MarkTimes({ ...shape, memberships: this.#memberships });
  }

  startAt(startAtNs: number): void {
    this.#times.startAt(startAtNs);
  }

  declare(sends: BegunSend): DeclaredSends {
    return this.#declarations.of(sends);
  }

  /** Enters a send before its message is made. Returns its number; undefined if the table is full or sealed. */
  begin(client: number, { group, name, isNameless, kind }: DeclaredSends): number | undefined {
    const isMeasured = (kind & markKind.unmeasured) === 0;
    if (isMeasured) this.#counts.declared++;
    if (this.#isSealed) {
      if (isMeasured) this.#unsent.stopped++;
      return undefined;
    }
    const row = this.#declarations.take(client);
    if (row === undefined) {
      if (isMeasured) this.#unsent['table-full']++;
      return undefined;
    }
    const table = this.#table;
    table.sender[row] = this.#shape.firstClient + client;
    table.group[row] = group;
    table.name[row] = name;
    if (isNameless) this.#counts.nameless++;
    table.kind[row] = kind;
    return table.numberAt(row);
  }

  sent(number: number, { intendedAtNs, sentAtNs, writtenAtNs }: SendTimes): void {
    const table = this.#table;
    const row = table.indexOf(number);
    table.intendedAtNs[row] = Math.min(intendedAtNs, sentAtNs);
    table.writtenAtNs[row] = writtenAtNs;
    table.sentAtNs[row] = sentAtNs;
    table.settled();
    if (this.isMeasured(row)) this.#counts.sent++;
  }

  unsent(number: number, why: Exclude<UnsentWhy, 'table-full'>): void {
    const row = this.#table.indexOf(number);
    this.#table.kind[row] = (this.#table.kind[row] as number) | markKind.unsent;
    this.#table.settled();
    if (this.isMeasured(row)) this.#unsent[why]++;
  }

  isMeasured(row: number): boolean {
    return ((this.#table.kind[row] as number) & markKind.unmeasured) === 0;
  }

  /** Takes back the last sends of each client that a target never read, of which `unsentOf` returns the number. */
  withdraw(unsentOf: (client: number) => number): void {
    const { firstClient, clientCount } = this.#shape;
    const table = this.#table;
    const left = Int32Array.from({ length: clientCount }, (_, client) => unsentOf(client));
    if (left.every((count) => count === 0)) return;
    for (let row = table.count - 1; row >= 0; row--) {
      const client = (table.sender[row] as number) - firstClient;
      if (!left[client] || table.sentAtNs[row] === 0) continue;
      left[client]--;
      table.sentAtNs[row] = 0;
      table.kind[row] = (table.kind[row] as number) | markKind.unsent;
      if (!this.isMeasured(row)) continue;
      this.#counts.sent--;
      this.#unsent.unread++;
    }
  }

  abandon(row: number): void {
    this.#missing = undefined;
    this.#table.kind[row] = (this.#table.kind[row] as number) | markKind.abandoned;
  }

  /** A stay begins when the target confirms it. What left since it was asked for may be owed or not. */
  join(client: number, group: string, askedNs: number, joinedNs: number): Membership {
    this.#missing = undefined;
    return this.#memberships.join(client, this.#declarations.hashOf(group), askedNs, joinedNs);
  }

  leave(membership: Membership, leftNs: number): void {
    this.#missing = undefined;
    this.#memberships.leave(membership, leftNs);
  }

  /** Takes marks that the engine found. Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    const table = this.#table;
    const counts = this.#counts;
    const { arrived, clientCount, firstClient, leftAtNs } = this.#shape;
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
      else if (this.#isClosed || (kind & markKind.abandoned) !== 0 || !this.#bits.add(client, number)) {
        const why = this.#bits.has(client, number) ? 'duplicate' : 'late';
        const foreign = this.#foreignCounts[why];
        if (row < 0) foreign.set(number, (foreign.get(number) ?? 0) + 1);
        else if (this.isMeasured(row)) counts[why]++;
      } else {
        counts.received++;
        const isDelivery = row < 0 || (table.group[row] !== 0 && (!isOwn || (kind & markKind.toAll) !== 0));
        if (isAnswer || isDelivery) arrived?.(client, row, isAnswer, batch, n);
        if (row < 0 || (kind & markKind.unmeasured) !== 0) continue;
        const sender = (table.sender[row] as number) - firstClient;
        const isOurs = sender >= 0 && sender < clientCount;
        if (leftAtNs && isOurs && table.writtenAtNs[row] === 0) table.writtenAtNs[row] = leftAtNs(sender);
        if (isAnswer) this.#times.answer(row, batch, n);
        if (isDelivery) this.#times.delivery(client, row, batch, n);
      }
    }
  }

  learn(sends: SendColumns): void {
    const isKnown = this.#foreign.some(({ first }) => first === sends.first);
    // The driver sends a log again if it got no answer.
    if (!isKnown) this.#foreign.push(sends);
  }

  seal(): void {
    this.#isSealed = true;
  }

  get isSettled(): boolean {
    return this.#counts.declared === this.#counts.sent + this.#unsentCount;
  }

  /** Returns true if nothing owed or awaited is missing. Groups also need the sends of all other shards. */
  isComplete(): boolean {
    if (!this.isSettled || (this.#unlearned > 0 && this.#memberships.count > 0)) return false;
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

  binsOf(family: 'delivery' | 'answer'): Uint32Array {
    return this.#times.binsOf(family);
  }

  report() {
    // What was handed over and never reported ended with the run.
    this.#unsent.stopped += this.#counts.declared - this.#counts.sent - this.#unsentCount;
    const { timed, clockFaults, samples, series } = this.#times.report();
    const { owingByName, lostByName, stray, unclear, unknown, missing, ...judged } = judgeMarks(this.#received);
    // `received` of a run counts all messages of its clients.
    const { received: _, ...counts } = this.#counts;
    const { duplicate, late } = this.#foreignCounts;
    // A number that no shard sent, if all are known.
    const isStray = this.#unlearned === 0;
    return {
      counts: {
        ...counts,
        ...judged,
        attempted: counts.sent,
        unsent: this.#unsentCount,
        duplicate: counts.duplicate + countMeasured(this.#foreign, duplicate),
        late: counts.late + countMeasured(this.#foreign, late),
        stray: counts.stray + stray + (isStray ? unknown : 0),
        unclear: unclear + (isStray ? 0 : unknown),
        unlearned: this.#unlearned,
        untimed: Math.max(0, judged.delivered - timed),
        clockFaults,
      },
      causes: { unsent: { ...this.#unsent }, owingByName, lostByName },
      samples,
      series: { ...series, missing },
    };
  }

  get #unsentCount(): number {
    const { gone, unread, stopped, 'table-full': full } = this.#unsent;
    return gone + unread + stopped + full;
  }

  get #unlearned(): number {
    return this.#shape.slice.of - 1 - this.#foreign.length;
  }

  get #received(): Received {
    const { firstClient, clientCount, isThere } = this.#shape;
    const [table, foreign, memberships, bits] = [this.#table, this.#foreign, this.#memberships, this.#bits];
    return { table, foreign, memberships, bits, times: this.#times, firstClient, clientCount, isThere };
  }
}
