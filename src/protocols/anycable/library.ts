import {
  type Cable,
  type Channel,
  createCable,
  DisconnectedError,
  type ReasonError,
  SubscriptionTimeoutError,
} from '@anycable/core';
import { WebSocket } from 'ws';
import type { Cause } from '../../wire/wire.js';
import { causeOfCloseCode, causeOfError, LibraryClients } from '../library/clients.js';
import type { ClientEvents, Clients, LibrarySetup } from '../protocol.js';
import { echoStream, isSigned, plainProtocol, type RailsChannel, type Subprotocol } from './session.js';

/** A subscription of any class, as all of them take the same events. */
type AnyChannel = Pick<Channel, 'on' | 'perform' | 'whisper' | 'state'>;

interface Client {
  cable: Cable;
  channels: Map<string, AnyChannel>;
  /** Reason for the end of the newest WebSocket, which the library does not report. */
  cause: Cause | undefined;
  socket: WebSocket | undefined;
  welcomes: number;
}

const longestTimerMs = 2 ** 31 - 1;

/** Clients of `@anycable/core` with its defaults over `ws`. Only `open` connects: the same cable with its positions. */
export class AnycableClients extends LibraryClients implements Clients {
  readonly #clients = this.perClient<Client>();
  /** The WebSocket class for `createCable`. It finds its client in the options that the library passes on. */
  readonly #observed: new (
    url: string,
    subprotocol: string,
    options: ObservedOptions,
  ) => WebSocket;

  constructor(
    setup: LibrarySetup,
    events: ClientEvents,
    private readonly protocol: Subprotocol,
  ) {
    super(setup, events);
    const observe = (socket: WebSocket, client: number) => this.#observe(socket, client);
    this.#observed = class extends WebSocket {
      constructor(url: string, subprotocol: string, options: ObservedOptions) {
        const { client, subprotocols, ...rest } = options;
        super(url, [subprotocol, ...subprotocols], rest);
        observe(this, client);
      }
    };
  }

  open(client: number): void {
    this.#clients[client] ??= this.#make(client);
    const { cable } = this.#clients[client];
    // The library may not know yet that we ended its connection. Its reaction is ignored.
    cable.disconnected(new DisconnectedError('transport_closed'));
    this.started(client);
    // The cable's own event reports a failed attempt, too.
    cable.connect().catch(() => undefined);
  }

  subscribe(client: number, stream: string): void {
    const state = this.#clients[client];
    if (state === undefined) return;
    this.asked(client).add(stream);
    const channel = state.channels.get(stream);
    if (channel === undefined) state.channels.set(stream, this.#streamFrom(client, state, stream));
    else if (channel.state === 'connected') this.confirmed(client, stream);
  }

  whisper(client: number, stream: string, sequence: number): boolean {
    const channel = this.writable(client, stream);
    // The library logs what it could not send, and never rejects.
    void channel?.whisper(JSON.parse(this.setup.payload(sequence)));
    return channel !== undefined;
  }

  protected socketOf(client: number): WebSocket | undefined {
    return this.#clients[client]?.socket;
  }

  protected endAll(): void {
    for (const client of this.#clients) client?.cable.disconnect();
  }

  protected streamFrom(cable: Cable, stream: string): AnyChannel {
    return isSigned(stream) ? cable.streamFromSigned(stream) : cable.streamFrom(stream);
  }

  protected hasChannel(client: number): boolean {
    return (this.#clients[client]?.channels.size ?? 0) > 0;
  }

  /** Returns a subscription to a stream, or the first. Undefined without, or if the target reads too little. */
  protected writable(client: number, stream?: string): AnyChannel | undefined {
    const { channels, socket } = this.#clients[client] ?? {};
    if (channels === undefined || socket === undefined || !this.hasRoom(client)) return undefined;
    return stream === undefined ? channels.values().next().value : channels.get(stream);
  }

  #make(client: number): Client {
    const { url, subprotocols, options } = this.upgradeOf(client);
    const cable = createCable(url, {
      protocol: this.protocol,
      websocketImplementation: this.#observed,
      websocketOptions: { client, subprotocols, ...options },
      // Keeps the monitor, which finds stale connections.
      reconnectStrategy: () => longestTimerMs,
    });
    const state: Client = {
      cable,
      channels: new Map(),
      cause: undefined,
      socket: undefined,
      welcomes: 0,
    };
    cable.on('connect', () => {
      if (this.isOver) return;
      state.welcomes++;
      this.events.ready(client);
    });
    const end = (error?: ReasonError): void => this.ended(client, causeOfEnd(error, state.cause));
    cable.on('disconnect', end);
    cable.on('close', end);
    return state;
  }

  #streamFrom(client: number, state: Client, stream: string): AnyChannel {
    const channel = this.streamFrom(state.cable, stream);
    channel.on('message', (message) => this.heard(client, message));
    channel.on('connect', () => {
      this.confirmed(client, stream);
      if (this.protocol === plainProtocol) this.#resumed(client, state, false);
    });
    channel.on('info', ({ type }) => this.#resumed(client, state, type === 'history_received'));
    channel.on('close', (error) => {
      const isLate = error instanceof SubscriptionTimeoutError;
      state.channels.delete(stream);
      this.ended(client, isLate ? 'subscribe-timeout' : 'rejected:reject_subscription');
      state.cable.disconnect();
    });
    return channel;
  }

  #resumed(client: number, state: Client, wasRecovered: boolean): void {
    // The library asks for history on its first subscription too, which resumes nothing.
    if (state.welcomes > 1 && !this.isOver) this.events.resumed(client, wasRecovered);
  }

  #observe(socket: WebSocket, client: number): void {
    const state = this.#clients[client];
    if (state === undefined) return;
    state.socket = socket;
    state.cause = undefined;
    const note = (cause: Cause) => {
      if (state.socket === socket) state.cause ??= cause;
    };
    socket.on('open', () => this.opened(client));
    socket.on('error', (error) => note(causeOfError(error)));
    socket.on('close', (code) => note(causeOfCloseCode(code)));
  }
}

/** Clients of `@anycable/core` that subscribe to a channel of a Rails application and perform its actions. */
export class RailsClients extends AnycableClients {
  constructor(
    setup: LibrarySetup,
    events: ClientEvents,
    protocol: Subprotocol,
    private readonly channel: RailsChannel,
  ) {
    super(setup, events, protocol);
  }

  echo(client: number, sequence: number): boolean {
    if (!this.hasChannel(client)) this.subscribe(client, echoStream);
    return this.#act('echo', this.writable(client), sequence);
  }

  broadcast(client: number, stream: string, sequence: number): boolean {
    return this.#act('broadcast', this.writable(client, stream), sequence);
  }

  protected override streamFrom(cable: Cable, stream: string): AnyChannel {
    return cable.subscribeTo(this.channel.className, this.channel.paramsOf(stream));
  }

  /** Handles a message. An action answers with its name and payload. A message over HTTP is published as it is. */
  protected override heard(client: number, message: unknown): void {
    const { action, payload } = (message ?? {}) as { action?: unknown; payload?: unknown };
    if (action !== 'broadcastResult') super.heard(client, action === undefined ? message : payload);
    else if (this.sequenceIn(payload) >= 0) this.setup.acknowledged(client, this.sequenceIn(payload));
  }

  #act(action: string, channel: AnyChannel | undefined, sequence: number): boolean {
    // A connection that ended rejects it, and is counted as one that ended.
    channel?.perform(action, { payload: JSON.parse(this.setup.payload(sequence)) }).catch(() => undefined);
    return channel !== undefined;
  }
}

interface ObservedOptions {
  client: number;
  headers: Record<string, string>;
  subprotocols: readonly string[];
  handshakeTimeout: number;
}

function causeOfEnd(error: ReasonError | undefined, cause: Cause | undefined): Cause {
  const reason = error?.reason;
  if (reason === 'stale_connection') return 'heartbeat-timeout';
  if (reason === undefined || reason === 'transport_closed') return cause ?? 'end-of-stream';
  return `rejected:${reason}`;
}
