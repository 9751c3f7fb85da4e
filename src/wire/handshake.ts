import { behindInterim, endOfHead, largestHeadBytes } from '../units/http.js';
import { proxyCause } from './causes.js';
import { type AcceptedHead, acceptFor, type Offer, randomKey, type UpgradeAnswer } from './upgrade.js';
import type { Cause, TlsLeg } from './wire.js';

/** Holds what a connection needs until its WebSocket is open. Times are in nanoseconds. */
export class Handshake {
  /** Durations of establishing TCP: the whole, and the part that is at least the target's. */
  tcpNs = 0;
  tcpLeastNs = 0;
  tls: TlsLeg | undefined;
  private readonly key = randomKey();
  /** First part of the answer, if a read brought only a part. */
  private head: Buffer | null = null;

  constructor(
    readonly startedAtNs: number,
    private readonly offer: Offer,
    private readonly acceptedHead: AcceptedHead,
  ) {}

  /** TLS was established at `nowNs`. `leastNs` of TCP and TLS is at least the target's. */
  shaken(nowNs: number, leastNs: number): void {
    this.tls = { tookNs: nowNs - this.startedAtNs - this.tcpNs, leastNs: leastNs - this.tcpLeastNs };
  }

  /** Takes a read of a proxy's answer. Returns undefined until its head is whole, then why it refuses, or nothing. */
  takeOfProxy(read: Buffer): { refusal: Cause | undefined } | undefined {
    const answer = this.head === null ? read : Buffer.concat([this.head, read]);
    const isWhole = answer.includes(endOfHead) || answer.length > largestHeadBytes;
    this.head = isWhole ? null : Buffer.from(answer);
    return isWhole ? { refusal: proxyCause(answer) } : undefined;
  }

  get request(): string {
    return `${this.offer.beforeKey}${this.key}${endOfHead}`;
  }

  /**
   * Takes the read `buffer[0, length)`. Returns undefined until the head is whole. `bytes` are all of the answer, with
   * what follows its head from `end` on.
   */
  take(buffer: Buffer, length: number): { answer: UpgradeAnswer; bytes: Buffer; end: number } | undefined {
    const { acceptedHead, offer } = this;
    const accept = acceptFor(this.key);
    const read = buffer.subarray(0, length);
    const acceptedBytes = this.head === null ? acceptedHead.lengthIn(read, length, accept, offer.subprotocols) : 0;
    if (acceptedBytes > 0) return { answer: acceptedHead, bytes: read, end: acceptedBytes };
    const bytes = behindInterim(this.head === null ? read : Buffer.concat([this.head, read]));
    const taken = acceptedHead.answerIn(bytes, accept, offer.subprotocols);
    if (taken === undefined) this.head = bytes.length === 0 ? null : Buffer.from(bytes);
    return taken && { ...taken, bytes };
  }
}
