import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { WebSocket, WebSocketServer } from 'ws';

/*
 * A `ws-json` target with walls of its own:
 *   --max-connections N   answers 503 to every upgrade beyond N
 *   --mute-after N        leaves every upgrade beyond N without an answer
 *   --close-on-signal N   closes its first N subscribers with code 1001 at SIGUSR2
 *   --no-probe-to N       delivers nothing to its last N subscribers
 *   --probe-status S      answers publishes with status S, and delivers nothing unless it is 201
 *   --ping-every MS       pings a subscriber so long after its last answer; GET /pongs gives how many answers came of each
 */
const number = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    'max-connections': number,
    'mute-after': number,
    'close-on-signal': number,
    'no-probe-to': number,
    'probe-status': number,
    'ping-every': number,
  },
});
const maxConnections = Number(values['max-connections'] ?? Number.POSITIVE_INFINITY);
const muteAfter = Number(values['mute-after'] ?? Number.POSITIVE_INFINITY);
const closeFirst = Number(values['close-on-signal'] ?? 0);
const noProbeTo = Number(values['no-probe-to'] ?? 0);
const probeStatus = Number(values['probe-status'] ?? 201);
const pingEveryMs = Number(values['ping-every'] ?? 0);

const subscribers: WebSocket[] = [];
/** Upgrades that were taken, and are not being refused or left without an answer. */
let taken = 0;
const pongs = new Map<WebSocket, number>();

process.on('SIGUSR2', () => {
  for (const each of subscribers.slice(0, closeFirst)) each.close(1001);
});

function keepAlive(socket: WebSocket): void {
  pongs.set(socket, 0);
  const pingSoon = () =>
    setTimeout(() => {
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }, pingEveryMs);
  socket.on('pong', () => {
    pongs.set(socket, (pongs.get(socket) ?? 0) + 1);
    pingSoon();
  });
  pingSoon();
}

function serve(socket: WebSocket): void {
  if (pingEveryMs > 0) keepAlive(socket);
  socket.on('message', (message) => {
    const { stream } = JSON.parse(String(message)) as { stream: string };
    subscribers.push(socket);
    socket.send(JSON.stringify({ type: 'subscribed', stream }));
  });
  // A client that is reset under us is part of the tests.
  socket.on('error', (error) => process.stderr.write(`${error.message}\n`));
}

const sockets = new WebSocketServer({ noServer: true });

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (taken === maxConnections) {
    socket.end('HTTP/1.1 503 Full\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    return;
  }
  if (taken === muteAfter) {
    socket.on('error', (error) => process.stderr.write(`${error.message}\n`));
    return;
  }
  taken++;
  sockets.handleUpgrade(request, socket, head, serve);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/pongs') {
    response.end(JSON.stringify([...pongs.values()]));
    return;
  }
  const { data } = JSON.parse(await text(request)) as { data: string };
  if (probeStatus === 201) {
    for (const socket of subscribers.slice(0, subscribers.length - noProbeTo)) socket.send(data);
  }
  response.writeHead(probeStatus).end();
}

const http = createServer((request, response) => void answer(request, response)).on('upgrade', upgrade);
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const { address: host, port } = http.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ listening: { host, port, pid: process.pid } })}\n`);
