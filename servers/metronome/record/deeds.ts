import { hostNs } from '../../../src/measure/rig/clock.js';
import { createRecorder } from '../../../src/measure/samples/recorder.js';
import type { Samples } from '../../../src/measure/samples/samples.js';
import type {
  MetronomeConnections,
  MetronomeRecord,
  RecordedBroadcast,
} from '../../../src/targets/metronome/record.js';
import type { Read } from '../timing/reads.js';
import { deed, type Row, Rows } from './rows.js';

/** One publish and what became of it. */
export interface Entry extends Omit<RecordedBroadcast, 'receivedAtNs' | 'pending'> {
  /** On the clock of `nowNs()`. */
  readAtNs: number;
  /** Its place in the list, or -1 once that is full. */
  readonly index: number;
}

/** Who a connection is, in the order of upgrades. */
export interface Peer {
  readonly index: number;
  readonly peer: string;
  readonly streams: ReadonlySet<string>;
  readonly isOpen: boolean;
}

/** Which broadcasts are asked for: those from a sequence number on, of one stream or of all. */
export interface Choice {
  from: number;
  stream: string | undefined;
}

/** How much is kept: 71 MB of deliveries, and of broadcasts a few hundred bytes each. */
const defaultBounds = { broadcasts: 100_000, deliveries: 4 * 1024 * 1024 };

/** What the metronome did to whom. Every count is made where the thing is done, so that the record is what happened, not what was meant. */
export class Deeds {
  readonly #bounds: typeof defaultBounds;
  readonly #entries: Entry[] = [];
  readonly #rows: Rows;
  readonly #peers: Peer[] = [];
  #unlisted = 0;
  #refusedConnections = 0;

  constructor(bounds = defaultBounds) {
    this.#bounds = bounds;
    this.#rows = new Rows(bounds.deliveries);
  }

  published(sequence: number, stream: string, read: Read, status: 201 | 503): Entry {
    const isListed = this.#entries.length < this.#bounds.broadcasts;
    const entry: Entry = {
      index: isListed ? this.#entries.length : -1,
      sequence,
      stream,
      readAtNs: read.atNs,
      unreadAtMostNs: Math.max(0, Math.round(read.atNs - read.readableFromNs)),
      status,
      owed: 0,
      delivered: 0,
      dropped: 0,
      gone: 0,
      duplicated: 0,
      reordered: 0,
      unswapped: 0,
      trickled: 0,
      backlogged: 0,
    };
    if (isListed) this.#entries.push(entry);
    else this.#unlisted++;
    return entry;
  }

  /** Counts a delivery as owed; gives its row. */
  owed(entry: Entry, connection: number): number {
    entry.owed++;
    return entry.index < 0 ? -1 : this.#rows.add(entry.index, connection);
  }

  dropped(entry: Entry, row: number): void {
    entry.dropped++;
    this.#rows.mark(row, deed.dropped);
  }

  /** A first copy was written, all of it. Delays in nanoseconds since the publish was read. */
  delivered(entry: Entry, row: number, askedNs: number, doneNs: number): void {
    entry.delivered++;
    this.#rows.write(row, askedNs, doneNs);
  }

  duplicated(entry: Entry, row: number): void {
    entry.duplicated++;
    this.#rows.mark(row, deed.duplicated);
  }

  reordered(entry: Entry, row: number): void {
    entry.reordered++;
    this.#rows.mark(row, deed.reordered);
  }

  connected(peer: Peer): void {
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
    const sum = (key: Exclude<keyof RecordedBroadcast, 'stream'>) =>
      broadcasts.reduce((total, each) => total + each[key], 0);
    const isTaken = ({ status }: RecordedBroadcast) => status === 201;
    return {
      totals: {
        broadcasts: broadcasts.filter(isTaken).length,
        owed: sum('owed'),
        delivered: sum('delivered'),
        dropped: sum('dropped'),
        gone: sum('gone'),
        pending: sum('pending'),
        duplicated: sum('duplicated'),
        reordered: sum('reordered'),
        unswapped: sum('unswapped'),
        trickled: sum('trickled'),
        backlogged: sum('backlogged'),
        refusedPublishes: broadcasts.filter((each) => !isTaken(each)).length,
        refusedConnections: this.#refusedConnections,
        isWhole: this.#unlisted === 0 && this.#rows.refused === 0,
      },
      broadcasts,
    };
  }

  /** The delays of all first copies that were written. */
  samples(choice: Choice, which: 'asked' | 'done'): Samples {
    const recorder = createRecorder();
    this.#each(choice, (row) => {
      if (row.deeds & deed.written) recorder.record(which === 'asked' ? row.askedUs : row.doneUs);
    });
    return recorder.finish();
  }

  /** Sequence number and done delay in microseconds of each first copy that was written, one pair behind the other. */
  writes(choice: Choice): Uint32Array {
    const pairs: number[] = [];
    this.#each(choice, ({ broadcast, doneUs, deeds }) => {
      const sequence = this.#entries[broadcast]?.sequence;
      if (deeds & deed.written && sequence !== undefined) pairs.push(sequence, doneUs);
    });
    return Uint32Array.from(pairs);
  }

  connections(choice: Choice): MetronomeConnections {
    const list = this.#peers.map(({ index, peer, streams, isOpen }) => {
      const [dropped, duplicated, reordered]: [number[], number[], number[]] = [[], [], []];
      return { index, peer, isOpen, streams: [...streams], dropped, duplicated, reordered };
    });
    this.#each(choice, ({ broadcast, connection, deeds }) => {
      const one = list[connection];
      const sequence = this.#entries[broadcast]?.sequence;
      if (one === undefined || sequence === undefined) return;
      if (deeds & deed.dropped) one.dropped.push(sequence);
      if (deeds & deed.duplicated) one.duplicated.push(sequence);
      if (deeds & deed.reordered) one.reordered.push(sequence);
    });
    return list;
  }

  #each(choice: Choice, visit: (row: Row) => void): void {
    const isIn = this.#entries.map((entry) => isChosen(entry, choice));
    this.#rows.each((row) => {
      if (isIn[row.broadcast]) visit(row);
    });
  }
}

function isChosen({ sequence, stream }: Entry, choice: Choice): boolean {
  return sequence >= choice.from && (choice.stream === undefined || stream === choice.stream);
}
