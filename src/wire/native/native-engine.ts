import { causeOf, type SocketError } from '../causes.js';
import { Inflaters, inflated } from '../deflate.js';
import { closeAnswerTimeoutMs, Deadlines, firstHop } from '../dialer.js';
import { closeCode, closePayload } from '../frames/masked-frame.js';
import { SequenceScan } from '../frames/sequence-scan.js';
import { checkAuthority } from '../tls.js';
import { Upgrades } from '../upgrade.js';
import type { Cause, DropMode, Engine, EngineStats, OpenRequest, SendMessage, WireSetup, WireSink } from '../wire.js';
import { dropMode, type NativeAddon, nativeSetup, sendKind, TargetAddresses } from './addon.js';
import { ClientStates, NativeLegs } from './clients.js';
import { Reports, type ReportsOwner } from './reports.js';
import { Threads } from './threads.js';

/** The engine in C, with connections on its own threads. Over TLS it needs the OpenSSL of Node. */
export class NativeEngine implements Engine, ReportsOwner {
  readonly clients: ClientStates;
  isDisposed = false;
  readonly #addon: NativeAddon;
  readonly #addresses: TargetAddresses;
  readonly #upgrades: Upgrades;
  readonly #legs: NativeLegs;
  readonly #reports: Reports;
  readonly #inflaters: Inflaters | undefined;
  #threads: Threads | undefined;
  /** Clients that wait for the address of their target, and their requests. */
  readonly #asked = new Map<number, { identity: number; request: Uint8Array }>();
  /** Clients that we began to close, until the target's close frame. */
  readonly #closing = new Deadlines<number>(closeAnswerTimeoutMs, (client) => this.drop(client, 'reset'));
  #statsAtEnd: EngineStats | undefined;
  #heldUpAtEndNs: number | undefined;

  /** `addon` is the module that `ringside-native` loads. Throws for a wrong address, header or scan rule. */
  constructor(
    addon: unknown,
    private readonly wire: WireSetup,
    private readonly sink: WireSink,
  ) {
    this.#addon = addon as NativeAddon;
    checkAuthority(wire);
    this.#addresses = new TargetAddresses(firstHop(wire).host);
    this.#upgrades = new Upgrades(wire);
    this.#legs = new NativeLegs(wire.capacity, (client) => this.leftAtNs(client));
    this.clients = new ClientStates(wire.capacity);
    this.#inflaters = wire.compression && new Inflaters();
    this.#reports = new Reports(
      wire,
      sink,
      new SequenceScan(wire.scan),
      this.#upgrades,
      this.#legs,
      this,
      this.#inflaters,
    );
    const { literal } = this.#addresses;
    if (literal !== undefined) this.#start([literal]);
  }

  #start(targets: readonly string[]): Threads {
    const setup = nativeSetup(this.wire, this.sink, targets);
    this.#threads = new Threads(this.#addon, setup, this.wire.capacity, this.#reports);
    return this.#threads;
  }

  get threads(): Threads | undefined {
    return this.#threads;
  }

  open(client: number, own?: OpenRequest): void {
    const identity = own?.identity ?? client;
    if (this.isDisposed || !this.clients.isFree(client) || identity >= this.wire.capacity)
      throw new RangeError(`client ${client} is open already, or out of range`);
    const request = this.#upgrades.request(client, own);
    this.clients.connects(client);
    this.#legs.began(client);
    if (this.#threads !== undefined) this.#dial(this.#threads, client, identity, request);
    else if (this.#asked.set(client, { identity, request: Buffer.from(request) }).size === 1) this.#resolve();
  }

  #dial({ commands }: Threads, client: number, identity: number, request: Uint8Array): void {
    commands.open(client, this.clients.generation(client), identity, request);
  }

  #resolve(): void {
    this.#addresses.resolve(
      (addresses) => {
        if (this.isDisposed) return;
        const threads = this.#start(addresses);
        for (const [client, { identity, request }] of this.#asked) this.#dial(threads, client, identity, request);
        this.#asked.clear();
      },
      (error) => {
        const asked = [...this.#asked.keys()];
        this.#asked.clear();
        for (const client of asked) this.ended(client, causeOf(error as SocketError, false, false));
      },
    );
  }

  send(client: number, message: string | Uint8Array, isData = false): boolean {
    return this.say(client, message, isData ? sendKind.data : sendKind.talk);
  }

  say(client: number, message: string | Uint8Array, kind: number): boolean {
    if (this.#threads === undefined || !this.clients.isOpen(client)) return false;
    return this.#threads.commands.send(client, this.clients.generation(client), message, kind);
  }

  ping(client: number, payload: Uint8Array): void {
    this.say(client, payload, sendKind.ping);
  }

  sendAt(client: number, message: SendMessage, dueNs: number, token: number): boolean {
    if (this.#threads === undefined || !this.clients.isOpen(client)) return false;
    return this.#threads.posted.post(client, this.clients.generation(client), message, dueNs, token);
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

  readAtMost(client: number, bytes: number): void {
    if (this.clients.isEstablished(client))
      this.#threads?.commands.readAtMost(client, this.clients.generation(client), bytes);
  }

  buffered(client: number): number {
    return this.#threads === undefined ? 0 : this.#threads.accounts.buffered(client);
  }

  unsent(client: number): number {
    return this.#threads === undefined ? 0 : this.#threads.accounts.unsent(client);
  }

  close(client: number, code: number, reason: string): void {
    if (this.clients.isConnecting(client)) this.drop(client, 'reset');
    if (!this.clients.isOpen(client)) return;
    this.say(client, closePayload(code, reason), sendKind.close);
    this.clients.closes(client);
    this.#closing.add(client);
  }

  drop(client: number, mode: DropMode, cause: Cause = 'ours'): void {
    if (this.isDisposed || !(this.clients.isConnecting(client) || this.clients.isEstablished(client))) return;
    this.#asked.delete(client);
    this.over(client, dropMode[mode], closeCode.normal, cause);
  }

  over(client: number, mode: number, code: number, cause: Cause): void {
    this.#threads?.commands.drop(client, mode, code);
    this.ended(client, cause);
  }

  /** The id is free before the sink is notified, as the sink may open it again. */
  ended(client: number, cause: Cause, code: number = closeCode.abnormal, reason = ''): void {
    const wasOpen = this.clients.isEstablished(client);
    this.clients.ended(client);
    this.#closing.delete(client);
    this.#reports.forget(client);
    this.sink.closed(client, cause, wasOpen, code, reason);
  }

  dispose(): void {
    if (this.isDisposed) return;
    this.#statsAtEnd = this.stats();
    this.#heldUpAtEndNs = this.heldUpNs();
    this.isDisposed = true;
    this.clients.allEnded();
    this.#asked.clear();
    this.#closing.clear();
    this.#reports.stop();
    this.#threads?.dispose();
    this.#threads = undefined;
  }

  /** Returns the figures so far. A disposed engine returns those at its end. */
  stats(): EngineStats {
    if (this.#statsAtEnd !== undefined) return this.#statsAtEnd;
    const { exact, bracketed, unstamped } = this.#reports.stamps;
    const idle = { reads: 0, clockSteps: 0, loops: 0, cpuNs: 0, coreWaitNs: 0 };
    const ofTls = this.#reports.handshakes.stats();
    const stats = this.#threads?.stats() ?? idle;
    return { ...stats, exact, bracketed, unstamped, ...ofTls, ...inflated(this.#inflaters) };
  }

  heldUpNs(): number {
    return this.#heldUpAtEndNs ?? this.#threads?.heldUpNs() ?? 0;
  }
}
