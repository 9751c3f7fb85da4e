import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type WebSocket, WebSocketServer } from 'ws';

/*
 * Stands for anycable-go where a test needs walls in a process that the driver starts, and so sees from inside. It takes the flags of that program,
 * speaks Action Cable as far as clients ask for it, and meets its wall beyond the first `--take N` upgrades:
 *   --then refuse     answers 503
 *   --then mute       gives no answer
 *   --then freeze     its thread sleeps for good
 *   --then spin       its thread never sleeps again
 * On the way there:
 *   --bytes-each N    keeps so much memory for each connection
 *   --in-twos         answers an upgrade when the next one has come
 *   --backlog N       length of the accept queue
 */
const value = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    host: { ...value, default: '127.0.0.1' },
    port: { ...value, default: '0' },
    take: value,
    // biome-ignore lint/suspicious/noThenProperty: a flag of this program
    then: value,
    'bytes-each': value,
    'in-twos': { type: 'boolean', default: false },
    backlog: value,
    version: { type: 'boolean', default: false },
  },
  strict: false,
});

if (values.version) {
  process.stdout.write('0.0.0 stand-in\n');
  process.exit(0);
}

const take = Number(values.take ?? Number.POSITIVE_INFINITY);
const bytesEach = Number(values['bytes-each'] ?? 0);
const sockets = new WebSocketServer({ noServer: true });
const kept: Buffer[] = [];
/** What each subscriber calls its stream. */
const identifiers = new Map<WebSocket, string>();
let taken = 0;
/** Answers the upgrade that waits for its second. */
let waiting: (() => void) | undefined;

function serve(socket: WebSocket): void {
  // Zeroes of a fresh page cost no memory.
  kept.push(Buffer.alloc(bytesEach, 7));
  socket.send('{"type":"welcome"}');
  socket.on('message', (message) => {
    const { identifier } = JSON.parse(String(message)) as { identifier: string };
    socket.send(JSON.stringify({ type: 'confirm_subscription', identifier }));
    identifiers.set(socket, identifier);
  });
  // A client that is reset under us is part of the tests.
  socket.on('error', (error) => process.stderr.write(`${error.message}\n`));
}

function meetWall(socket: Duplex): void {
  socket.on('error', (error) => process.stderr.write(`${error.message}\n`));
  if (values.then === 'refuse') socket.end('HTTP/1.1 503 Full\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  if (values.then === 'freeze') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  while (values.then === 'spin');
}

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (taken === take) {
    meetWall(socket);
    return;
  }
  taken++;
  const open = (): void => sockets.handleUpgrade(request, socket, head, serve);
  if (values['in-twos'] && waiting === undefined) {
    waiting = open;
    return;
  }
  waiting?.();
  waiting = undefined;
  open();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST') {
    const { data } = JSON.parse(await text(request)) as { data: string };
    for (const [socket, identifier] of identifiers)
      socket.send(JSON.stringify({ identifier, message: JSON.parse(data) as unknown }));
    response.writeHead(201).end();
  } else response.writeHead(request.url === '/health' ? 200 : 404).end();
}

const http = createServer((request, response) => void answer(request, response)).on('upgrade', upgrade);
http.listen({
  host: String(values.host),
  port: Number(values.port),
  ...(values.backlog === undefined ? {} : { backlog: Number(values.backlog) }),
});
await once(http, 'listening');
