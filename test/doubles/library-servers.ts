import { type EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';

/** A server that a real library talks to. It knows one stream, `bench`. */
export interface LibraryServer {
  readonly url: string;
  /** Every text that a client said. */
  readonly said: string[];
  /** Says something to all clients: an object as JSON. */
  say(talk: string | object): void;
  /** Ends every connection, with a close code where the protocol has one. */
  cut(code: number): void;
  /** Resolves once all that are connected now are gone. */
  allGone(): Promise<unknown>;
  /** Stops listening, and ends what is connected. */
  stop(): Promise<void>;
  /** Listens at its port again, and refuses every upgrade where `refusing` says how. */
  again(refusing?: ServerOptions): Promise<void>;
}

/** What a server on `ws` does with a client: `tell` answers it, `all` tells everybody. */
interface Speech {
  path: string;
  greeting?: object;
  answers(said: Record<string, unknown>, tell: (talk: object) => void, all: (talk: object) => void, data: string): void;
}

const encoded = (talk: string | object): string => (typeof talk === 'string' ? talk : JSON.stringify(talk));

export class WsServer implements LibraryServer {
  readonly said: string[] = [];
  server!: WebSocketServer;

  constructor(private readonly speech: Speech) {}

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  get url(): string {
    return `ws://127.0.0.1:${this.port}${this.speech.path}`;
  }
  async listen(port = 0, options: ServerOptions = {}): Promise<this> {
    this.server = new WebSocketServer({ host: '127.0.0.1', port, ...options });
    this.server.on('connection', (socket) => this.#greet(socket));
    await once(this.server, 'listening');
    return this;
  }
  say(talk: string | object): void {
    for (const socket of this.server.clients) socket.send(encoded(talk));
  }
  cut(code: number): void {
    for (const socket of this.server.clients) socket.close(code);
  }
  allGone(): Promise<unknown> {
    return Promise.all([...this.server.clients].map((socket) => once(socket, 'close')));
  }
  async stop(): Promise<void> {
    for (const socket of this.server.clients) socket.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
  async again(refusing: ServerOptions = {}): Promise<void> {
    await this.listen(this.#port, refusing);
  }

  #port = 0;
  #greet(socket: WebSocket): void {
    this.#port = this.port;
    const { greeting, answers } = this.speech;
    const tell = (talk: object) => socket.send(JSON.stringify(talk));
    if (greeting) tell(greeting);
    socket.on('message', (bytes: RawData) => {
      this.said.push(String(bytes));
      answers(JSON.parse(String(bytes)), tell, (talk) => this.say(talk), String(bytes));
    });
  }
}

const wsJson: Speech = {
  path: '/ws',
  answers({ type, stream }, tell, all, data) {
    if (type === 'echo') tell(JSON.parse(data));
    if (type === 'whisper') all(JSON.parse(data));
    if (type !== 'subscribe') return;
    tell(stream === 'bench' ? { type: 'subscribed', stream } : { type: 'error', message: 'no such stream' });
  },
};

const anycable: Speech = {
  path: '/cable',
  greeting: { type: 'welcome' },
  answers({ command, identifier, history }, tell) {
    if (command === 'whisper') return;
    const isKnown = String(identifier).includes('bench');
    tell({ type: isKnown ? 'confirm_subscription' : 'reject_subscription', identifier });
    if (isKnown && history) tell({ type: 'confirm_history', identifier });
  },
};

const pusher: Speech = {
  path: '/app/app-key',
  greeting: {
    event: 'pusher:connection_established',
    data: JSON.stringify({ socket_id: '11.13', activity_timeout: 120 }),
  },
  answers({ event, data }, tell) {
    if (event !== 'pusher:subscribe') return;
    const isKnown = (data as { channel: string }).channel === 'private-bench';
    const answer = isKnown ? 'pusher_internal:subscription_succeeded' : 'pusher:subscription_error';
    tell({ event: answer, ...(data as object) });
  },
};

/** Answers as BenchmarkChannel does, and to every stream. */
const rails: Speech = {
  path: '/cable',
  greeting: { type: 'welcome' },
  answers({ command, identifier, data }, tell, all) {
    if (command === 'subscribe') return tell({ type: 'confirm_subscription', identifier });
    const { action, payload } = JSON.parse(String(data));
    (action === 'broadcast' ? all : tell)({ identifier, message: { action, payload } });
    if (action !== 'echo') tell({ identifier, message: { action: 'broadcastResult', payload } });
  },
};

const shootout: Speech = {
  path: '/ws',
  answers({ type, payload }, tell, all, data) {
    if (type === 'echo') return tell(JSON.parse(data));
    all({ type, payload });
    tell({ type: 'broadcastResult', payload, listenerCount: 2 });
  },
};

const speeches = { 'ws-json': wsJson, anycable, actioncable: anycable, pusher, rails, shootout };

/** A server of Socket.IO, with its options. Its clients are cut without a code: the network ends their connections. */
export class SocketioServer implements LibraryServer {
  readonly said: string[] = [];
  readonly http = createServer();
  readonly io: Server;
  #address!: AddressInfo;

  constructor(options: ConstructorParameters<typeof Server>[1] = {}) {
    this.io = new Server(this.http, options);
    this.io.use(({ handshake }, next) => next(handshake.headers['x-key'] ? new Error('not allowed') : undefined));
    this.io.on('connection', (socket) => {
      socket.on('join', (room: string, confirm: () => void) => {
        socket.join(room);
        confirm();
      });
      socket.on('echo', (data: unknown, answer: (data: unknown) => void) => answer(data));
      socket.on('whisper', (room: string, data: unknown) => void socket.to(room).emit('message', data));
    });
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#address.port}/socket.io/?EIO=4&transport=websocket`;
  }
  async listen(port = 0): Promise<this> {
    await once(this.http.listen(port, '127.0.0.1'), 'listening');
    this.#address = this.http.address() as AddressInfo;
    return this;
  }
  say(talk: string | object): void {
    this.io.to('bench').emit('message', talk);
  }
  cut(): void {
    for (const socket of this.io.sockets.sockets.values()) socket.conn.close();
  }
  allGone(): Promise<unknown> {
    const sockets = [...this.io.sockets.sockets.values()] as unknown as EventEmitter[];
    return Promise.all(sockets.map((socket) => once(socket, 'disconnect')));
  }
  async stop(): Promise<void> {
    this.io.disconnectSockets(true);
    if (this.http.listening) await new Promise((resolve) => this.http.close(resolve));
  }
  async again(): Promise<void> {
    await this.listen(this.#address.port);
  }
}

/** Starts the server of a protocol. */
export function libraryServer(protocol: keyof typeof speeches): Promise<WsServer> {
  return new WsServer(speeches[protocol]).listen();
}
