import type { TLSSocket } from 'node:tls';
import { DeliveryBatcher } from './batcher.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { Inflaters, inflated } from './deflate.js';
import { closeAnswerTimeoutMs, closeTimeoutMs, createDialer, Deadlines, type Dialer } from './dialer.js';
import { SequenceScan } from './frames/sequence-scan.js';
import { Handshake } from './handshake.js';
import { Legs } from './legs.js';
import { Replies } from './replies.js';
import { Handshakes } from './tls.js';
import { eventLoop, turns } from './turns.js';
import { AcceptedHead, offerMaker } from './upgrade.js';
import type { Cause, DropMode, Engine, EngineStats, OpenRequest, WireSetup, WireSink } from './wire.js';

/** Large enough for a fan-out to a few thousand clients to leave in one batch. */
const batchCapacity = 4096;

/** The engine in JavaScript. All connections run on the event loop of the calling thread. */
export class WireEngine implements Engine, ConnectionOwner {
  readonly dialer: Dialer;
  readonly scan: SequenceScan;
  readonly nowNs = eventLoop.nowNs;

  readonly inflaters: Inflaters | undefined;
  private readonly acceptedHead: AcceptedHead;
  private readonly offer: ReturnType<typeof offerMaker>;
  private readonly batcher: DeliveryBatcher;
  private readonly acknowledgements: DeliveryBatcher | undefined;
  private readonly legs: Legs;
  private readonly handshakes = new Handshakes();
  private readonly replies: Replies;
  private readonly connections: (Connection | null)[];
  /** Counts per client the unsent messages of its ended connections. */
  private readonly unsentBefore = new Map<number, number>();
  private readonly connecting: Deadlines<Connection>;
  readonly awaitedCloses = new Deadlines<Connection>(closeAnswerTimeoutMs, (connection) =>
    connection.drop('reset', 'ours'),
  );
  readonly closings = new Deadlines<Connection>(closeTimeoutMs, (connection) => connection.abort());
  /** Connections that ended for their client but are half open. */
  private readonly vanished = new Set<Connection>();
  private reads = 0;
  /** True if sockets answer the target by themselves before they are established, as those of HTTP/2 do. */
  private readonly isInSteps: boolean;

  /** Throws for a wrong address, header, scan rule or certificate. */
  constructor(
    setup: WireSetup,
    readonly sink: WireSink,
  ) {
    this.isInSteps = setup.clientsPerHttp2 !== undefined;
    this.acceptedHead = new AcceptedHead(setup.compression);
    this.inflaters = setup.compression && new Inflaters();
    this.dialer = createDialer(setup);
    this.scan = new SequenceScan(setup.scan);
    this.offer = offerMaker(setup);
    this.batcher = new DeliveryBatcher((batch) => sink.deliveries(batch), batchCapacity);
    if (setup.scan.acknowledgement !== undefined)
      this.acknowledgements = new DeliveryBatcher((batch) => sink.acknowledgements?.(batch), batchCapacity);
    this.legs = new Legs(setup.capacity);
    this.replies = new Replies(setup.replies);
    this.connections = new Array<Connection | null>(setup.capacity).fill(null);
    this.connecting = new Deadlines<Connection>(setup.connectTimeoutMs, (connection) =>
      connection.drop('reset', 'connect-timeout'),
    );
  }

  open(client: number, request?: OpenRequest): void {
    if (this.connections[client] !== null) throw new RangeError(`client ${client} is open already, or out of range`);
    const handshake = new Handshake(this.nowNs(), this.offer(client, request), this.acceptedHead);
    this.legs.begin(client);
    const connection = new Connection(client, this, handshake, request?.identity ?? client);
    this.connections[client] = connection;
    this.connecting.add(connection);
  }

  send(client: number, message: string | Uint8Array, isData = false): boolean {
    turns.begin();
    const connection = this.connections[client] ?? null;
    if (connection === null) return false;
    const isSent = connection.send(message, isData);
    if (connection.hasLeft) this.legs.left(client);
    else this.legs.held(client);
    return isSent;
  }

  ping(client: number, payload: Uint8Array): void {
    turns.begin();
    this.connections[client]?.sendPing(payload);
    this.legs.left(client);
  }

  /** Counts the messages taken in the running turn as the answer to the last send. */
  leastNs(client: number): number {
    this.legs.took(client);
    return this.legs.sumNs(client);
  }

  arrivedAtNs(): number {
    return this.batcher.lastStampNs;
  }

  notBeforeNs(): number {
    return turns.readableFromNs;
  }

  unsent(client: number): number {
    return (this.unsentBefore.get(client) ?? 0) + (this.connections[client]?.unsent ?? 0);
  }

  readAtMost(client: number, bytes: number): void {
    this.connections[client]?.readAtMost(bytes);
  }

  buffered(client: number): number {
    return this.connections[client]?.buffered ?? 0;
  }

  close(client: number, code: number, reason: string): void {
    this.connections[client]?.close(code, reason);
  }

  /** Ends a connection. Over TLS a `reset` is a bare FIN. */
  drop(client: number, mode: DropMode, cause: Cause = 'ours'): void {
    const connection = this.connections[client];
    if (!connection) return;
    if (mode === 'vanish') this.vanished.add(connection);
    connection.drop(mode, cause);
  }

  dispose(): void {
    this.batcher.discard();
    this.acknowledgements?.discard();
    for (const connection of this.connections) connection?.dispose();
    const { awaitedCloses, closings, connecting, vanished } = this;
    for (const some of [connecting.clear(), awaitedCloses.clear(), closings.clear(), vanished])
      for (const connection of some) connection.dispose();
    this.inflaters?.stop();
    this.connections.length = 0;
    this.vanished.clear();
  }

  stats(): EngineStats {
    const unstamped = this.batcher.handedOver + (this.acknowledgements?.handedOver ?? 0);
    return {
      ...{ reads: this.reads, exact: 0, bracketed: 0, unstamped, clockSteps: 0 },
      ...{ ...this.handshakes.stats(), loops: 0, cpuNs: 0, coreWaitNs: 0 },
      ...inflated(this.inflaters),
    };
  }

  left(client: number): void {
    this.legs.left(client);
  }

  established(client: number): number {
    if (this.isInSteps) this.legs.tookInSteps(client);
    else this.legs.took(client);
    return this.legs.sumNs(client);
  }

  shaken(client: number, socket: TLSSocket): number {
    this.handshakes.count(socket.getProtocol() ?? 'unknown', socket.isSessionReused());
    this.legs.tookInSteps(client);
    return this.legs.sumNs(client);
  }

  stampRead(): void {
    this.reads++;
    this.batcher.stamp();
    this.acknowledgements?.stamp();
  }

  readStampNs(): number {
    return this.batcher.lastStampNs;
  }

  opened(connection: Connection, { tcpNs, tcpLeastNs, tls }: Handshake, upgradeNs: number, subprotocol: string): void {
    this.connecting.delete(connection);
    this.legs.took(connection.client);
    this.sink.opened(connection.client, tcpNs, upgradeNs, subprotocol, tcpLeastNs, tls);
  }

  delivery(
    client: number,
    sequence: number,
    flags: number,
    bytes: Buffer,
    start: number,
    end: number,
    isBinary: boolean,
  ): void {
    if (this.acknowledgements !== undefined && this.scan.isAcknowledgement(bytes, start, end)) {
      this.acknowledgements.add(client, sequence, flags);
      return;
    }
    this.batcher.add(client, sequence, flags);
    this.sink.position?.(client, bytes, start, end);
    if (this.sink.delivery !== undefined) this.sink.delivery(client, bytes.subarray(start, end), isBinary);
  }

  message(client: number, bytes: Uint8Array, isBinary: boolean): void {
    this.legs.took(client);
    const reply = isBinary ? undefined : this.replies.to(bytes);
    if (reply === undefined) this.sink.message(client, bytes, isBinary);
    else if (reply.send !== undefined) this.send(client, reply.send);
  }

  pong(client: number, payload: Uint8Array): void {
    this.legs.took(client);
    this.sink.pong?.(client, payload);
  }

  ended(connection: Connection, cause: Cause, wasOpen: boolean, code: number, reason: string): void {
    this.connecting.delete(connection);
    this.awaitedCloses.delete(connection);
    // The id is free before the sink is notified, as the sink may open it again.
    const { client, unsent } = connection;
    if (unsent > 0) this.unsentBefore.set(client, (this.unsentBefore.get(client) ?? 0) + unsent);
    this.connections[client] = null;
    this.inflaters?.forget(client);
    this.sink.closed(client, cause, wasOpen, code, reason);
  }

  socketClosed(connection: Connection): void {
    this.closings.delete(connection);
    this.vanished.delete(connection);
  }
}
