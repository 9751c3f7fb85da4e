import { causeOf, causeOfNumber, type SocketError } from '../causes.js';
import { SequenceScan } from '../frames/frame-receiver.js';
import { closeCode } from '../frames/masked-frame.js';
import { Replies } from '../replies.js';
import { turns } from '../turns.js';
import type { Cause, DeliveryBatch, DropMode, Engine, EngineStats, SendBatch, WireSetup, WireSink } from '../wire.js';
import { dropMode, eventFlag, type NativeAddon, sendKind } from './addon.js';
import { type EventRing, StampCounts } from './layout.js';
import { NativeLegs } from './legs.js';
import { batchOf, type Candidate, type Candidates, RawFrames, type RawReader } from './raw-frames.js';
import { nativeSetup, TargetAddresses } from './setup.js';
import { Threads, type ThreadsReader } from './threads.js';
import { Upgrades } from './upgrades.js';

const state = { free: 0, connecting: 1, open: 2 } as const;

/** The engine in C, with connections on its own threads. Needs an address without TLS. */
export class NativeEngine implements Engine, ThreadsReader, RawReader {
  readonly #addon: NativeAddon;
  readonly #scan: SequenceScan;
  readonly #addresses: TargetAddresses;
  readonly #upgrades: Upgrades;
  readonly #raw: RawFrames;
  readonly #replies: Replies;
  readonly #legs: NativeLegs;
  readonly #stamps = new StampCounts();
  readonly #state: Uint8Array;
  /** Distinguishes a client's connection from its earlier ones. */
  readonly #generation: Uint32Array;
  #threads: Threads | undefined;
  /** Clients that wait for the address of their target. */
  #asked: number[] = [];
  #isDisposed = false;
  #statsAtEnd: EngineStats | undefined;
  /** Collects the deliveries in the raw bytes that are being read. */
  #candidates: Candidates | undefined;
  /** Clients whose heartbeats or pings in raw bytes were answered here. */
  readonly #answered = new Set<number>();

  /** `addon` is the module that `ringside-native` loads. Throws for a wrong address, header or scan rule. */
  constructor(
    addon: unknown,
    private readonly wire: WireSetup,
    private readonly sink: WireSink,
  ) {
    this.#addon = addon as NativeAddon;
    this.#scan = new SequenceScan(wire.scan);
    this.#addresses = new TargetAddresses(wire.url);
    this.#upgrades = new Upgrades(wire);
    this.#raw = new RawFrames(this.#scan, this);
    this.#replies = new Replies(wire.replies);
    this.#legs = new NativeLegs(wire.capacity, (client) => this.leftAtNs(client));
    this.#state = new Uint8Array(wire.capacity);
    this.#generation = new Uint32Array(wire.capacity);
    const { literal } = this.#addresses;
    if (literal !== undefined) this.#start([literal]);
  }

  #start(targets: readonly string[]): Threads {
    const setup = nativeSetup(this.wire, this.sink, targets);
    this.#threads = new Threads(this.#addon, setup, this.wire.capacity, this);
    return this.#threads;
  }

  open(client: number): void {
    if (this.#isDisposed || this.#state[client] !== state.free)
      throw new RangeError(`client ${client} is open already, or out of range`);
    this.#state[client] = state.connecting;
    this.#generation[client]!++;
    this.#legs.began(client);
    if (this.#threads !== undefined) this.#dial(this.#threads, client);
    else if (this.#asked.push(client) === 1) this.#resolve();
  }

  #dial({ commands }: Threads, client: number): void {
    commands.open(client, this.#generation[client]!, this.#upgrades.request(client));
  }

  #resolve(): void {
    this.#addresses.resolve(
      (addresses) => {
        if (this.#isDisposed) return;
        const threads = this.#start(addresses);
        for (const client of this.#asked.splice(0)) this.#dial(threads, client);
      },
      (error) => {
        for (const client of this.#asked.splice(0)) this.#end(client, causeOf(error as SocketError, false, false));
      },
    );
  }

  send(client: number, message: string | Uint8Array, isData = false): boolean {
    return this.#send(client, message, isData ? sendKind.data : sendKind.talk);
  }

  #send(client: number, message: string | Uint8Array, kind: number): boolean {
    if (this.#threads === undefined || this.#state[client] !== state.open) return false;
    return this.#threads.commands.send(client, this.#generation[client]!, message, kind);
  }

  ping(client: number, payload: Uint8Array): void {
    this.#send(client, payload, sendKind.ping);
  }

  sendAt(client: number, message: string | Uint8Array, dueNs: number, token: number): boolean {
    if (this.#threads === undefined || this.#state[client] !== state.open) return false;
    return this.#threads.posted.post(client, this.#generation[client]!, message, dueNs, token);
  }

  leastNs(client: number): number {
    return this.#legs.sumNs(client);
  }

  arrivedAtNs(client: number): number {
    return this.#legs.arrivedAtNs(client);
  }

  notBeforeNs(): number {
    return this.#legs.notBeforeNs;
  }

  leftAtNs(client: number): number {
    return this.#threads === undefined ? Number.POSITIVE_INFINITY : this.#threads.accounts.leftAtNs(client);
  }

  unsent(client: number): number {
    return this.#threads === undefined ? 0 : this.#threads.accounts.unsent(client);
  }

  drop(client: number, mode: DropMode, cause: Cause = 'ours'): void {
    if (this.#isDisposed || !this.#state[client]) return;
    if (this.#threads === undefined) this.#asked = this.#asked.filter((asked) => asked !== client);
    this.over(client, dropMode[mode], closeCode.normal, cause);
  }

  over(client: number, mode: number, code: number, cause: Cause): void {
    this.#threads?.commands.drop(client, mode, code);
    this.#end(client, cause);
  }

  /** Ends a client's connection. The id is free before the sink is notified, as the sink may open it again. */
  #end(client: number, cause: Cause): void {
    const wasOpen = this.#state[client] === state.open;
    this.#state[client] = state.free;
    this.#raw.forget(client);
    this.#answered.delete(client);
    this.sink.closed(client, cause, wasOpen);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#statsAtEnd = this.stats();
    this.#isDisposed = true;
    this.#state.fill(state.free);
    this.#asked = [];
    this.#raw.stop();
    this.#threads?.dispose();
    this.#threads = undefined;
  }

  /** Returns the figures so far. A disposed engine returns those at its end. */
  stats(): EngineStats {
    if (this.#statsAtEnd !== undefined) return this.#statsAtEnd;
    const { exact, bracketed, unstamped } = this.#stamps;
    const idle = { reads: 0, clockSteps: 0, loops: 0, cpuNs: 0, coreWaitNs: 0 };
    return { ...(this.#threads?.stats() ?? idle), exact, bracketed, unstamped };
  }

  woke(): void {
    turns.woke();
  }

  isListening(): boolean {
    return !this.#isDisposed;
  }

  #isOf(events: EventRing, at: number): boolean {
    const client = events.client[at]!;
    return this.#state[client] !== state.free && events.generation[at] === this.#generation[client];
  }

  opened(events: EventRing, at: number, arena: Buffer, start: number, end: number): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at]!;
    const answer = this.#upgrades.judge(client, arena, start, end);
    if (!answer.isAccepted) {
      this.sink.turnedAway?.(client, arena.subarray(start, end));
      this.over(client, dropMode.shut, 0, answer.cause);
      return;
    }
    this.#threads?.accounts.judge(client, 1);
    this.#state[client] = state.open;
    const [startedNs, arrivedNs] = [events.a[at]!, events.b[at]!];
    this.#legs.opened(client, events.e[at]!, arrivedNs);
    const [tcpNs, tcpLeastNs] = [events.c[at]!, events.d[at]!];
    this.sink.opened(client, tcpNs, arrivedNs - startedNs, answer.subprotocol, tcpLeastNs);
  }

  raw(events: EventRing, at: number, arena: Buffer, start: number, end: number, candidates: Candidates): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at]!;
    this.#candidates = candidates;
    const isSound = this.#raw.take(events, at, arena, start, end);
    if (!isSound || !this.#isOf(events, at)) return;
    const judged = events.d[at]!;
    // A command keeps the order: the thread first sends the answers from here, then answers by itself again.
    if (this.#answered.has(client)) this.#threads?.commands.trust(client, events.generation[at]!, judged);
    else this.#threads?.accounts.judge(client, judged);
  }

  found(candidate: Candidate, bytes: Buffer, start: number, end: number): void {
    if (this.#scan.isAcknowledgement(bytes, start, end)) {
      this.acknowledgements(batchOf([candidate]));
      return;
    }
    this.#candidates?.add(candidate);
    this.position(candidate.client, bytes, start, end);
  }

  talk(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean): void {
    this.#tell(events, at, (client) => this.sink.message(client, bytes, isBinary));
  }

  ponged(events: EventRing, at: number, payload: Uint8Array): void {
    this.#tell(events, at, (client) => this.sink.pong?.(client, payload));
  }

  #tell(events: EventRing, at: number, told: (client: number) => void): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at]!;
    const [notBeforeNs, arrivedNs, leftNs] = [events.a[at], events.b[at], events.c[at]] as [number, number, number];
    this.#legs.took(client, notBeforeNs, leftNs, arrivedNs);
    told(client);
    this.#legs.handled(client);
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
    this.#send(client, message, kind);
  }

  position(client: number, bytes: Buffer, start: number, end: number): void {
    this.sink.position?.(client, bytes, start, end);
  }

  closed(events: EventRing, at: number): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at]!;
    const error = events.a[at]!;
    const isOpen = this.#state[client] === state.open;
    const cause = error === 0 ? 'end-of-stream' : causeOfNumber(Math.abs(error), error < 0, isOpen);
    if (events.flags[at]! & eventFlag.held) this.over(client, dropMode.shut, 0, cause);
    else this.#end(client, cause);
  }

  deliveries(batch: DeliveryBatch): void {
    this.#stamps.count(batch);
    this.#legs.begin(batch);
    this.sink.deliveries(batch);
    this.#legs.end();
  }

  acknowledgements(batch: DeliveryBatch): void {
    this.#stamps.count(batch);
    this.sink.acknowledgements?.(batch);
  }

  sends(batch: SendBatch): void {
    this.sink.sends?.(batch);
  }
}
