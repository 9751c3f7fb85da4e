import { causeOfNumber, proxyCause } from '../causes.js';
import type { Inflaters } from '../deflate.js';
import { closeCode } from '../frames/masked-frame.js';
import type { SequenceScan } from '../frames/sequence-scan.js';
import { Replies } from '../replies.js';
import { Handshakes, tlsCause } from '../tls.js';
import { turns } from '../turns.js';
import type { Upgrades } from '../upgrade.js';
import type { Cause, DeliveryBatch, SendBatch, TlsLeg, WireSetup, WireSink } from '../wire.js';
import { dropMode, eventFlag, sendKind } from './addon.js';
import type { ClientStates, NativeLegs } from './clients.js';
import { type EventRing, StampCounts } from './layout.js';
import { batchOf, type Candidate, type Candidates, RawFrames, type RawReader } from './raw-frames.js';
import type { Threads, ThreadsReader } from './threads.js';

/** The engine, as its reports see it. */
export interface ReportsOwner {
  readonly clients: ClientStates;
  readonly threads: Threads | undefined;
  readonly isDisposed: boolean;
  say(client: number, message: string | Uint8Array, kind: number): boolean;
  /** Drops the client's connection with this close code, 0 for none. */
  over(client: number, mode: number, code: number, cause: Cause): void;
  /** Ends a client's connection, which its thread has left. */
  ended(client: number, cause: Cause, code?: number, reason?: string): void;
}

/** Takes the reports of an engine's threads, judges what they leave to JavaScript, and hands all to the sink. */
export class Reports implements ThreadsReader, RawReader {
  readonly stamps = new StampCounts();
  readonly handshakes = new Handshakes();
  /** The handshake of the connection that the next event opens. */
  #tls: TlsLeg | undefined;
  readonly #raw: RawFrames;
  readonly #replies: Replies;
  /** Collects the deliveries in the raw bytes that are being read. */
  #candidates: Candidates | undefined;
  /** Clients whose heartbeats or pings in raw bytes were answered here. */
  readonly #answered = new Set<number>();

  constructor(
    setup: WireSetup,
    private readonly sink: WireSink,
    private readonly scan: SequenceScan,
    private readonly upgrades: Upgrades,
    private readonly legs: NativeLegs,
    private readonly owner: ReportsOwner,
    private readonly inflaters?: Inflaters,
  ) {
    this.#raw = new RawFrames(scan, this, inflaters);
    this.#replies = new Replies(setup.replies);
  }

  /** Frees the state of a client whose connection ended. */
  forget(client: number): void {
    this.#raw.forget(client);
    this.inflaters?.forget(client);
    this.#answered.delete(client);
  }

  stop(): void {
    this.#raw.stop();
    this.inflaters?.stop();
  }

  woke(): void {
    turns.woke();
  }

  isListening(): boolean {
    return !this.owner.isDisposed;
  }

  #isOf(events: EventRing, at: number): boolean {
    return this.owner.clients.isOf(events, at);
  }

  shaken(events: EventRing, at: number, version: Buffer): void {
    this.#tls = { tookNs: events.a[at]!, leastNs: events.b[at]! };
    this.handshakes.count(version.toString('latin1'), (events.flags[at]! & eventFlag.resumed) !== 0);
  }

  opened(events: EventRing, at: number, arena: Buffer, start: number, end: number): void {
    const tls = this.#tls;
    this.#tls = undefined;
    if (!this.#isOf(events, at)) return;
    const client = events.client[at]!;
    const answer = this.upgrades.judge(client, arena, start, end);
    if (!answer.isAccepted) {
      this.sink.turnedAway?.(client, arena.subarray(start, end));
      this.owner.over(client, dropMode.shut, 0, answer.cause);
      return;
    }
    this.inflaters?.opened(client, answer.compression);
    this.owner.threads?.accounts.judge(client, 1);
    this.owner.clients.opened(client);
    const [startedNs, arrivedNs] = [events.a[at]!, events.b[at]!];
    this.legs.opened(client, events.e[at]!, arrivedNs);
    const [tcpNs, tcpLeastNs] = [events.c[at]!, events.d[at]!];
    this.sink.opened(client, tcpNs, arrivedNs - startedNs, answer.subprotocol, tcpLeastNs, tls);
  }

  raw(events: EventRing, at: number, arena: Buffer, start: number, end: number, candidates: Candidates): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at]!;
    this.#candidates = candidates;
    const isSound = this.#raw.take(events, at, arena, start, end);
    if (!isSound || !this.#isOf(events, at)) return;
    const judged = events.d[at]!;
    const { threads } = this.owner;
    // A command keeps the order: the thread first sends the answers from here, then answers by itself again.
    if (this.#answered.has(client)) threads?.commands.trust(client, events.generation[at]!, judged);
    else threads?.accounts.judge(client, judged);
  }

  found(candidate: Candidate, bytes: Buffer, start: number, end: number, isBinary: boolean): void {
    if (this.scan.isAcknowledgement(bytes, start, end)) {
      this.acknowledgements(batchOf([candidate]));
      return;
    }
    this.#candidates?.add(candidate);
    this.position(candidate.client, bytes, start, end);
    if (this.sink.delivery === undefined) return;
    this.legs.brought(candidate.notBeforeNs, candidate.receivedAtNs);
    this.sink.delivery(candidate.client, bytes.subarray(start, end), isBinary);
  }

  delivered(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean): void {
    if (!this.#isOf(events, at)) return;
    this.legs.brought(events.a[at]!, events.b[at]!);
    this.sink.delivery?.(events.client[at]!, bytes, isBinary);
  }

  talk(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean): void {
    if (!this.#isOf(events, at)) return;
    const client = this.#took(events, at);
    this.sink.message(client, bytes, isBinary);
    this.legs.handled(client);
  }

  ponged(events: EventRing, at: number, payload: Uint8Array): void {
    if (!this.#isOf(events, at)) return;
    const client = this.#took(events, at);
    this.sink.pong?.(client, payload);
    this.legs.handled(client);
  }

  #took(events: EventRing, at: number): number {
    const client = events.client[at]!;
    this.legs.took(client, events.a[at]!, events.c[at]!, events.b[at]!);
    return client;
  }

  replied(client: number, text: Uint8Array): boolean {
    const reply = this.#replies.to(text);
    if (reply?.send !== undefined) this.#answer(client, reply.send, sendKind.talk);
    return reply !== undefined;
  }

  pinged(client: number, payload: Uint8Array): void {
    this.#answer(client, payload, sendKind.pong);
  }

  #answer(client: number, message: string | Uint8Array, kind: number): void {
    this.#answered.add(client);
    this.owner.say(client, message, kind);
  }

  position(client: number, bytes: Buffer, start: number, end: number): void {
    this.sink.position?.(client, bytes, start, end);
  }

  goodbye(client: number, code: number, reason: string): void {
    this.owner.threads?.commands.drop(client, dropMode.close, code === closeCode.none ? 0 : code);
    this.owner.ended(client, this.#causeOf(client, `close-code:${code}`), code, reason);
  }

  over(client: number, mode: number, code: number, cause: Cause): void {
    this.owner.over(client, mode, code, cause);
  }

  closed(events: EventRing, at: number, reason: Buffer): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at]!;
    const [error, verdict] = [events.a[at]!, events.b[at]!];
    const isOpen = this.owner.clients.isEstablished(client);
    const isOfTls = verdict !== 0 || reason.length > 0;
    const ofSystem = error === 0 ? 'end-of-stream' : causeOfNumber(Math.abs(error), error < 0, isOpen);
    const theirs = isOfTls ? tlsCause(verdict, reason.toString('latin1')) : ofSystem;
    const cause = this.#causeOf(client, events.c[at] === 1 ? (proxyCause(reason) ?? 'proxy:status line') : theirs);
    if (events.flags[at]! & eventFlag.held) this.owner.over(client, dropMode.shut, 0, cause);
    else this.owner.ended(client, cause);
  }

  /** Returns the cause of an end by the target. After our close frame, that is as we wished. */
  #causeOf(client: number, cause: Cause): Cause {
    return this.owner.clients.isClosing(client) ? 'ours' : cause;
  }

  deliveries(batch: DeliveryBatch): void {
    this.stamps.count(batch);
    this.legs.begin(batch);
    this.sink.deliveries(batch);
    this.legs.end();
  }

  acknowledgements(batch: DeliveryBatch): void {
    this.stamps.count(batch);
    this.sink.acknowledgements?.(batch);
  }

  sends(batch: SendBatch): void {
    this.sink.sends?.(batch);
  }
}
