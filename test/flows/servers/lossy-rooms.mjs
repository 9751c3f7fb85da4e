import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { announce } from './announce.mjs';

// Rooms whose server keeps its own count of what it owes. Whether it drops, doubles or delays a message depends on the
// message and its receiver alone. DROP and DOUBLE: how many of a thousand. DELAY_MS: longest delay. GET /counts has the
// counts.
const [drop, double, delay] = [process.env.DROP ?? 30, process.env.DOUBLE ?? 20, 50].map(Number);
const longestDelayMs = Number(process.env.DELAY_MS ?? 200);
/** A drop this soon after its receiver joined may be of a message that was sent before. */
const freshMs = 1000;
const counts = {
  ...{ owed: 0, dropped: 0, droppedFresh: 0, doubled: 0, delayed: 0, gone: 0 },
  ...{ pings: 0, pingsDropped: 0, pingsDoubled: 0, sockets: 0, open: 0, most: 0 },
};
/** Members by room: the socket of each, its number and when it joined. */
const rooms = new Map();
/** Messages that are held back, and who waits until there are none. */
let heldBack = 0;
let flushing = [];

const http = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').setHeader('connection', 'close');
  response.end(JSON.stringify(counts));
});
const server = new WebSocketServer({ server: http });

server.on('connection', (socket) => {
  counts.sockets++;
  counts.open++;
  counts.most = Math.max(counts.most, counts.open);
  const say = (message) => socket.send(JSON.stringify(message));
  let number = -1;

  socket.on('message', (data) => {
    const text = data.toString();
    const { id, join, as, leave, say: room, mark, ping, flush } = JSON.parse(text);
    if (join !== undefined) {
      number = as;
      if (!rooms.has(join)) rooms.set(join, new Map());
      rooms.get(join).set(socket, { number, joinedMs: performance.now() });
      say({ id, joined: join });
    } else if (leave !== undefined) {
      rooms.get(leave)?.delete(socket);
      say({ id, left: leave });
    } else if (room !== undefined) {
      for (const [member, who] of rooms.get(room) ?? []) if (member !== socket) forward(member, who, mark, text);
    } else if (ping !== undefined) {
      counts.pings++;
      const fate = fateOf(ping, number);
      if (fate === 'drop') counts.pingsDropped++;
      else socket.send(text);
      if (fate !== 'double') return;
      counts.pingsDoubled++;
      socket.send(text);
    } else if (flush) {
      flushing.push(() => say({ id, flushed: true }));
      flushed();
    }
  });

  socket.on('close', () => {
    counts.open--;
    for (const members of rooms.values()) members.delete(socket);
  });
});

function forward(member, { number, joinedMs }, mark, text) {
  if (member.readyState !== 1) return;
  counts.owed++;
  const fate = fateOf(mark, number);
  if (fate === 'drop') {
    counts.dropped++;
    if (performance.now() - joinedMs < freshMs) counts.droppedFresh++;
  } else if (fate === 'delay') {
    counts.delayed++;
    heldBack++;
    setTimeout(
      () => {
        if (member.readyState === 1) member.send(text);
        else counts.gone++;
        heldBack--;
        flushed();
      },
      1 + (hashOf(text) % (longestDelayMs - 1)),
    );
  } else member.send(text);
  if (fate !== 'double') return;
  counts.doubled++;
  member.send(text);
}

function flushed() {
  if (heldBack > 0) return;
  for (const say of flushing) say();
  flushing = [];
}

function fateOf(mark, receiver) {
  const at = hashOf(`${mark} ${receiver}`) % 1000;
  if (at < drop) return 'drop';
  if (at < drop + double) return 'double';
  return at < drop + double + delay ? 'delay' : 'pass';
}

/** FNV-1a. */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

http.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
announce(http);
