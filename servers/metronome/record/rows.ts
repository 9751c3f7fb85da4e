const chunkRows = 65_536;

/** What was done to a delivery, as bits. */
export const deed = { written: 1, dropped: 2, duplicated: 4, reordered: 8 } as const;

/** One chunk of columns: 17 bytes a row. Times in whole microseconds. */
interface Chunk {
  broadcast: Uint32Array;
  connection: Uint32Array;
  askedUs: Uint32Array;
  doneUs: Uint32Array;
  deeds: Uint8Array;
}

/** A row as a reader sees it; the same object for every row. */
export interface Row {
  broadcast: number;
  connection: number;
  askedUs: number;
  doneUs: number;
  deeds: number;
}

/** One row for each delivery, up to a bound, in columns that grow without being copied. */
export class Rows {
  readonly #most: number;
  readonly #chunks: Chunk[] = [];
  #count = 0;
  #refused = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Deliveries that found no row. */
  get refused(): number {
    return this.#refused;
  }

  /** A new row, or -1 once the bound is reached. */
  add(broadcast: number, connection: number): number {
    if (this.#count >= this.#most) {
      this.#refused++;
      return -1;
    }
    const row = this.#count++;
    const at = row % chunkRows;
    if (at === 0) this.#chunks.push(newChunk());
    const chunk = this.#chunks.at(-1) as Chunk;
    chunk.broadcast[at] = broadcast;
    chunk.connection[at] = connection;
    return row;
  }

  /** Adds a deed to a row; -1 is none. */
  mark(row: number, bit: number): void {
    if (row < 0) return;
    const { deeds } = this.#chunks[Math.floor(row / chunkRows)] as Chunk;
    deeds[row % chunkRows] = (deeds[row % chunkRows] as number) | bit;
  }

  /** Marks a row as written, with its delays in nanoseconds, floored to whole microseconds; -1 is none. */
  write(row: number, askedNs: number, doneNs: number): void {
    if (row < 0) return;
    const chunk = this.#chunks[Math.floor(row / chunkRows)] as Chunk;
    chunk.askedUs[row % chunkRows] = askedNs / 1000;
    chunk.doneUs[row % chunkRows] = doneNs / 1000;
    this.mark(row, deed.written);
  }

  /** Visits every row, in the order of their making. */
  each(visit: (row: Row) => void): void {
    const row: Row = { broadcast: 0, connection: 0, askedUs: 0, doneUs: 0, deeds: 0 };
    for (let index = 0; index < this.#count; index++) {
      const chunk = this.#chunks[Math.floor(index / chunkRows)] as Chunk;
      const at = index % chunkRows;
      row.broadcast = chunk.broadcast[at] as number;
      row.connection = chunk.connection[at] as number;
      row.askedUs = chunk.askedUs[at] as number;
      row.doneUs = chunk.doneUs[at] as number;
      row.deeds = chunk.deeds[at] as number;
      visit(row);
    }
  }
}

function newChunk(): Chunk {
  return {
    broadcast: new Uint32Array(chunkRows),
    connection: new Uint32Array(chunkRows),
    askedUs: new Uint32Array(chunkRows),
    doneUs: new Uint32Array(chunkRows),
    deeds: new Uint8Array(chunkRows),
  };
}
