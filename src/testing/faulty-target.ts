import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { type Faults, readFaults } from './faults.js';

/*
 * A `ws-json` target of known truth: it serves like those of `servers/`, but for the faults that its flags name. Deliveries are numbered by
 * broadcast and subscriber (sequence × subscribers + subscriber), so that its rules give the same counts whatever the timing.
 */

const faults = readFaults(process.argv.slice(2));
const subscribers: WebSocket[] = [];
const held = new Map<number, () => void>();
let highest = -1;
let published = 0;

/** Whether number `n`, from 0, is the last of `every`. */
const isNth = (n: number, every: number | undefined): boolean => every !== undefined && n % every === every - 1;

function broadcast(data: string, sequence: number): void {
  subscribers.forEach((socket, subscriber) => {
    const delivery = sequence * subscribers.length + subscriber;
    if (isNth(delivery, faults.dropEvery)) return;
    socket.send(data);
    if (isNth(delivery, faults.twiceEvery)) socket.send(data);
  });
}

/** Runs `act` when at least `ms` have passed: a timer of Node may fire a little early. */
function after(ms: number, act: () => void): void {
  const dueMs = performance.now() + ms;
  const look = (): void => {
    const leftMs = dueMs - performance.now();
    if (leftMs <= 0) act();
    else setTimeout(look, leftMs);
  };
  look();
}

const sequenceOf = (data: string): number => Number(/:(\d{9}):/.exec(data)?.[1]);

function publish(data: string): void {
  const sequence = sequenceOf(data);
  if (published === faults.exitAfter) process.exit(7);
  if (published === faults.cutAfter) for (const socket of subscribers) socket.terminate();
  published++;
  const send = (): void => after(faults.delayMs, () => broadcast(data, sequence));
  highest = Math.max(highest, sequence);
  if (isNth(sequence, faults.swapEvery) && sequence === highest) {
    held.set(sequence, send);
    return;
  }
  send();
  held.get(sequence - 1)?.();
  held.delete(sequence - 1);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    const connections = subscribers.filter((socket) => socket.readyState === WebSocket.OPEN).length;
    response.end(JSON.stringify({ connections }));
    return;
  }
  const { data } = JSON.parse(await text(request)) as { data: string };
  if (faults.isMute) return;
  const status = isNth(sequenceOf(data), faults.refuseEvery) ? 503 : faults.publishStatus;
  if (status === 201) publish(data);
  response.writeHead(status).end();
}

function serve(socket: WebSocket): void {
  if (faults.closeCode !== undefined) socket.close(faults.closeCode);
  socket.on('message', (message) => {
    const { stream } = JSON.parse(String(message)) as { stream: string };
    if (faults.isUnconfirming) return;
    subscribers.push(socket);
    socket.send(JSON.stringify({ type: 'subscribed', stream }));
  });
  // A client that is reset under us is part of the tests.
  socket.on('error', (error) => process.stderr.write(`${error.message}\n`));
}

function upgrades(http: Server, { upgradeStatus }: Faults): void {
  const sockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    if (upgradeStatus === undefined) sockets.handleUpgrade(request, socket, head, serve);
    else socket.end(`HTTP/1.1 ${upgradeStatus} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  });
}

const http = createServer((request, response) => void answer(request, response));
upgrades(http, faults);
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const { address: host, port } = http.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ listening: { host, port, pid: process.pid } })}\n`);
