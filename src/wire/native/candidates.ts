import type { DeliveryBatch, ScanRule, WireSink } from '../wire.js';
import { deliveryShift, type EventRing } from './addon.js';

const capacity = 256;

/** Judges messages that may be deliveries, where their first bytes do not say so, and gathers those that are. */
export class Candidates {
  readonly #deliveries = newBatch();
  readonly #acknowledgements = newBatch();
  readonly #acknowledgement: Buffer;

  constructor(
    private readonly rule: ScanRule,
    private readonly sink: Pick<WireSink, 'deliveries' | 'acknowledgements'>,
  ) {
    this.#acknowledgement = Buffer.from(rule.acknowledgement ?? '');
  }

  /** Whether the message is a delivery or an acknowledgement, which `flush` hands over. */
  take(events: EventRing, at: number, bytes: Uint8Array): boolean {
    if (!this.rule.isDelivery?.(bytes, 0, bytes.length)) return false;
    const word = this.#acknowledgement;
    const isAcknowledgement =
      word.length > 0 && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(word);
    const batch = isAcknowledgement ? this.#acknowledgements : this.#deliveries;
    batch.client[batch.count] = events.client[at] as number;
    batch.sequence[batch.count] = events.d[at] as number;
    batch.notBeforeNs[batch.count] = events.a[at] as number;
    batch.receivedAtNs[batch.count] = events.b[at] as number;
    batch.flags[batch.count] = (events.flags[at] as number) >> deliveryShift;
    batch.count++;
    if (batch.count === capacity) this.flush();
    return !isAcknowledgement;
  }

  flush(): void {
    const [deliveries, acknowledgements] = [this.#deliveries, this.#acknowledgements];
    if (acknowledgements.count > 0) this.sink.acknowledgements?.(acknowledgements);
    if (deliveries.count > 0) this.sink.deliveries(deliveries);
    acknowledgements.count = 0;
    deliveries.count = 0;
  }
}

function newBatch(): DeliveryBatch {
  return {
    count: 0,
    client: new Int32Array(capacity),
    sequence: new Int32Array(capacity),
    receivedAtNs: new Float64Array(capacity),
    notBeforeNs: new Float64Array(capacity),
    flags: new Uint8Array(capacity),
  };
}
