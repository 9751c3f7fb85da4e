import { WebSocket } from 'ws';
import { valuesIn } from '../../units/slots.js';
import { Replies } from '../../wire/replies.js';
import { SendQueue } from '../../wire/send-queue.js';
import type { Cause, DropMode } from '../../wire/wire.js';
import type { ClientEvents, Clients, LibrarySetup, Protocol, Session, SessionSink } from '../protocol.js';
import { causeOfCloseCode, causeOfError, LibraryClients } from './clients.js';

/** Clients of `ws` with its defaults (permessage-deflate, no reconnect), for protocols without a client library. */
export class WsClients extends LibraryClients implements Clients {
  readonly #connections = this.perClient<Connection>();
  readonly #replies: Replies;
  /** Unsent messages by client, of connections before the current one. */
  readonly #unsentBefore = new Map<number, number>();

  constructor(
    setup: LibrarySetup,
    events: ClientEvents,
    private readonly protocol: Protocol,
  ) {
    super(setup, events);
    this.#replies = new Replies(protocol.replies);
  }

  open(client: number): void {
    this.#forget(client);
    this.started(client);
    const { sequenceOf, delivered, acknowledged, options: ofProtocol } = this.setup;
    const { url, subprotocols, options } = this.upgradeOf(client);
    const { acknowledgement } = this.protocol;
    const socket = new WebSocket(url, [...this.protocol.subprotocols, ...subprotocols], options);
    const queue = queueOf(socket);
    const session = this.protocol.session(
      this.#sinkOf(client, socket, queue),
      ofProtocol,
      valuesIn(this.setup, client),
    );
    this.#connections[client] = { socket, session, queue };
    const isCurrent = () => this.#connections[client]?.socket === socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isCurrent()) return;
      this.trails.received(client, data, isBinary);
      const text = data.toString();
      const sequence = sequenceOf(text);
      if (sequence >= 0 && acknowledgement !== undefined && text.includes(acknowledgement))
        acknowledged(client, sequence);
      else if (sequence >= 0) delivered(client, sequence);
      else if (this.isOver) return;
      else if (isBinary && session.receivedBinary) session.receivedBinary(data);
      else if (isBinary || !this.#isHeartbeat(data, queue)) session.received(data);
    });
    socket.on('open', () => {
      if (this.isOver || !isCurrent()) return;
      this.opened(client);
      session.opened(socket.protocol);
    });
    // An error comes before its close event and says more.
    socket.on('error', (error) => isCurrent() && this.ended(client, causeOfError(error)));
    socket.on('close', (code) => isCurrent() && this.ended(client, causeOfCloseCode(code)));
  }

  /** Returns true for a heartbeat of the protocol, and answers it as wire clients do. */
  #isHeartbeat(text: Buffer, queue: SendQueue<string | Uint8Array>): boolean {
    const reply = this.#replies.to(text);
    if (reply?.send !== undefined) queue.send(reply.send, false);
    return reply !== undefined;
  }

  subscribe(client: number, stream: string): void {
    this.#connections[client]?.session.subscribe(stream);
  }

  echo(client: number, sequence: number): boolean {
    return this.#connections[client]?.session.echo?.(this.setup.payload(sequence)) ?? false;
  }

  whisper(client: number, stream: string, sequence: number): boolean {
    return this.#connections[client]?.session.whisper?.(stream, this.setup.payload(sequence)) ?? false;
  }

  broadcast(client: number, stream: string, sequence: number): boolean {
    return this.#connections[client]?.session.broadcast?.(stream, this.setup.payload(sequence)) ?? false;
  }

  unsent(client: number): number {
    return (this.#unsentBefore.get(client) ?? 0) + (this.#connections[client]?.queue.unsent ?? 0);
  }

  override drop(client: number, mode: DropMode): void {
    this.#leave(client, mode, 'ours');
  }

  #leave(client: number, mode: DropMode, cause: Cause): void {
    const connection = this.#connections[client];
    if (connection === undefined) return;
    this.#forget(client);
    this.leave(connection.socket, mode);
    this.ended(client, cause);
  }

  #forget(client: number): void {
    const unsent = this.unsent(client);
    if (unsent > 0) this.#unsentBefore.set(client, unsent);
    this.#connections[client] = undefined;
  }

  protected override ponged(client: number): void {
    this.#connections[client]?.session.ponged?.();
    super.ponged(client);
  }

  protected socketOf(client: number): WebSocket | undefined {
    return this.#connections[client]?.socket;
  }

  protected endAll(): void {
    for (const connection of this.#connections) connection?.socket.terminate();
  }

  #sinkOf(client: number, socket: WebSocket, queue: SendQueue<string | Uint8Array>): SessionSink {
    const isOpen = (): boolean => socket.readyState === WebSocket.OPEN;
    return {
      send: (message) => {
        this.trails.sent(client, message);
        if (isOpen()) queue.send(message, false);
      },
      say: (message) => {
        this.trails.sent(client, message);
        return isOpen() && queue.send(message, true);
      },
      ping: () => this.ping(client),
      ready: () => this.events.ready(client),
      subscribed: (stream) => this.events.subscribed(client, stream),
      other: (bytes, isBinary = false) => this.trails.other(client, bytes, isBinary),
      refused: (word) => this.#leave(client, 'close', `rejected:${word}`),
      delivered: (sequence) => this.setup.delivered(client, sequence),
      acknowledged: (sequence) => this.setup.acknowledged(client, sequence),
      resumed: (wasRecovered) => this.events.resumed(client, wasRecovered),
    };
  }
}

interface Connection {
  socket: WebSocket;
  session: Session;
  queue: SendQueue<string | Uint8Array>;
}

function queueOf(socket: WebSocket): SendQueue<string | Uint8Array> {
  const flush = (): void => {
    if (socket.readyState === WebSocket.OPEN) queue.flush();
  };
  const queue = new SendQueue<string | Uint8Array>(
    () => socket.bufferedAmount === 0,
    (message) => socket.send(message, flush),
  );
  return queue;
}
