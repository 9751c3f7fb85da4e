import type { SendBatch } from '../../protocols/protocol.js';
import type { Connections } from '../roles/connections.js';
import type { AudienceContext } from '../scenario.js';
import { RateMeter } from '../sends/rates.js';
import { Sends } from '../sends/sends.js';
import type { EchoBook } from './book.js';
import type { EchoOptions } from './options.js';
import { firstSend } from './proofs.js';
import type { RoundTrips } from './times.js';

const nothing = -1;

/** What one worker's clients send, from its entry in the book on, and what of it is awaited. */
export class EchoSends {
  readonly rates = { offered: new RateMeter(), achieved: new RateMeter() };
  readonly #sends: Sends;
  readonly #isOpenLoop: boolean;
  /** The sequence number of what the book has as number 0. */
  readonly #first: number;
  /** Of each client, how many are under way or awaited, and the last of them. */
  readonly #awaited: Int32Array;
  readonly #last: Int32Array;
  readonly #unsent = { gone: 0, unread: 0 };

  constructor(
    context: AudienceContext<EchoOptions>,
    private readonly book: EchoBook,
    private readonly times: RoundTrips,
    private readonly connections: () => Connections,
  ) {
    const { clientCount, nowNs } = context;
    this.#first = firstSend(clientCount);
    this.#isOpenLoop = context.options.loop === 'open';
    this.#awaited = new Int32Array(clientCount);
    this.#last = new Int32Array(clientCount).fill(nothing);
    this.#sends = new Sends(nowNs, {
      say: (clients, client, sequence, dueNs) => clients.echo?.(client, sequence, dueNs),
      sent: (_client, sequence, sentAtNs, writtenAtNs) => this.#sent(sequence - this.#first, sentAtNs, writtenAtNs),
      unsent: (client, sequence, why) => this.#notSent(client, sequence - this.#first, why),
    });
  }

  /** What an engine tells of sends that were handed over ahead. */
  take(batch: SendBatch): void {
    this.#sends.take(batch);
  }

  get isSettled(): boolean {
    return this.#sends.isSettled;
  }

  now(client: number, unit: number, intendedAtNs: number): void {
    const number = this.#enter(client, unit, intendedAtNs);
    this.#sends.now(this.connections().clients, client, this.#first + number);
  }

  /** Whether the send is taken, to leave at its instant. */
  ahead(client: number, unit: number, dueNs: number): boolean {
    const number = this.#enter(client, unit, dueNs);
    const isTaken = this.#sends.ahead(this.connections().clients, client, this.#first + number, dueNs);
    if (!isTaken) this.#leaveOut(client, number);
    return isTaken;
  }

  /** A send that was due of a client that is not there. */
  missed(unit: number): void {
    if (unit >= 0) this.#unsent.gone++;
  }

  #enter(client: number, unit: number, intendedAtNs: number): number {
    const number = this.book.enter(client, unit, intendedAtNs);
    this.#last[client] = number;
    this.#awaited[client] = this.awaitedOf(client) + 1;
    return number;
  }

  #leaveOut(client: number, number: number): void {
    this.book.unsent(number);
    this.answered(client);
  }

  #sent(number: number, sentAtNs: number, writtenAtNs: number): void {
    this.book.sent(number, sentAtNs, writtenAtNs);
    if (this.book.unit(number) < 0) return;
    const { intendedAtNs } = this.book.stamps(number);
    this.rates.offered.count(intendedAtNs);
    if (this.#isOpenLoop) this.times.sent(intendedAtNs, sentAtNs);
    this.rates.achieved.count(sentAtNs);
    this.connections().timeline.count('sent', sentAtNs);
  }

  #notSent(client: number, number: number, why: 'gone' | 'unread'): void {
    this.#leaveOut(client, number);
    if (this.book.unit(number) >= 0) this.#unsent[why]++;
  }

  awaitedOf(client: number): number {
    return this.#awaited[client] as number;
  }

  answered(client: number): void {
    this.#awaited[client] = this.awaitedOf(client) - 1;
  }

  isAwaited(isThere: (client: number) => boolean): boolean {
    return this.#awaited.some((awaited, client) => awaited > 0 && isThere(client));
  }

  /** Gives up what a client of a closed loop awaits, if that was sent before then. False without. */
  abandonBefore(client: number, sentBeforeNs: number): boolean {
    const last = this.#last[client] as number;
    if (this.#awaited[client] === 0 || this.book.sentAtNs(last) > sentBeforeNs) return false;
    this.book.abandon(last);
    this.#awaited[client] = 0;
    return true;
  }

  /** Sends that did not leave, by cause. What a target never read is taken back from the book. */
  unsent(): Record<'gone' | 'unread', number> {
    const { clients } = this.connections();
    this.book.withdraw(Int32Array.from(this.#last, (_, client) => clients?.unsent?.(client) ?? 0));
    return { ...this.#unsent, unread: this.#unsent.unread + this.book.withdrawn };
  }
}
