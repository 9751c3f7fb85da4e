import type { Cause, DeliveryBatch, SendBatch, TlsLeg, WireSink } from '../../src/wire/wire.js';

/** One delivery as a batch told it. */
export interface RecordedDelivery {
  client: number;
  sequence: number;
  receivedAtNs: number;
  notBeforeNs: number;
  flags: number;
}

/** What became of a send that was handed over ahead, as a batch told it. */
export interface RecordedSend {
  client: number;
  token: number;
  sentAtNs: number;
  writtenAtNs: number;
  fate: number;
  /** How many deliveries were told before. */
  after: number;
}

/** A sink for tests: keeps all that an engine tells and wakes who waits for it. */
export class WireRecorder implements WireSink {
  /** All but deliveries, in order: `opened 3 proto`, `text 3 …`, `binary 3 …` (hex), `pong 3 …`, `closed 3 cause …`. */
  readonly events: string[] = [];
  /** Codes and reasons of the targets' close frames, in the order of the ends. */
  readonly goodbyes: { client: number; code: number; reason: string }[] = [];
  readonly openTimes: { client: number; tcpNs: number; upgradeNs: number; tls: TlsLeg | undefined }[] = [];
  readonly seen: RecordedDelivery[] = [];
  readonly sent: RecordedSend[] = [];
  private readonly waiters: { isTrue: () => boolean; resolve: () => void }[] = [];

  opened(
    client: number,
    tcpNs: number,
    upgradeNs: number,
    subprotocol: string,
    _tcpLeastNs: number,
    tls?: TlsLeg,
  ): void {
    this.openTimes.push({ client, tcpNs, upgradeNs, tls });
    this.note(`opened ${client} ${subprotocol}`.trimEnd());
  }

  message(client: number, bytes: Uint8Array, isBinary: boolean): void {
    this.note(`${isBinary ? 'binary' : 'text'} ${client} ${Buffer.from(bytes).toString(isBinary ? 'hex' : 'utf8')}`);
  }

  pong(client: number, payload: Uint8Array): void {
    this.note(`pong ${client} ${Buffer.from(payload)}`);
  }

  deliveries(batch: DeliveryBatch): void {
    for (let i = 0; i < batch.count; i++) {
      this.seen.push({
        client: batch.client[i]!,
        sequence: batch.sequence[i]!,
        receivedAtNs: batch.receivedAtNs[i]!,
        notBeforeNs: batch.notBeforeNs[i]!,
        flags: batch.flags[i]!,
      });
    }
    this.wake();
  }

  sends(batch: SendBatch): void {
    for (let i = 0; i < batch.count; i++) {
      this.sent.push({
        client: batch.client[i]!,
        token: batch.token[i]!,
        sentAtNs: batch.sentAtNs[i]!,
        writtenAtNs: batch.writtenAtNs[i]!,
        fate: batch.fate[i]!,
        after: this.seen.length,
      });
    }
    this.wake();
  }

  closed(client: number, cause: Cause, wasOpen: boolean, code: number, reason: string): void {
    this.goodbyes.push({ client, code, reason });
    this.note(`closed ${client} ${cause} ${wasOpen}`);
  }

  /** Resolves once `isTrue`, looked at after every event. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.waiters.push({ isTrue, resolve });
      this.wake();
    });
  }

  /** Resolves once `event` was told `times` times. */
  untilEvent(event: string, times = 1): Promise<void> {
    return this.until(() => this.events.filter((one) => one === event).length >= times);
  }

  private note(event: string): void {
    this.events.push(event);
    this.wake();
  }

  /** Looks again at what is awaited. */
  wake(): void {
    for (const waiter of this.waiters.splice(0)) {
      if (waiter.isTrue()) waiter.resolve();
      else this.waiters.push(waiter);
    }
  }
}
