import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type MetronomeConnection, pongFrame } from './connection.js';
import type { Dialect } from './dialects/dialect.js';
import type { Metronome } from './metronome.js';
import { refuse, type Upgrade, Wall, type Walls } from './walls.js';

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
