import type { WebSocket } from 'uWebSockets.js';
import { createInterface } from 'node:readline';
import { listenAlone, loadUws } from '../../../servers/uws/library.js';

/**
 * `/room/NAME` passes each message to all of the room, the sender too; `/sink` only counts. The first line of stdout is
 * the port. Each line on stdin is answered by the counts as JSON, and its end ends the process.
 */
interface Member {
  room: Set<WebSocket<Member>>;
}

const library = loadUws('rooms-server');
const counts = { open: 0, received: 0, sent: 0 };
const rooms = new Map<string, Member['room']>();
const sink: Member['room'] = new Set();

const roomOf = (path: string): Member['room'] => {
  const room = path === '/sink' ? sink : (rooms.get(path) ?? new Set());
  rooms.set(path, room);
  return room;
};

const app = library.uws.App().ws<Member>('/*', {
  idleTimeout: 0,
  upgrade: (response, request, context) => {
    const [key, subprotocol, extensions] = ['key', 'protocol', 'extensions'].map((name) =>
      request.getHeader(`sec-websocket-${name}`),
    ) as [string, string, string];
    response.upgrade({ room: roomOf(request.getUrl()) }, key, subprotocol, extensions, context);
  },
  open: (socket) => {
    counts.open++;
    const { room } = socket.getUserData();
    if (room !== sink) room.add(socket);
  },
  message: (socket, bytes, isBinary) => {
    counts.received++;
    for (const member of socket.getUserData().room) {
      member.send(bytes, isBinary);
      counts.sent++;
    }
  },
  close: (socket) => {
    counts.open--;
    socket.getUserData().room.delete(socket);
  },
});

process.stdout.write(`${await listenAlone(library, app, '127.0.0.1', 0)}\n`);
createInterface(process.stdin)
  .on('line', () => process.stdout.write(`${JSON.stringify(counts)}\n`))
  .on('close', () => process.exit());
