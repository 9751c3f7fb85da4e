import pusherJs, { type Channel } from 'pusher-js';
import { WebSocket } from 'ws';
import type { Cause } from '../../wire/wire.js';
import { causeOfCloseCode, causeOfError, LibraryClients } from '../library/clients.js';
import { type ClientEvents, type Clients, causeInWords, type LibrarySetup } from '../protocol.js';
import { appOf, broadcastEvent, entryTo, pusherChannel, whisperEvent } from './app.js';
import { adviceOf, type ErrorData, errorEnd, wordsOf } from './session.js';

// The package is CommonJS, and its one export is the class.
const Pusher = pusherJs as unknown as typeof pusherJs.default;

interface Client {
  library: InstanceType<typeof Pusher>;
  channels: Map<string, Channel>;
  isReady: boolean;
}

/** Functions that make the sockets of clients, by the host names under which the library requests them. */
const dialers = new Map<string, (url: URL) => WebSocket>();
let sets = 0;

// The library calls this one function for all its sockets, with only their address.
Pusher.Runtime.createWebSocket = (address: string) => {
  const url = new URL(address);
  const dial = dialers.get(url.hostname);
  if (dial === undefined) throw new Error('this client is gone');
  return dial(url) as ReturnType<typeof Pusher.Runtime.createWebSocket>;
};

/** Clients of `pusher-js` with its defaults over `ws`, but without other transports. Only `open` connects. */
export class PusherClients extends LibraryClients implements Clients {
  readonly #app = appOf(this.setup.options);
  readonly #clients = this.perClient<Client>();
  readonly #sockets = this.perClient<WebSocket>();
  /** Clients that `open` lets connect, once each. */
  readonly #mayConnect = new Set<number>();
  readonly #set = sets++;

  constructor(setup: LibrarySetup, events: ClientEvents) {
    super(setup, events);
    for (let client = 0; client < setup.capacity; client++)
      dialers.set(this.#hostOf(client), (url) => this.#dial(client, url));
  }

  open(client: number): void {
    const known = this.#clients[client];
    // The library may not know yet that we ended its connection. Its reaction is ignored.
    known?.library.disconnect();
    this.started(client);
    this.#mayConnect.add(client);
    if (known === undefined) this.#clients[client] = this.#make(client);
    else known.library.connect();
  }

  subscribe(client: number, stream: string): void {
    const state = this.#clients[client];
    if (state === undefined) return;
    this.asked(client).add(stream);
    const name = pusherChannel(this.#app, stream);
    const channel = state.channels.get(name);
    if (channel === undefined) state.channels.set(name, this.#enter(client, state, name, stream));
    // The library enters its channels again by itself.
    else if (channel.subscribed) this.confirmed(client, stream);
  }

  whisper(client: number, stream: string, sequence: number): boolean {
    const { channels, isReady } = this.#clients[client] ?? {};
    const channel = channels?.get(pusherChannel(this.#app, stream));
    if (!isReady || channel === undefined || !this.hasRoom(client)) return false;
    return channel.trigger(whisperEvent, JSON.parse(this.setup.payload(sequence)));
  }

  protected socketOf(client: number): WebSocket | undefined {
    return this.#sockets[client];
  }

  protected endAll(): void {
    for (let client = 0; client < this.setup.capacity; client++) dialers.delete(this.#hostOf(client));
    for (const state of this.#clients) state?.library.disconnect();
  }

  #hostOf(client: number): string {
    return `set-${this.#set}-client-${client}`;
  }

  /** Creates a client. The constructor of the library connects. */
  #make(client: number): Client {
    const number = this.setup.numberOf(client);
    const options: ConstructorParameters<typeof Pusher>[1] = {
      cluster: '',
      wsHost: this.#hostOf(client),
      forceTLS: this.setup.url.startsWith('wss:'),
      enabledTransports: ['ws'],
      channelAuthorization: {
        customHandler: ({ socketId, channelName }, callback) =>
          callback(null, { auth: '', ...entryTo(this.#app, channelName, socketId, number) }),
      },
    };
    const library = new Pusher(this.#app.key, options);
    const state: Client = { library, channels: new Map(), isReady: false };
    const { connection } = library;
    connection.bind('connected', () => {
      if (this.isOver) return;
      state.isReady = true;
      this.events.ready(client);
    });
    connection.bind('error', ({ type, data, error }: LibraryError) => {
      const told = type === 'PusherError' ? data : error?.data;
      if (told !== undefined) this.#erred(client, state, told);
    });
    return state;
  }

  /** Creates the one socket of an `open`. The library would reconnect by itself after an end or a missing pong. */
  #dial(client: number, { search }: URL): WebSocket {
    if (!this.#mayConnect.delete(client)) {
      const wasReady = this.#clients[client]?.isReady;
      queueMicrotask(() => this.#ended(client, wasReady ? 'heartbeat-timeout' : 'connect-timeout'));
      throw new Error('this client is not to connect');
    }
    const { url, subprotocols, options } = this.upgradeOf(client);
    const socket = new WebSocket(withQuery(url, search), [...subprotocols], options);
    this.#sockets[client] = socket;
    const isCurrent = () => this.#sockets[client] === socket;
    // These listeners come before those of the library.
    const end = (cause: Cause) => {
      if (isCurrent()) this.#ended(client, cause);
    };
    socket.on('open', () => isCurrent() && this.opened(client));
    socket.on('error', (error) => end(causeOfError(error)));
    socket.on('close', (code) => end(causeInWords({ closeMeaning: adviceOf }, causeOfCloseCode(code))));
    return socket;
  }

  #enter(client: number, state: Client, name: string, stream: string): Channel {
    const channel = state.library.subscribe(name);
    const heard = (data: unknown): void => this.heard(client, data);
    channel.bind(broadcastEvent, heard);
    channel.bind(whisperEvent, heard);
    channel.bind('pusher:subscription_succeeded', () => this.confirmed(client, stream));
    channel.bind('pusher:subscription_error', () => this.#ended(client, 'rejected:subscription_error'));
    return channel;
  }

  #erred(client: number, state: Client, data: ErrorData): void {
    const end = errorEnd(data);
    const isWaiting = !state.isReady || this.asked(client).size > 0;
    if (end === undefined && !isWaiting) return;
    // Runs after the library has made its plans for this event.
    queueMicrotask(() => this.#ended(client, `rejected:${end ?? wordsOf(data)}`));
  }

  #ended(client: number, cause: Cause): void {
    this.#clients[client]?.library.disconnect();
    this.dropped(client);
    this.ended(client, cause);
  }

  protected override dropped(client: number): void {
    const state = this.#clients[client];
    if (state !== undefined) state.isReady = false;
    this.#mayConnect.delete(client);
    this.#sockets[client] = undefined;
  }
}

/** The library's report of an error in a frame, or of a refused session. */
interface LibraryError {
  type?: string;
  data?: ErrorData;
  error?: { data?: ErrorData };
}

/** Returns our address with the query of the library, which has the protocol's and the library's version. */
function withQuery(address: string, search: string): string {
  const url = new URL(address);
  const own = new URLSearchParams(search);
  for (const [name, value] of own) url.searchParams.set(name, value);
  return url.href;
}
