import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { type MetronomeConnection, pongFrame } from './connection.js';
import type { Dialect } from './dialects/dialect.js';
import type { Metronome } from './metronome.js';

const wallKinds = ['refuse', 'close', 'deaf', 'mute', 'freeze', 'spin'] as const;

/** Options that make a metronome fail on purpose. They test how Ringside reports such a target. */
export const wallOptions = z.strictObject({
  take: z.number().int().min(0).default(1_000_000_000).meta({
    flag: 'take',
    unit: 'count',
    help: 'upgrades to take before the wall',
  }),
  wall: z.enum(wallKinds).default('refuse').meta({
    flag: 'wall',
    help: 'what further upgrades meet: 503, close 1013, deafness, silence or a stall',
  }),
  together: z.number().int().min(1).default(1).meta({
    flag: 'together',
    unit: 'count',
    help: 'upgrades answered at a time',
  }),
  keepBytes: z.number().int().min(0).default(0).meta({
    flag: 'keep',
    unit: 'bytes',
    help: 'memory to keep for each connection',
  }),
  backlog: z.number().int().min(1).optional().meta({
    flag: 'backlog',
    unit: 'count',
    help: 'length of the accept queue',
  }),
});

/** A wall that stops the whole process ends by itself after this time. */
const standsMs = 120_000;

type Walls = z.output<typeof wallOptions>;

interface Upgrade {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Answers an upgrade with this HTTP status and ends its connection. */
function refuse({ socket }: Upgrade, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** Accepts the first upgrades and applies the wall to all others. */
class Wall {
  readonly #beyond = new WebSocketServer({ noServer: true });
  readonly #kept: Buffer[] = [];
  #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(private readonly walls: Walls) {}

  pass(upgrade: Upgrade, open: () => void): void {
    const { take, together, keepBytes } = this.walls;
    if (this.#taken >= take) {
      this.#meet(upgrade);
      return;
    }
    this.#taken++;
    // Zeroes of a fresh page would use no memory.
    if (keepBytes > 0) this.#kept.push(Buffer.alloc(keepBytes, 7));
    this.#waiting.push(open);
    if (this.#waiting.length < together) return;
    const ready = this.#waiting;
    this.#waiting = [];
    for (const each of ready) each();
  }

  #meet(upgrade: Upgrade): void {
    const { wall } = this.walls;
    if (wall === 'refuse') refuse(upgrade, 503);
    else if (wall === 'close') this.#open(upgrade, (socket) => socket.close(1013));
    else if (wall === 'deaf') this.#open(upgrade, () => undefined);
    else if (wall === 'freeze') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standsMs);
    else if (wall === 'spin') for (const fromMs = performance.now(); performance.now() - fromMs < standsMs; );
  }

  #open({ request, socket, head }: Upgrade, opened: (socket: WebSocket) => void): void {
    this.#beyond.handleUpgrade(request, socket, head, opened);
  }
}

const maxMessageBytes = 1024 * 1024;

/** Handles the WebSocket side of a metronome. `ws` reads. Frames go directly to the socket, for exact write stamps. */
export class MetronomeUpgrades {
  readonly #sockets: WebSocketServer;
  readonly #wall: Wall;
  readonly #connections = new WeakMap<WebSocket, MetronomeConnection>();

  constructor(
    http: Server,
    private readonly metronome: Metronome,
    private readonly dialect: Dialect,
    walls: Walls,
  ) {
    const { path, takesBelow, subprotocol } = dialect;
    this.#wall = new Wall(walls);
    this.#sockets = new WebSocketServer({
      noServer: true,
      ...(takesBelow !== true && { path }),
      handleProtocols: subprotocol,
      maxPayload: maxMessageBytes,
      // A frozen server answers no ping.
      autoPong: false,
    });
    http.on('upgrade', (request, socket, head) => {
      metronome.pacer.pass(() => this.#upgrade({ request, socket: socket as Socket, head }));
    });
  }

  get count(): number {
    return this.#sockets.clients.size;
  }

  close(): void {
    this.closeOldest(this.count, undefined);
  }

  /** Closes the oldest connections with a code, after the protocol's goodbye. Without a code it cuts them. */
  closeOldest(many: number, code: number | undefined): void {
    for (const socket of [...this.#sockets.clients].slice(0, many)) {
      if (code === undefined) socket.terminate();
      else this.#sayGoodbye(socket, code);
    }
  }

  #sayGoodbye(socket: WebSocket, code: number): void {
    const goodbye = this.dialect.goodbye?.(code);
    if (goodbye !== undefined) this.#connections.get(socket)?.say(goodbye);
    socket.close(code);
  }

  #upgrade(upgrade: Upgrade): void {
    const { request, socket, head } = upgrade;
    // Its client may have left already.
    socket.on('error', () => socket.destroy());
    if (this.metronome.refusesUpgrade()) {
      refuse(upgrade, 503);
      return;
    }
    if (this.dialect.takesBelow && !request.url?.startsWith(this.dialect.path)) {
      refuse(upgrade, 400);
      return;
    }
    this.#wall.pass(upgrade, () => {
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) =>
        this.#serve(webSocket, socket, request.url ?? ''),
      );
    });
  }

  #serve(webSocket: WebSocket, socket: Socket, url: string): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const opened = { subprotocol: webSocket.protocol, url, end: (code: number) => webSocket.close(code) };
    const connection = this.metronome.connect(socket, peer, opened);
    this.#connections.set(webSocket, connection);
    const { heartbeat } = this.dialect;
    const beat = (): void => this.metronome.pacer.pass(() => connection.say(heartbeat?.text() ?? ''));
    const beats = heartbeat && setInterval(beat, heartbeat.everyMs);
    webSocket.on('message', (data, isBinary) => {
      this.metronome.hear(connection, isBinary ? undefined : data.toString());
    });
    webSocket.on('ping', (payload) => this.metronome.pacer.pass(() => connection.sayFrame(pongFrame(payload))));
    webSocket.on('close', () => {
      clearInterval(beats);
      connection.close();
    });
    // The library cuts a client that breaks RFC 6455. Without a listener, the error would end the process.
    webSocket.on('error', (error) => process.stderr.write(`metronome: a client was cut off: ${error.message}\n`));
  }
}
