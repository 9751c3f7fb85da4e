import { createHash } from 'node:crypto';
import { blockSize, type MarkTable } from '../../../measure/samples/mark-table.js';

/** Gives numbers to the sends of one worker, in blocks per client. */
export class MarkNumbers {
  readonly #table: MarkTable;
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
}

/** Returns a group's name as a whole number of 53 bits, which is never 0. */
export function hashOf(group: string): number {
  const bits = createHash('sha256').update(group).digest().readBigUInt64LE() >> 11n;
  return Number(bits) || 1;
}
