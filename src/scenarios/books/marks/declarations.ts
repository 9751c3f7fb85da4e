import { createHash } from 'node:crypto';
import { partName } from '../../../measure/metric-names.js';
import { blockSize, type MarkTable, markKind } from '../../../measure/samples/mark-table.js';
import type { ArrivalStamps } from '../../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../../protocols/protocol.js';

/** Returns a group's name as a whole number of 53 bits, which is never 0. */
export function hashOf(group: string): number {
  const bits = createHash('sha256').update(group).digest().readBigUInt64LE() >> 11n;
  return Number(bits) || 1;
}

/** What declared sends owe. `isAnswered`: a mark comes back to its sender once. No figure has unmeasured ones. */
export interface BegunSend {
  name?: string;
  owed?: { group: string; isToAll: boolean } | undefined;
  isAnswered: boolean;
  isUnmeasured?: boolean;
}

/** What the table holds of each of such sends. */
export interface DeclaredSends {
  group: number;
  name: number;
  isNameless: boolean;
  kind: number;
}

/** Looks up the names and groups of schedules, once for all sends of each, and gives rows to sends. */
export class Declarations {
  readonly #table: MarkTable;
  readonly #hashes = new Map<string, number>();
  readonly #names = new Map<string, number>();
  /** By client, the row after its last one. At the end of a block it takes a further block. */
  readonly #next: Int32Array;

  constructor(table: MarkTable, clientCount: number) {
    this.#table = table;
    this.#next = new Int32Array(clientCount);
  }

  /** Returns the row of a new send of the client; undefined if the table is full. */
  take(client: number): number | undefined {
    const next = this.#next[client] as number;
    const row = next % blockSize === 0 ? this.#table.takeBlock() : next;
    if (row !== undefined) this.#next[client] = row + 1;
    return row;
  }

  of({ name, owed, isAnswered, isUnmeasured }: BegunSend): DeclaredSends {
    const index = name === undefined ? 0 : this.#indexOfName(name);
    const toAll = owed?.isToAll ? markKind.toAll : 0;
    const answered = isAnswered ? markKind.answered : 0;
    return {
      group: owed ? this.hashOf(owed.group) : 0,
      name: index,
      isNameless: name !== undefined && index === 0,
      kind: markKind.begun | toAll | answered | (isUnmeasured ? markKind.unmeasured : 0),
    };
  }

  hashOf(group: string): number {
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

/** Slices of the load by the intended instant of a send, for figures over time and their intervals. */
export interface Slices {
  count: number;
  /** Left out if the slices begin at instants of their own. */
  everyNs?: number;
  /** When each slice begins, in nanoseconds after the start of the load. */
  beginNs?: Float64Array;
}

export type Family = 'delivery' | 'answer';

/** What others see of the arrivals of a book. Clients have their numbers within the worker. */
export interface BookHooks {
  /** Called for the first arrival of each mark, before it is timed. `row` is -1 for one of another shard. */
  arrived?(client: number, row: number, isAnswer: boolean, batch: DeliveryBatch, index: number): void;
  /** Called for each arrival that is timed, with the row of its send. */
  timed?(family: Family, row: number, batch: ArrivalStamps, index: number): void;
}
