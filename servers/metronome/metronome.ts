import { minPayloadBytes, type PayloadFormat, payloadFormat } from '../../src/measure/samples/payload.js';
import { drawAt } from '../../src/measure/stats/bootstrap.js';
import { delayAt, type Orders } from '../../src/targets/metronome/orders.js';
import type { Broadcast } from '../routes.js';
import { MetronomeConnection, Subscriptions, textFrame, type Wire } from './connection.js';
import { DeliveryRecord, type RecordedPublish } from './deeds.js';
import type { Dialect, DialectClient, Spoken } from './dialects/dialect.js';
import { type Loop, Pacer } from './pacer.js';

/** Holds the state of a stream. Streams are kept in the order of their first publishes. */
interface Stream {
  readonly index: number;
  asked: number;
  taken: number;
  /** Time at which its first broadcast was read. */
  sinceNs: number;
}

/** Fans broadcasts out with the ordered faults, and keeps the record. It handles no HTTP and no upgrades. */
export class Metronome {
  readonly deeds = new DeliveryRecord();
  readonly pacer: Pacer;
  readonly #audience = new Subscriptions<MetronomeConnection>();
  readonly #sequences = new SequenceReader();
  readonly #streams = new Map<string, Stream>();
  #upgrades = 0;
  #connections = 0;
  /** End of the last turn, if there is a limit. */
  #freeNs = 0;

  constructor(
    private readonly orders: Orders,
    private readonly dialect: Dialect,
    loop?: Loop,
  ) {
    this.pacer = new Pacer(orders.freeze, loop);
  }

  /** Returns true if an upgrade is to be answered with 503. Call it once for each upgrade. */
  refusesUpgrade(): boolean {
    const isRefused = this.#isDrawn('refuse', 0, this.#upgrades++);
    if (isRefused) this.deeds.refusedConnection();
    return isRefused;
  }

  connect(wire: Wire, peer: string, opened: Pick<DialectClient, 'subprotocol' | 'url' | 'end'>): MetronomeConnection {
    const connection = new MetronomeConnection({
      index: this.#connections++,
      peer,
      ...opened,
      wire,
      pacer: this.pacer,
      audience: this.#audience,
      deeds: this.deeds,
      publish: (broadcast, readAtNs) => this.publish(broadcast, readAtNs),
    });
    this.deeds.connected(connection);
    this.dialect.greet(connection);
    return connection;
  }

  hear(connection: MetronomeConnection, text: string | undefined): void {
    const readAtNs = this.pacer.nowNs();
    this.pacer.pass(() => {
      if (!connection.isOpen) return;
      connection.heardAtNs = readAtNs;
      this.dialect.hear(connection, text);
    });
  }

  /** Fans a broadcast out or refuses it. Returns the status to answer. Call it within `pacer.pass`. */
  publish(broadcast: Broadcast, readAtNs: number): 201 | 503 {
    const { stream } = broadcast;
    const count = this.#streams.get(stream) ?? { index: this.#streams.size, asked: 0, taken: 0, sinceNs: 0 };
    this.#streams.set(stream, count);
    const marked = this.#sequences.of(broadcast.data);
    const sequence = marked < 0 ? count.asked : marked;
    count.asked++;
    if (this.#isDrawn('refusePublish', 0, sequence)) {
      this.deeds.published(sequence, stream, readAtNs, 503);
      return 503;
    }
    if (count.taken === 0) {
      count.sinceNs = readAtNs;
      this.pacer.begin(readAtNs);
    }
    count.taken++;
    const entry = this.deeds.published(sequence, stream, readAtNs, 201);
    this.#fanOut({ ...broadcast, offset: count.taken }, entry, count);
    return 201;
  }

  #fanOut(spoken: Spoken, entry: RecordedPublish, stream: Stream): void {
    const { sequence } = entry;
    const frames = new Map<string, Buffer>();
    for (const { connection, form } of this.#audience.of(spoken.stream)) {
      const { index } = connection;
      const row = this.deeds.owed(entry, index);
      if (this.#isDrawn('drop', index, sequence)) {
        this.deeds.did('dropped', entry, row);
        continue;
      }
      let frame = frames.get(form);
      if (frame === undefined) {
        frame = textFrame(this.dialect.delivery(spoken, form));
        frames.set(form, frame);
      }
      const isTwice = this.#isDrawn('duplicate', index, sequence);
      const dueNs = this.#turnNs(entry, isTwice ? 2 : 1) + this.#delayMs(connection, entry, stream) * 1e6;
      connection.accept({ entry, row, frame, dueNs, isTwice }, this.#isDrawn('reorder', index, sequence));
    }
  }

  /** Returns when the turn of a delivery ends. All have one queue, in which each frame takes a share of a second. */
  #turnNs({ readAtNs }: RecordedPublish, frames: number): number {
    const { limit } = this.orders;
    if (limit === undefined) return readAtNs;
    this.#freeNs = Math.max(this.#freeNs, readAtNs) + (frames * 1e9) / limit;
    return this.#freeNs;
  }

  #delayMs({ index }: MetronomeConnection, { sequence, readAtNs }: RecordedPublish, stream: Stream): number {
    const { delay, delayPer, cold, driftMs, seed } = this.orders;
    const drawn = (): number => drawNumber(seed, 'delay', delayPer === 'broadcast' ? stream.index : index, sequence);
    const usualMs = delay.kind === 'constant' ? delay.ms : delayAt(delay, drawn());
    const coldMs = cold && sequence < cold.broadcasts ? cold.byMs : 0;
    return usualMs + coldMs + (driftMs * (readAtNs - stream.sinceNs)) / 1e9;
  }

  #isDrawn(subject: Exclude<Subject, 'delay'>, connection: number, broadcast: number): boolean {
    const share = this.orders[subject];
    return share > 0 && drawNumber(this.orders.seed, subject, connection, broadcast) < share;
  }
}

/** Each subject has its own draws, so that faults do not affect each other. */
const subjects = { delay: 1, drop: 2, duplicate: 3, reorder: 4, refuse: 5, refusePublish: 6 } as const;

export type Subject = keyof typeof subjects;

/** Returns a number in [0, 1) that depends only on these four values, not on the order of the calls. */
export function drawNumber(seed: number, subject: Subject, connection: number, broadcast: number): number {
  return drawAt(seed, subjects[subject], connection, broadcast);
}

const runIdIn = /ringside:([0-9a-f]{8}):/;

/** Reads the sequence numbers of broadcasts of any run. */
export class SequenceReader {
  #runId = '';
  #format: PayloadFormat | undefined;

  /** Returns the sequence number in the data of a broadcast, or -1 without a Ringside marker. */
  of(data: string): number {
    const runId = runIdIn.exec(data)?.[1];
    if (runId === undefined) return -1;
    if (this.#format === undefined || runId !== this.#runId) {
      this.#format = payloadFormat(runId, minPayloadBytes);
      this.#runId = runId;
    }
    return this.#format.sequenceOf(data);
  }
}
