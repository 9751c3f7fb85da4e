import { hostNs } from '../../src/measure/rig/clock.js';
import { Recorder } from '../../src/measure/samples/recorder.js';
import type { Samples } from '../../src/measure/samples/samples.js';
import {
  type MetronomeConnections,
  type MetronomeRecord,
  type RecordedBroadcast,
  recordedCounts,
} from '../../src/targets/metronome/record.js';

/** Names the faults that a connection remembers by sequence number. */
const faults = ['dropped', 'duplicated', 'reordered'] as const;

export interface RecordedPublish extends Omit<RecordedBroadcast, 'receivedAtNs' | 'pending'> {
  /** In nanoseconds of `nowNs()`. */
  readAtNs: number;
  /** Position in the list, or -1 once that is full. */
  readonly index: number;
}

/** Identifies a connection by its index in the order of upgrades. */
export interface RecordedPeer {
  readonly index: number;
  readonly peer: string;
  readonly streams: ReadonlySet<string>;
  readonly isOpen: boolean;
}

/** Selects broadcasts from a sequence number on, of one stream or of all. */
export interface Choice {
  from: number;
  stream: string | undefined;
}

/** Bounds the record. Deliveries take up to 71 MB, and each broadcast a few hundred bytes. */
const defaultBounds = { broadcasts: 100_000, deliveries: 4 * 1024 * 1024 };

const noCounts = Object.fromEntries(recordedCounts.map((key) => [key, 0])) as Record<
  (typeof recordedCounts)[number],
  number
>;

/** Counts each fault and delivery where it happens, so the record shows what happened, not what was ordered. */
export class DeliveryRecord {
  readonly #entries: RecordedPublish[] = [];
  readonly #rows: Rows;
  readonly #peers: RecordedPeer[] = [];
  #unlisted = 0;
  #refusedConnections = 0;

  constructor(private readonly bounds = defaultBounds) {
    this.#rows = new Rows(bounds.deliveries);
  }

  published(sequence: number, stream: string, readAtNs: number, status: 201 | 503): RecordedPublish {
    const isListed = this.#entries.length < this.bounds.broadcasts;
    const { pending: _pending, ...counts } = noCounts;
    const entry: RecordedPublish = {
      ...{ index: isListed ? this.#entries.length : -1, sequence, stream, status, ...counts },
      readAtNs,
    };
    if (isListed) this.#entries.push(entry);
    else this.#unlisted++;
    return entry;
  }

  /** Counts a delivery as owed. Returns its row. */
  owed(entry: RecordedPublish, connection: number): number {
    entry.owed++;
    return entry.index < 0 ? -1 : this.#rows.add(entry.index, connection);
  }

  did(fault: (typeof faults)[number], entry: RecordedPublish, row: number): void {
    entry[fault]++;
    this.#rows.mark(row, treatment[fault]);
  }

  /** Records that a whole first copy was written. Delays are in nanoseconds since the publish was read. */
  delivered(entry: RecordedPublish, row: number, askedNs: number, doneNs: number): void {
    entry.delivered++;
    this.#rows.write(row, askedNs, doneNs);
  }

  connected(peer: RecordedPeer): void {
    this.#peers.push(peer);
  }

  refusedConnection(): void {
    this.#refusedConnections++;
  }

  summary(choice: Choice): MetronomeRecord {
    const chosen = this.#entries.filter((entry) => isChosen(entry, choice));
    const broadcasts = chosen.map(({ index: _index, readAtNs, ...entry }) => ({
      ...entry,
      receivedAtNs: hostNs(readAtNs),
      pending: entry.owed - entry.delivered - entry.dropped - entry.gone,
    }));
    const sums = recordedCounts.map((key) => [key, broadcasts.reduce((total, each) => total + each[key], 0)] as const);
    const taken = broadcasts.filter(({ status }) => status === 201).length;
    return {
      totals: {
        broadcasts: taken,
        ...(Object.fromEntries(sums) as typeof noCounts),
        refusedPublishes: broadcasts.length - taken,
        refusedConnections: this.#refusedConnections,
        isWhole: this.#unlisted === 0 && this.#rows.refused === 0,
      },
      broadcasts,
    };
  }

  samples(choice: Choice, which: 'asked' | 'done'): Samples {
    const recorder = new Recorder();
    this.#each(choice, (row) => {
      if (row.deeds & treatment.written) recorder.record(which === 'asked' ? row.askedUs : row.doneUs);
    });
    return recorder.finish();
  }

  /** Returns pairs of sequence number and done delay in microseconds, one for each written first copy. */
  writes(choice: Choice): Uint32Array {
    const pairs: number[] = [];
    this.#each(choice, ({ broadcast, doneUs, deeds }) => {
      const sequence = this.#entries[broadcast]?.sequence;
      if (deeds & treatment.written && sequence !== undefined) pairs.push(sequence, doneUs);
    });
    return Uint32Array.from(pairs);
  }

  connections(choice: Choice): MetronomeConnections {
    const list: MetronomeConnections = this.#peers.map(({ index, peer, streams, isOpen }) => {
      return { index, peer, isOpen, streams: [...streams], dropped: [], duplicated: [], reordered: [] };
    });
    this.#each(choice, ({ broadcast, connection, deeds }) => {
      const one = list[connection];
      const sequence = this.#entries[broadcast]?.sequence;
      if (one === undefined || sequence === undefined) return;
      for (const fault of faults) if (deeds & treatment[fault]) one[fault].push(sequence);
    });
    return list;
  }

  #each(choice: Choice, visit: (row: RecordRow) => void): void {
    const isIn = this.#entries.map((entry) => isChosen(entry, choice));
    this.#rows.each((row) => {
      if (isIn[row.broadcast]) visit(row);
    });
  }
}

function isChosen({ sequence, stream }: RecordedPublish, choice: Choice): boolean {
  return sequence >= choice.from && (choice.stream === undefined || stream === choice.stream);
}

/** Holds the outcome of a delivery as bits. */
export const treatment = { written: 1, dropped: 2, duplicated: 4, reordered: 8 } as const;

/** A row for a reader. All rows reuse the same object. Times are in whole microseconds. */
export type RecordRow = Record<'broadcast' | 'connection' | 'askedUs' | 'doneUs' | 'deeds', number>;

/** Holds one row of 17 bytes for each delivery, at most `most`. Memory of a row is resident once it is written. */
export class Rows {
  readonly #columns;
  #count = 0;
  refused = 0;

  constructor(private readonly most: number) {
    this.#columns = {
      broadcast: new Uint32Array(most),
      connection: new Uint32Array(most),
      askedUs: new Uint32Array(most),
      doneUs: new Uint32Array(most),
      deeds: new Uint8Array(most),
    };
  }

  /** Adds a row. Returns its number, or -1 beyond the bound. */
  add(broadcast: number, connection: number): number {
    if (this.#count >= this.most) {
      this.refused++;
      return -1;
    }
    this.#columns.broadcast[this.#count] = broadcast;
    this.#columns.connection[this.#count] = connection;
    return this.#count++;
  }

  mark(row: number, bit: number): void {
    if (row >= 0) this.#columns.deeds[row]! |= bit;
  }

  /** Marks a row as written unless it is -1. Delays are in nanoseconds and rounded down to microseconds. */
  write(row: number, askedNs: number, doneNs: number): void {
    if (row < 0) return;
    this.#columns.askedUs[row] = askedNs / 1000;
    this.#columns.doneUs[row] = doneNs / 1000;
    this.mark(row, treatment.written);
  }

  each(visit: (row: RecordRow) => void): void {
    const row: RecordRow = { broadcast: 0, connection: 0, askedUs: 0, doneUs: 0, deeds: 0 };
    const columns = Object.keys(row) as (keyof RecordRow)[];
    for (let index = 0; index < this.#count; index++) {
      for (const column of columns) row[column] = this.#columns[column][index]!;
      visit(row);
    }
  }
}
