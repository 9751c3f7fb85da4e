import { Blocks, binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import type { Board } from '../../measure/samples/board.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { finished, recordersOf } from './recorders.js';

/** When each send was scheduled, began and had left, in nanoseconds; 0 before that, or if unknown. */
export type SendStamps = Pick<Board, 'intendedAtNs' | 'sentAtNs' | 'writtenAtNs'>;

/** The stamps of one send. */
export type SendTimes = Record<keyof SendStamps, number>;

/**
 * The least that a delivery can have taken, in microseconds, from when its send had left for certain to when its frame
 * can have been readable. A send still being written, or written at an unknown time, bounds nothing.
 */
export function atLeastUs(notBeforeNs: number, writtenAtNs: number): number {
  return writtenAtNs > 0 ? Math.max(0, notBeforeNs - writtenAtNs) / 1000 : 0;
}

/** How long deliveries of one worker took: from the send, from the schedule, and at least. */
export class DeliveryTimes {
  readonly #stamps: SendStamps;
  readonly #recorders: Record<'delivery' | 'deliveryFromIntended' | 'deliveryAtLeast', Recorder>;
  readonly #blocks: Record<'delivery' | 'deliveryFromIntended' | 'deliveryAtLeast', Blocks>;
  readonly bins = new Uint32Array(binsPerBlock);

  constructor(stamps: SendStamps, units: number, recorder: () => Recorder) {
    this.#stamps = stamps;
    this.#recorders = recordersOf(recorder, 'delivery', 'deliveryFromIntended', 'deliveryAtLeast');
    const blocks = (): Blocks => new Blocks(units);
    this.#blocks = { delivery: blocks(), deliveryFromIntended: blocks(), deliveryAtLeast: blocks() };
  }

  /**
   * Times delivery `index` of a batch by its send and its block's unit; a replayed one only into that recorder. False
   * where the stamps contradict each other. It reads doubles itself, because arguments may be boxed.
   */
  record(send: number, unit: number, batch: DeliveryBatch, index: number, replayed?: Recorder): boolean {
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
    this.#recorders.delivery.record(us);
    const bin = this.#blocks.delivery.record(unit, us);
    this.bins[bin] = (this.bins[bin] as number) + 1;
    this.#recorders.deliveryFromIntended.record(fromIntendedUs);
    this.#blocks.deliveryFromIntended.record(unit, fromIntendedUs);
    const leastUs = atLeastUs(batch.notBeforeNs[index] as number, stamps.writtenAtNs[send] as number);
    this.#recorders.deliveryAtLeast.record(leastUs);
    this.#blocks.deliveryAtLeast.record(unit, leastUs);
    return true;
  }

  report() {
    return {
      samples: finished(this.#recorders),
      series: {
        [blocksOf('delivery')]: this.#blocks.delivery.finish(),
        [blocksOf('deliveryFromIntended')]: this.#blocks.deliveryFromIntended.finish(),
        [blocksOf('deliveryAtLeast')]: this.#blocks.deliveryAtLeast.finish(),
      },
    };
  }
}
