import { Blocks, binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import type { Recorder, StampTable } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';

/** Holds one bit for every pair of a client of a worker and a broadcast of the run. */
export class Seen {
  readonly #stride: number;
  readonly #bits: Uint8Array;

  constructor(clients: number, broadcasts: number) {
    this.#stride = Math.ceil(broadcasts / 8);
    this.#bits = new Uint8Array(clients * this.#stride);
  }

  has(client: number, broadcast: number): boolean {
    return ((this.#bits[client * this.#stride + (broadcast >>> 3)] as number) & (1 << (broadcast & 7))) !== 0;
  }

  mark(client: number, broadcast: number): void {
    const at = client * this.#stride + (broadcast >>> 3);
    this.#bits[at] = (this.#bits[at] as number) | (1 << (broadcast & 7));
  }
}

/** Holds when each send was scheduled, began and had left, in nanoseconds; 0 before that, or if unknown. */
export type SendStamps = Pick<StampTable, 'intendedAtNs' | 'sentAtNs' | 'writtenAtNs'>;

/** Holds between which two instants each message arrived. */
export type ArrivalStamps = Pick<DeliveryBatch, 'receivedAtNs' | 'notBeforeNs'>;

/** Holds the stamps of one send. */
export type SendTimes = Record<keyof SendStamps, number>;

/**
 * Returns the shortest time that a delivery can have taken, in microseconds. It runs from when its send had surely left
 * to when its frame can have been readable. A send still being written, or written at an unknown time, bounds nothing.
 */
export function atLeastUs(notBeforeNs: number, writtenAtNs: number): number {
  return writtenAtNs > 0 ? Math.max(0, notBeforeNs - writtenAtNs) / 1000 : 0;
}

/** Times the deliveries of one worker, or its answers: from the send, from the schedule, and at least. */
export class DeliveryTimes {
  readonly #stamps: SendStamps;
  readonly #metric: string;
  readonly #recorders: Record<'sent' | 'intended' | 'least', Recorder>;
  readonly #blocks: Record<'sent' | 'intended' | 'least', Blocks>;
  readonly bins = new Uint32Array(binsPerBlock);

  /** `metric`: name of the times from the send. The names of the others begin with it. */
  constructor(stamps: SendStamps, units: number, recorder: () => Recorder, metric = 'delivery') {
    this.#stamps = stamps;
    this.#metric = metric;
    this.#recorders = recordersOf(recorder, 'sent', 'intended', 'least');
    const blocks = (): Blocks => new Blocks(units);
    this.#blocks = { sent: blocks(), intended: blocks(), least: blocks() };
  }

  /**
   * Times delivery `index` of a batch by its send and its block's unit. A replayed one goes into `replayed` only.
   * Returns false if the stamps contradict each other. It reads doubles itself, because arguments may be boxed.
   */
  record(send: number, unit: number, batch: ArrivalStamps, index: number, replayed?: Recorder): boolean {
    const receivedAtNs = batch.receivedAtNs[index] as number;
    const stamps = this.#stamps;
    const sentAtNs = stamps.sentAtNs[send] as number;
    if (sentAtNs === 0 || receivedAtNs < sentAtNs) return false;
    const us = (receivedAtNs - sentAtNs) / 1000;
    if (replayed) {
      replayed.record(us);
      return true;
    }
    const fromIntendedUs = (receivedAtNs - (stamps.intendedAtNs[send] as number)) / 1000;
    this.#recorders.sent.record(us);
    const bin = this.#blocks.sent.record(unit, us);
    this.bins[bin] = (this.bins[bin] as number) + 1;
    this.#recorders.intended.record(fromIntendedUs);
    this.#blocks.intended.record(unit, fromIntendedUs);
    const leastUs = atLeastUs(batch.notBeforeNs[index] as number, stamps.writtenAtNs[send] as number);
    this.#recorders.least.record(leastUs);
    this.#blocks.least.record(unit, leastUs);
    return true;
  }

  report() {
    const names = { sent: this.#metric, intended: `${this.#metric}FromIntended`, least: `${this.#metric}AtLeast` };
    const ways = ['sent', 'intended', 'least'] as const;
    return {
      samples: Object.fromEntries(ways.map((way) => [names[way], this.#recorders[way].finish()])),
      series: Object.fromEntries(ways.map((way) => [blocksOf(names[way]), this.#blocks[way].finish()])),
    };
  }
}

export function recordersOf<N extends string>(recorder: () => Recorder, ...names: readonly N[]): Record<N, Recorder> {
  return Object.fromEntries(names.map((name) => [name, recorder()])) as Record<N, Recorder>;
}

export function finished<N extends string>(recorders: Record<N, Recorder>): Record<N, Samples> {
  const each = Object.entries<Recorder>(recorders);
  return Object.fromEntries(each.map(([name, recorder]) => [name, recorder.finish()])) as Record<N, Samples>;
}

const bucketNs = 1e9;

/** Counts events per second since a start, so that those of several workers and shards add up second by second. */
export class Timeline {
  readonly #buckets = new Map<string, number[]>();

  constructor(private readonly startNs: number) {}

  /** Returns the second, from 0, of an instant. Earlier instants count in the first. */
  secondOf(nowNs: number): number {
    return Math.max(0, Math.floor((nowNs - this.startNs) / bucketNs));
  }

  count(name: string, nowNs: number, events = 1): void {
    const second = this.secondOf(nowNs);
    const buckets = this.#buckets.get(name) ?? [];
    this.#buckets.set(name, buckets);
    while (buckets.length <= second) buckets.push(0);
    buckets[second] = (buckets[second] as number) + events;
  }

  report(): Record<string, number[]> {
    return Object.fromEntries(this.#buckets);
  }
}
