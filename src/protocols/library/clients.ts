import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { WebSocket } from 'ws';
import type { Talk } from '../../measure/causes.js';
import { nowNs } from '../../measure/rig/clock.js';
import { filledUpgrade, valuesIn } from '../../units/slots.js';
import { causeOf, type SocketError } from '../../wire/causes.js';
import { Legs } from '../../wire/legs.js';
import { Pings } from '../../wire/replies.js';
import { mostUnsentBytes } from '../../wire/send-queue.js';
import type { Cause, DropMode } from '../../wire/wire.js';
import type { ClientEvents, LibrarySetup } from '../protocol.js';
import { Trails } from '../trails.js';

const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|INVALID_CA|EPROTO$)/;
const badUpgrade = /^(Invalid (Upgrade|Sec-WebSocket)|Server (sent|indicated))/;

/** Returns the cause of a `ws` error, from its code or the message of a failed upgrade. Of several, takes the first. */
export function causeOfError(error: unknown): Cause {
  if (error instanceof AggregateError && error.errors.length > 0) return causeOfError(error.errors[0]);
  const { message, code = '' } = error instanceof Error ? (error as SocketError) : { message: String(error) };
  if (tlsCode.test(code)) return `tls:${code}`;
  if (code.startsWith('WS_ERR_')) return `protocol-error:${code}`;
  if (code.startsWith('HPE_')) return `bad-upgrade:${code}`;
  if (code !== '') return causeOf(error as SocketError, false, false);
  const status = /^Unexpected server response: (\d+)/.exec(message)?.[1];
  if (status !== undefined) return `http-status:${status}`;
  if (message === 'Opening handshake has timed out' || message === 'timeout') return 'connect-timeout';
  return badUpgrade.test(message) ? `bad-upgrade:${message}` : `network:${message}`;
}

/** Returns the cause of a `ws` close event. 1006 means no close frame (RFC 6455, section 7.1.5). */
export function causeOfCloseCode(code: number): Cause {
  return code === 1006 ? 'end-of-stream' : `close-code:${code}`;
}

const down = 0;
const trying = 1;
const open = 2;

/** Stops reading and writing: on a network that is gone, neither data nor a close leaves. */
function vanish(socket: WebSocket): void {
  socket.pause();
  tcpSocketOf(socket)?.cork();
  socket.close = () => undefined;
}

/** Resets a socket. Node can't once its FIN is under way: it loses the handle, and the thread would never end. */
function abort(socket: Socket | undefined): void {
  if (socket?.writableEnded) socket.destroy();
  else socket?.resetAndDestroy();
}

/** Returns the TCP socket. `ws` has it only under this name, which other libraries use too. */
function tcpSocketOf(socket: WebSocket): Socket | undefined {
  return (socket as unknown as { _socket?: Socket })._socket;
}

/**
 * What clients of every library need: agents, pings, and the rules of `ClientEvents` for libraries that report more, or
 * later. Every `open` ends in one `opened` or one `closed`, and every `opened` in one `closed`.
 *
 *     down --started--> trying --opened--> open
 *                       trying, open --ended--> down
 */
export abstract class LibraryClients {
  protected readonly trails: Trails;
  /** Set by `dispose`. From then on nothing is reported. */
  protected isOver = false;
  readonly #state: Uint8Array;
  readonly #startedAtNs: Float64Array;
  readonly #legs: Legs;
  readonly #agentOf: ReturnType<typeof agentPicker>;
  readonly #pings = new Pings();
  readonly #asked: (Set<string> | undefined)[];
  readonly #heard = new WeakSet<WebSocket>();
  /** Connections that we took from the library, until they are closed. */
  readonly #left = new Set<WebSocket>();

  constructor(
    protected readonly setup: LibrarySetup,
    protected readonly events: ClientEvents,
  ) {
    const { capacity, trails = new Trails() } = setup;
    this.trails = trails;
    this.#agentOf = agentPicker(setup);
    this.#asked = this.perClient();
    this.#state = new Uint8Array(capacity);
    this.#startedAtNs = new Float64Array(capacity);
    this.#legs = new Legs(capacity);
  }

  protected perClient<T>(): (T | undefined)[] {
    return new Array<T | undefined>(this.setup.capacity).fill(undefined);
  }

  /** Begins an attempt. The connect time counts from here. */
  protected started(client: number): void {
    this.#state[client] = trying;
    this.trails.begun(client);
    this.#startedAtNs[client] = nowNs();
    this.#legs.begin(client);
    this.#legs.left(client);
  }

  protected opened(client: number): void {
    if (this.isOver || this.#state[client] !== trying) return;
    this.#state[client] = open;
    this.events.opened(client, Number.NaN, nowNs() - this.#startedAtNs[client]!, Number.NaN);
  }

  /** Ends an attempt that failed, or a connection that ended or was dropped by the user. */
  protected ended(client: number, cause: Cause): void {
    this.#asked[client] = undefined;
    if (this.isOver || this.#state[client] === down) return;
    const wasOpen = this.#state[client] === open;
    this.#state[client] = down;
    this.events.closed(client, cause, wasOpen);
  }

  /** A library reports neither when it sends nor when it reads. */
  leastNs(client: number): number {
    this.#legs.tookInSteps(client);
    return this.#legs.sumNs(client);
  }

  settled(client: number, cause?: Cause): void {
    this.trails.settled(client, cause);
  }

  talk(): Talk {
    return this.trails.talk();
  }

  ping(client: number): void {
    const socket = this.socketOf(client);
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (!this.#heard.has(socket)) {
      this.#heard.add(socket);
      socket.on('pong', (payload) => {
        const isCurrent = !this.isOver && this.socketOf(client) === socket;
        if (isCurrent && this.#pings.isAnswer(client, payload)) this.ponged(client);
      });
    }
    socket.ping(this.#pings.payload(client));
  }

  protected ponged(client: number): void {
    this.events.ponged?.(client);
  }

  /** Returns the newest WebSocket of a client, which its library made. */
  protected abstract socketOf(client: number): WebSocket | undefined;

  drop(client: number, mode: DropMode): void {
    const socket = this.socketOf(client);
    if (socket !== undefined) this.leave(socket, mode);
    this.dropped?.(client);
    this.ended(client, 'ours');
  }

  /** Ends a connection from our side. Its library only sees the end, and after `vanish` not even that. */
  protected leave(socket: WebSocket, mode: DropMode): void {
    this.#left.add(socket);
    socket.once('close', () => this.#left.delete(socket));
    socket.onmessage = null;
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
    else if (mode === 'close') socket.close();
    else if (mode === 'vanish') vanish(socket);
    else abort(tcpSocketOf(socket));
  }

  protected dropped?(client: number): void;

  /** Returns false if the target of a client reads too little. */
  protected hasRoom(client: number): boolean {
    return (this.socketOf(client)?.bufferedAmount ?? 0) < mostUnsentBytes;
  }

  /** Reports a confirmed stream, unless it is not one of those asked for. */
  protected confirmed(client: number, stream: string): void {
    if (this.asked(client).delete(stream) && !this.isOver) this.events.subscribed(client, stream);
  }

  /** Returns the streams requested on the connection of a client and not confirmed. */
  protected asked(client: number): Set<string> {
    const asked = this.#asked[client] ?? new Set();
    this.#asked[client] = asked;
    return asked;
  }

  /** Reports a delivery of this run among the data of a message. */
  protected heard(client: number, data: unknown): void {
    const sequence = this.sequenceIn(data);
    if (sequence >= 0) this.setup.delivered(client, sequence);
  }

  /** Returns the sequence number of data of this run, or -1. */
  protected sequenceIn(data: unknown): number {
    const { m: text } = (data ?? {}) as { m?: unknown };
    return typeof text === 'string' ? this.setup.sequenceOf(text) : -1;
  }

  /** Returns a client's own address and subprotocols with its values filled in, and the options of its WebSocket. */
  protected upgradeOf(client: number) {
    const { url, subprotocols, headers } = filledUpgrade(this.setup, valuesIn(this.setup, client));
    const agent = this.#agentOf(client);
    const options = { headers: { ...headers }, handshakeTimeout: this.setup.connectTimeoutMs, ...(agent && { agent }) };
    return { url, subprotocols, options };
  }

  dispose(): void {
    this.isOver = true;
    this.endAll();
    for (const socket of this.#left) socket.terminate();
  }

  protected abstract endAll(): void;
}

function agentPicker(setup: LibrarySetup): (client: number) => HttpAgent | undefined {
  const { localAddresses, caPem, isInsecure } = setup;
  if (localAddresses.length === 0 && caPem === undefined && !isInsecure) return () => undefined;
  const sources = localAddresses.length === 0 ? [{}] : localAddresses.map((localAddress) => ({ localAddress }));
  const agents = setup.url.startsWith('wss:')
    ? secureAgents(setup, sources)
    : sources.map((source) => new HttpAgent(source));
  return (client) => agents[client % agents.length];
}

function secureAgents({ caPem, isInsecure }: LibrarySetup, sources: readonly AgentOptions[]): HttpAgent[] {
  // One parsed store serves all: authorities in the options would be parsed for every connection.
  const secureContext = createSecureContext(caPem === undefined ? {} : { ca: [...rootCertificates, caPem] });
  // No session cache: no client may resume another's TLS session.
  const shared = { secureContext, rejectUnauthorized: !isInsecure, maxCachedSessions: 0 };
  return sources.map((source) => new HttpsAgent({ ...source, ...shared }));
}
