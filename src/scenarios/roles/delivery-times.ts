import { Blocks, binsPerBlock, blocksOf } from '../../measure/samples/blocks.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { finished, recordersOf } from './recorders.js';

/** How long deliveries of one worker took: from the send, from the schedule, and without the wait in the rig. */
export class DeliveryTimes {
  /** When each send left and was scheduled, in nanoseconds; 0 before it left. */
  readonly #sentAtNs: Float64Array;
  readonly #intendedAtNs: Float64Array;
  readonly #recorders: Record<'delivery' | 'deliveryFromIntended' | 'deliveryAtLeast', Recorder>;
  readonly #blocks: Record<'delivery' | 'deliveryFromIntended' | 'deliveryAtLeast', Blocks>;
  readonly bins = new Uint32Array(binsPerBlock);

  constructor(sentAtNs: Float64Array, intendedAtNs: Float64Array, units: number, recorder: () => Recorder) {
    this.#sentAtNs = sentAtNs;
    this.#intendedAtNs = intendedAtNs;
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
    const sentAtNs = this.#sentAtNs[send] as number;
    if (sentAtNs === 0 || receivedAtNs < sentAtNs) return false;
    const us = (receivedAtNs - sentAtNs) / 1000;
    if (replayed) {
      replayed.record(us);
      return true;
    }
    const fromIntendedUs = (receivedAtNs - (this.#intendedAtNs[send] as number)) / 1000;
    this.#recorders.delivery.record(us);
    const bin = this.#blocks.delivery.record(unit, us);
    this.bins[bin] = (this.bins[bin] as number) + 1;
    this.#recorders.deliveryFromIntended.record(fromIntendedUs);
    this.#blocks.deliveryFromIntended.record(unit, fromIntendedUs);
    const atLeastUs = Math.max(0, batch.readableFromNs - sentAtNs) / 1000;
    this.#recorders.deliveryAtLeast.record(atLeastUs);
    this.#blocks.deliveryAtLeast.record(unit, atLeastUs);
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
