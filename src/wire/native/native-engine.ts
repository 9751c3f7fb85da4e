import { getSystemErrorName } from 'node:util';
import { causeOf, type SocketError } from '../causes.js';
import { SequenceScan } from '../frames/frame-receiver.js';
import { turns } from '../turns.js';
import type { Cause, DeliveryBatch, DropMode, Engine, EngineStats, WireSetup, WireSink } from '../wire.js';
import { dropModes, type EventRing, eventFlag, eventKind, type Handle, type NativeAddon } from './addon.js';
import { batchOf, candidateAt, isAcknowledgement } from './candidates.js';
import { Inbox } from './inbox.js';
import { NativeLegs } from './legs.js';
import type { InboxReader } from './loop-inbox.js';
import { PostedSends } from './posted-sends.js';
import { nativeSetup } from './setup.js';
import { StampCounts } from './stamp-counts.js';
import { TargetAddresses } from './target.js';

const state = { free: 0, connecting: 1, open: 2 } as const;

/** The engine in C: connections on threads of their own. Needs an address without TLS. */
export class NativeEngine implements Engine, InboxReader {
  readonly #addon: NativeAddon;
  readonly #setup: ReturnType<typeof nativeSetup>;
  readonly #addresses: TargetAddresses;
  readonly #legs: NativeLegs;
  readonly #stamps = new StampCounts();
  readonly #state: Uint8Array;
  /** Tells a client's connection from those before. */
  readonly #generation: Uint8Array;
  #handle: Handle | undefined;
  #inbox: Inbox | undefined;
  #posted: PostedSends | undefined;
  /** Clients that wait for the address of their target. */
  #asked: number[] = [];
  #isDisposed = false;
  #statsAtEnd: EngineStats | undefined;

  /** `addon` is what `ringside-native` loads. Throws for a wrong address, header or scan rule. */
  constructor(
    addon: unknown,
    private readonly wire: WireSetup,
    private readonly sink: WireSink,
  ) {
    this.#addon = addon as NativeAddon;
    new SequenceScan(wire.scan);
    this.#setup = nativeSetup(wire, sink);
    this.#addresses = new TargetAddresses(wire.url);
    this.#legs = new NativeLegs(wire.capacity, (client) => this.leftAtNs(client));
    this.#state = new Uint8Array(wire.capacity);
    this.#generation = new Uint8Array(wire.capacity);
    const { literal } = this.#addresses;
    if (literal !== undefined) this.#start([literal]);
  }

  #start(targets: readonly string[]): Handle {
    const setup = { ...this.#setup, targets: targets.map((each) => Buffer.from(each)) };
    const { handle, loops } = this.#addon.create(setup, () => this.#wake());
    this.#handle = handle;
    this.#inbox = new Inbox(this.#addon, handle, loops, this);
    const rings = loops.map(({ reports }) => reports);
    this.#posted = new PostedSends(this.#addon, handle, rings, (batch) => this.sink.sends?.(batch));
    return handle;
  }

  open(client: number): void {
    if (this.#isDisposed || this.#state[client] !== state.free)
      throw new RangeError(`client ${client} is open already, or out of range`);
    this.#state[client] = state.connecting;
    this.#generation[client] = (this.#generation[client] as number) + 1;
    this.#legs.began(client);
    if (this.#handle !== undefined) this.#dial(this.#handle, client);
    else if (this.#asked.push(client) === 1) this.#resolve();
  }

  #dial(handle: Handle, client: number): void {
    this.#addon.open(handle, client, this.wire.numberOf(client), this.#generation[client] as number);
  }

  #resolve(): void {
    this.#addresses.resolve(
      (addresses) => {
        if (this.#isDisposed) return;
        const handle = this.#start(addresses);
        for (const client of this.#asked.splice(0)) this.#dial(handle, client);
      },
      (error) => {
        for (const client of this.#asked.splice(0)) this.#end(client, causeOf(error as SocketError, false, false));
      },
    );
  }

  send(client: number, message: string | Uint8Array, isData = false): boolean {
    if (this.#handle === undefined || this.#state[client] !== state.open) return false;
    return this.#addon.send(this.#handle, client, message, isData, this.#generation[client] as number);
  }

  sendAt(client: number, message: string | Uint8Array, dueNs: number, token: number): boolean {
    if (this.#posted === undefined || this.#state[client] !== state.open) return false;
    return this.#posted.post(client, message, dueNs, token, this.#generation[client] as number);
  }

  leastNs(client: number): number {
    return this.#legs.sumNs(client);
  }

  arrivedAtNs(client: number): number {
    return this.#legs.arrivedAtNs(client);
  }

  leftAtNs(client: number): number {
    return this.#handle === undefined ? Number.POSITIVE_INFINITY : this.#addon.left(this.#handle, client);
  }

  unsent(client: number): number {
    return this.#handle === undefined ? 0 : this.#addon.unsent(this.#handle, client);
  }

  drop(client: number, mode: DropMode, cause: Cause = 'ours'): void {
    if (this.#isDisposed || !this.#state[client]) return;
    if (this.#handle !== undefined) this.#addon.drop(this.#handle, client, dropModes[mode]);
    else this.#asked = this.#asked.filter((asked) => asked !== client);
    this.#end(client, cause);
  }

  /** The id is free before the sink hears of it, which may open it again. */
  #end(client: number, cause: Cause): void {
    const wasOpen = this.#state[client] === state.open;
    this.#state[client] = state.free;
    this.sink.closed(client, cause, wasOpen);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#statsAtEnd = this.stats();
    this.#isDisposed = true;
    this.#state.fill(state.free);
    this.#asked = [];
    if (this.#handle !== undefined) this.#addon.dispose(this.#handle);
    this.#posted?.forget();
    this.#handle = undefined;
  }

  /** Of a disposed engine, as it was then. */
  stats(): EngineStats {
    if (this.#statsAtEnd !== undefined) return this.#statsAtEnd;
    const into = new Float64Array(6);
    if (this.#handle !== undefined) this.#addon.stats(this.#handle, into);
    const [reads, clockSteps, loops, cpuNs, coreWaitNs] = into as unknown as number[];
    const { exact, bracketed, unstamped } = this.#stamps;
    return { reads, exact, bracketed, unstamped, clockSteps, loops, cpuNs, coreWaitNs } as EngineStats;
  }

  #wake(): void {
    if (this.#isDisposed) return;
    turns.woke();
    this.#inbox?.take();
  }

  isListening(): boolean {
    return !this.#isDisposed;
  }

  #isOf(events: EventRing, at: number): boolean {
    const client = events.client[at] as number;
    return this.#state[client] !== state.free && events.generation[at] === this.#generation[client];
  }

  opened(events: EventRing, at: number, subprotocol: string): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at] as number;
    this.#state[client] = state.open;
    this.#legs.opened(client, events.d[at] as number, events.e[at] as number);
    const [tcpNs, upgradeNs, tcpLeastNs] = [events.a[at], events.b[at], events.c[at]] as [number, number, number];
    this.sink.opened(client, tcpNs, upgradeNs, subprotocol, tcpLeastNs);
  }

  message(events: EventRing, at: number, bytes: Uint8Array): void {
    if (!this.#isOf(events, at)) return;
    this.#tell(events, at, bytes, events.kind[at] === eventKind.binary, events.b[at] as number);
  }

  #tell(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean, leftNs: number): void {
    const client = events.client[at] as number;
    this.#legs.took(client, events.a[at] as number, leftNs, events.e[at] as number);
    this.sink.message(client, bytes, isBinary);
    this.#legs.handled(client);
  }

  candidate(events: EventRing, at: number, bytes: Uint8Array): boolean {
    if (!this.#isOf(events, at)) return false;
    const client = events.client[at] as number;
    const { scan } = this.wire;
    const isDelivery = scan.isDelivery?.(bytes, 0, bytes.length) === true;
    const isOther = isDelivery && isAcknowledgement(scan, bytes);
    if (isOther) this.acknowledgements(batchOf([candidateAt(events, at)]));
    else if (isDelivery) this.position(client, bytes);
    else this.#tell(events, at, bytes, ((events.flags[at] as number) & eventFlag.binary) !== 0, this.leftAtNs(client));
    return isDelivery && !isOther;
  }

  position(client: number, bytes: Uint8Array): void {
    this.sink.position?.(client, bytes, 0, bytes.length);
  }

  closed(events: EventRing, at: number, cause: string): void {
    if (!this.#isOf(events, at)) return;
    const client = events.client[at] as number;
    this.#end(client, cause === '' ? this.#causeOf(events, at, client) : cause);
  }

  #causeOf(events: EventRing, at: number, client: number): Cause {
    const isOfBind = ((events.flags[at] as number) & eventFlag.ofBind) !== 0;
    const errno = -(events.a[at] as number);
    const error: Pick<SocketError, 'code' | 'errno' | 'syscall'> = { code: getSystemErrorName(errno), errno };
    if (isOfBind) error.syscall = 'bind';
    return causeOf(Object.assign(new Error(), error), false, this.#state[client] === state.open);
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
}
