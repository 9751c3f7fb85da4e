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

/** Holds the outcome of a delivery as bits. */
const treatment = { written: 1, dropped: 2, duplicated: 4, reordered: 8 } as const;

/** Counts each fault and delivery where it happens, so the record shows what happened, not what was ordered. */
export class DeliveryRecord {
  readonly #entries: RecordedPublish[] = [];
  /** One row of 17 bytes for each delivery. Memory of a row is resident once it is written. */
  readonly #rows;
  readonly #peers: RecordedPeer[] = [];
  #count = 0;
  #isWhole = true;
  #refusedConnections = 0;

  constructor(private readonly bounds = defaultBounds) {
    const { deliveries } = bounds;
    this.#rows = {
      broadcast: new Uint32Array(deliveries),
      connection: new Uint32Array(deliveries),
      askedUs: new Uint32Array(deliveries),
      doneUs: new Uint32Array(deliveries),
      deeds: new Uint8Array(deliveries),
    };
  }

  published(sequence: number, stream: string, readAtNs: number, status: 201 | 503): RecordedPublish {
    const isListed = this.#entries.length < this.bounds.broadcasts;
    const { pending: _pending, ...counts } = noCounts;
    const entry: RecordedPublish = {
      ...{ index: isListed ? this.#entries.length : -1, sequence, stream, status, ...counts },
      readAtNs,
    };
    if (isListed) this.#entries.push(entry);
    else this.#isWhole = false;
    return entry;
  }

  /** Counts a delivery as owed. Returns its row, or -1 beyond the bounds. */
  owed(entry: RecordedPublish, connection: number): number {
    entry.owed++;
    if (entry.index < 0) return -1;
    if (this.#count >= this.bounds.deliveries) {
      this.#isWhole = false;
      return -1;
    }
    this.#rows.broadcast[this.#count] = entry.index;
    this.#rows.connection[this.#count] = connection;
    return this.#count++;
  }

  did(fault: (typeof faults)[number], entry: RecordedPublish, row: number): void {
    entry[fault]++;
    this.#mark(row, treatment[fault]);
  }

  /** Records that a whole first copy was written. Delays are in nanoseconds since the publish was read. */
  delivered(entry: RecordedPublish, row: number, askedNs: number, doneNs: number): void {
    entry.delivered++;
    if (row < 0) return;
    // Rounded down.
    this.#rows.askedUs[row] = askedNs / 1000;
    this.#rows.doneUs[row] = doneNs / 1000;
    this.#mark(row, treatment.written);
  }

  #mark(row: number, bit: number): void {
    if (row >= 0) this.#rows.deeds[row]! |= bit;
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
        isWhole: this.#isWhole,
      },
      broadcasts,
    };
  }

  samples(choice: Choice, which: 'asked' | 'done'): Samples {
    const recorder = new Recorder();
    const column = this.#rows[`${which}Us`];
    this.#each(choice, (row, deeds) => {
      if (deeds & treatment.written) recorder.record(column[row]!);
    });
    return recorder.finish();
  }

  /** Returns pairs of sequence number and done delay in microseconds, one for each written first copy. */
  writes(choice: Choice): Uint32Array {
    const pairs: number[] = [];
    this.#each(choice, (row, deeds, { sequence }) => {
      if (deeds & treatment.written) pairs.push(sequence, this.#rows.doneUs[row]!);
    });
    return Uint32Array.from(pairs);
  }

  connections(choice: Choice): MetronomeConnections {
    const list: MetronomeConnections = this.#peers.map(({ index, peer, streams, isOpen }) => {
      return { index, peer, isOpen, streams: [...streams], dropped: [], duplicated: [], reordered: [] };
    });
    this.#each(choice, (row, deeds, { sequence }) => {
      const one = list[this.#rows.connection[row]!]!;
      for (const fault of faults) if (deeds & treatment[fault]) one[fault].push(sequence);
    });
    return list;
  }

  #each(choice: Choice, visit: (row: number, deeds: number, entry: RecordedPublish) => void): void {
    const isIn = this.#entries.map((entry) => isChosen(entry, choice));
    for (let row = 0; row < this.#count; row++) {
      const broadcast = this.#rows.broadcast[row]!;
      if (isIn[broadcast]) visit(row, this.#rows.deeds[row]!, this.#entries[broadcast]!);
    }
  }
}

function isChosen({ sequence, stream }: RecordedPublish, choice: Choice): boolean {
  return sequence >= choice.from && (choice.stream === undefined || stream === choice.stream);
}
