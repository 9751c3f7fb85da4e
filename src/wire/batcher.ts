import { type Turns, turns as turnsOfThread } from './turns.js';
import { type DeliveryBatch, deliveryFlag } from './wire.js';

/** Gathers the deliveries of a turn and bounds how long they can have waited. Allocates nothing per delivery. */
export class DeliveryBatcher {
  /** Number of deliveries handed over, without those of a turn that has not ended. */
  handedOver = 0;
  private readonly batch: DeliveryBatch;
  /** Kept in an array, as a double passed from call to call may be boxed for each delivery. */
  private readonly stampedNs = new Float64Array(1);
  private readonly notBeforeNs = new Float64Array(1);
  private isInTurn = false;

  constructor(
    private readonly onBatch: (batch: DeliveryBatch) => void,
    private readonly capacity: number,
    private readonly turns: Turns = turnsOfThread,
  ) {
    this.batch = {
      count: 0,
      client: new Int32Array(capacity),
      sequence: new Int32Array(capacity),
      receivedAtNs: new Float64Array(capacity),
      notBeforeNs: new Float64Array(capacity),
      flags: new Uint8Array(capacity),
    };
  }

  /** Stamps the deliveries that follow. Call it once per socket read or library callback, before parsing. */
  stamp(): void {
    this.stampedNs[0] = this.turns.loop.nowNs();
    if (!this.isInTurn) this.beginTurn();
  }

  get lastStampNs(): number {
    return this.stampedNs[0]!;
  }

  /** Records one delivery at the last stamp; `flags` are bits of `deliveryFlag`. */
  add(client: number, sequence: number, flags: number): void {
    const batch = this.batch;
    const index = batch.count;
    batch.client[index] = client;
    batch.sequence[index] = sequence;
    batch.receivedAtNs[index] = this.stampedNs[0]!;
    batch.notBeforeNs[index] = this.notBeforeNs[0]!;
    batch.flags[index] = flags | deliveryFlag.unstamped;
    batch.count = index + 1;
    if (batch.count === this.capacity) this.flush();
  }

  flush(): void {
    if (this.batch.count === 0) return;
    this.onBatch(this.batch);
    this.handedOver += this.batch.count;
    this.batch.count = 0;
  }

  discard(): void {
    this.batch.count = 0;
  }

  private beginTurn(): void {
    this.isInTurn = true;
    this.turns.begin();
    this.notBeforeNs[0] = this.turns.readableFromNs;
    this.turns.whenEnded(this.endTurn);
  }

  private readonly endTurn = (): void => {
    this.flush();
    this.isInTurn = false;
  };
}
