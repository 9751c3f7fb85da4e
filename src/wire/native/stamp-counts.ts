import { type DeliveryBatch, deliveryFlag } from '../wire.js';

/** Counts what is handed over by the kind of its stamp. */
export class StampCounts {
  exact = 0;
  bracketed = 0;
  unstamped = 0;

  count({ count, flags, receivedAtNs, notBeforeNs }: DeliveryBatch): void {
    let [exact, unstamped] = [0, 0];
    for (let i = 0; i < count; i++) {
      if ((flags[i] as number) & deliveryFlag.unstamped) unstamped++;
      else if (receivedAtNs[i] === notBeforeNs[i]) exact++;
    }
    this.exact += exact;
    this.unstamped += unstamped;
    this.bracketed += count - exact - unstamped;
  }
}
