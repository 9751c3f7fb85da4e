import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket as TcpSocket } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { type WebSocket, WebSocketServer } from 'ws';

/**
 * How a target ends the connections of its clients: by a close code, in its protocol's own words, or as a process that
 * is gone.
 */
export const cuts = ['close code', 'goodbye', 'end of stream', 'reset'] as const;
export type Cut = (typeof cuts)[number];

/** For tests: a target in this process that counts who comes, and can turn everybody out. */
export interface CuttingTarget {
  port: number;
  /** Upgrades that were asked for. */
  attempts: number;
  /** Bytes that came on all connections. */
  bytesRead(): number;
  /** Connections that are open. */
  open(): number;
  cut(how: Cut): void;
  publish(data: string): void;
  close(): Promise<void>;
}

/** What a target says and answers in a protocol that is no Socket.IO. */
interface Dialect {
  welcome?: string;
  answer(talk: Talk): string | undefined;
  goodbye?: string;
}

interface Talk {
  type?: string;
  command?: string;
  identifier?: string;
  stream?: string;
  event?: string;
  data?: { channel?: string };
}

const cable: Dialect = {
  welcome: '{"type":"welcome","sid":"s"}',
  answer: ({ command, identifier }) =>
    command === 'subscribe' ? JSON.stringify({ type: 'confirm_subscription', identifier }) : undefined,
  // The connection stays open: whoever was told to leave closes it.
  goodbye: '{"type":"disconnect","reason":"server_restart","reconnect":true}',
};

const dialects: Readonly<Record<string, Dialect>> = {
  'ws-json': {
    answer: ({ type, stream }) => (type === 'subscribe' ? JSON.stringify({ type: 'subscribed', stream }) : undefined),
  },
  shootout: { answer: (talk) => (talk.type === 'echo' ? JSON.stringify(talk) : undefined) },
  'shootout-cable': cable,
  anycable: cable,
  pusher: {
    welcome: JSON.stringify({
      event: 'pusher:connection_established',
      data: JSON.stringify({ socket_id: '11.13', activity_timeout: 120 }),
    }),
    answer: ({ event, data }) =>
      event === 'pusher:subscribe'
        ? JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel: data?.channel, data: '{}' })
        : undefined,
    goodbye: '{"event":"pusher:error","data":{"code":4200,"message":"going away"}}',
  },
  rails: cable,
  'rails-anycable': cable,
  actioncable: { ...cable, goodbye: '{"type":"disconnect","reason":"unauthorized","reconnect":false}' },
};

/** Starts one that speaks a protocol of the list. */
export async function cuttingTarget(protocol: string): Promise<CuttingTarget> {
  const http = createServer();
  const sockets: TcpSocket[] = [];
  const webSockets = new Set<WebSocket>();
  const dialect = dialects[protocol];
  const kept = (socket: WebSocket): void => {
    webSockets.add(socket);
    socket.on('close', () => webSockets.delete(socket));
  };
  const room = dialect === undefined ? socketioRoom(http, kept) : plainRoom(http, dialect, kept);
  http.on('upgrade', () => {
    target.attempts++;
  });
  http.on('connection', (socket) => {
    sockets.push(socket);
  });
  const target: CuttingTarget = {
    port: 0,
    attempts: 0,
    bytesRead: () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0),
    open: () => webSockets.size,
    cut(how) {
      if (how === 'goodbye') return room.goodbye();
      for (const socket of webSockets) {
        if (how === 'close code') socket.close(1012);
        else if (how === 'end of stream') socket.terminate();
        else tcpOf(socket).resetAndDestroy();
      }
    },
    publish: room.publish,
    async close() {
      for (const socket of webSockets) socket.terminate();
      room.close();
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  await once(http.listen(0, '127.0.0.1'), 'listening');
  target.port = (http.address() as AddressInfo).port;
  return target;
}

interface Room {
  goodbye(): void;
  publish(data: string): void;
  close(): void;
}

function plainRoom(http: ReturnType<typeof createServer>, dialect: Dialect, kept: (socket: WebSocket) => void): Room {
  const server = new WebSocketServer({ server: http, handleProtocols: (offered) => [...offered][0] ?? false });
  server.on('connection', (socket) => {
    kept(socket);
    if (dialect.welcome !== undefined) socket.send(dialect.welcome);
    socket.on('message', (data) => {
      const answer = dialect.answer(JSON.parse(data.toString()));
      if (answer !== undefined) socket.send(answer);
    });
  });
  const each = (act: (socket: WebSocket) => void): void => {
    for (const socket of server.clients) act(socket);
  };
  return {
    goodbye: () =>
      each((socket) => (dialect.goodbye === undefined ? socket.close(1001) : socket.send(dialect.goodbye))),
    publish: (data) => each((socket) => socket.send(data)),
    close: () => server.close(),
  };
}

function socketioRoom(http: ReturnType<typeof createServer>, kept: (socket: WebSocket) => void): Room {
  const io = new Server(http, { connectionStateRecovery: {} });
  restoreOnce(io.of('/').adapter);
  io.on('connection', (socket: Socket) => {
    socket.on('join', (stream: string, confirm: () => void) => {
      void socket.join(stream);
      confirm();
    });
  });
  io.engine.on('connection', (socket: { transport: { socket: WebSocket } }) => kept(socket.transport.socket));
  return {
    goodbye: () => void io.disconnectSockets(true),
    publish: (data) => void io.emit('message', JSON.parse(data)),
    close: () => void io.close(),
  };
}

/** Makes it give a session back once, as the adapter for Redis streams does, which takes it out by GETDEL. */
function restoreOnce(adapter: ReturnType<Server['of']>['adapter']): void {
  const { sessions } = adapter as unknown as { sessions: Map<string, unknown> };
  const restore = adapter.restoreSession.bind(adapter);
  adapter.restoreSession = async (pid, offset) => {
    const session = await restore(pid, offset);
    sessions.delete(pid);
    return session;
  };
}

function tcpOf(socket: WebSocket): TcpSocket {
  return (socket as unknown as { _socket: TcpSocket })._socket;
}
