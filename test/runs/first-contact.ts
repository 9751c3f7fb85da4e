import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterAll, expect } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { capacityBooks, heldResult, idleFlags } from '../capacity.js';
import { keptResult, voidedBy, workplace } from '../workplace.js';
import { made } from './connect.js';
import { heldAll } from './idle.js';

export const place = workplace();
const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/** A server of the `ws` package; `met` is given each connection with its number. */
export async function bare(met: (socket: WebSocket, number: number) => void, autoPong = true): Promise<string[]> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong });
  let number = 0;
  server.on('connection', (socket) => met(socket, number++));
  await once(server, 'listening');
  ends.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return ['--target-url', `ws://127.0.0.1:${(server.address() as AddressInfo).port}/any`];
}

export const echo = (socket: WebSocket): void => {
  socket.on('message', (data, binary) => socket.send(data, { binary }));
};

/** Answers the first `most` pings. */
export const answering = (socket: WebSocket, most: number): void => {
  let pings = 0;
  socket.on('ping', (payload) => {
    if (pings++ < most) socket.pong(payload);
  });
};

/** Checks that such clients are held, proven and connected by the address alone. */
export async function knownByAddress(more: string[]): Promise<void> {
  const target = await bare(echo);
  const idle = heldResult(await place.measure(['run', 'idle', ...target, ...idleFlags(53), ...more], 2));
  expect(capacityBooks(idle)).toMatchObject({ ...heldAll(53), lostByCause: {}, failedByCause: {} });
  expect([idle.target.protocol, idle.job.options.probe, voidedBy(idle)]).toEqual(['raw', 'ping', []]);
  const flags = ['--clients', '53', '--rate', '211/s', ...more];
  const connect = keptResult(await place.measure(['run', 'connect', ...target, ...flags]));
  expect(connect.ledger).toMatchObject(made(53));
  expect(connect.metrics.handshake?.count).toBe(53);
}

/** Checks that a server without pongs has no client, and that the run says why. */
export async function neverAnswersPing(engine: string): Promise<void> {
  const target = await bare((socket) => socket.pong('unasked'), false);
  const flags = ['--clients', '7', '--subscribe-timeout', '1s', '--engine', engine];
  const { ledger, talk } = keptResult(await place.measure(['run', 'connect', ...target, ...flags]));
  expect(ledger).toMatchObject({ opened: 0, failedByCause: { 'subscribe-timeout': 7 } });
  expect(talk?.examples).toEqual({ 'subscribe-timeout': { step: expect.stringContaining('pong') } });
}

/** Checks that a run shows what a client that failed said and heard. */
export async function showsTalk(more: string[]): Promise<void> {
  const target = await bare((socket) => socket.send('{"op":"hello","user":7}'));
  const flags = ['--protocol', 'ws-json', '--clients', '7', '--subscribe-timeout', '1s', ...more];
  const ended = await place.measure(['run', 'connect', ...target, ...flags]);
  const { talk, job, stop } = keptResult(ended);
  expect(talk).toEqual({
    examples: {
      'subscribe-timeout': {
        step: expect.stringContaining('no confirmation'),
        sent: JSON.stringify({ type: 'subscribe', stream: job.stream }),
        received: '{"op":"hello","user":7}',
      },
    },
    others: 0,
  });
  expect(ended.stdout).toContain('{"op":"hello","user":7}');
  expect(stop.advice).toContain('ringside init target');
}

/** Checks that a run shows the HTTP answer that it got, and which protocol it is of. */
export async function showsHttpAnswer(engine: string): Promise<void> {
  const { address } = await socketio(() => undefined);
  const flags = ['--protocol', 'ws-json', '--clients', '7', '--engine', engine];
  const result = keptResult(await place.measure(['run', 'connect', '--target-url', `${address}/socket.io/`, ...flags]));
  expect(result.ledger).toMatchObject({ failedByCause: { 'http-status:400': 7 } });
  expect(result.talk?.examples['http-status:400']?.received).toContain('Transport unknown');
  expect(result.stop.advice).toContain('--protocol socketio');
}

/** A Socket.IO server that acknowledges `join` in its default namespace, and hands what is posted to `publishing`. */
export async function socketio(publishing: (io: Server) => ((data: string) => void) | undefined) {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      publish?.((JSON.parse(Buffer.concat(parts).toString()) as { data: string }).data);
      response.end();
    });
  });
  const io = new Server(server);
  const publish = publishing(io);
  io.on('connection', (socket) => socket.on('join', (_stream: string, done: () => void) => done()));
  io.of('/chat');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => void io.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address: `ws://${host}`, http: `http://${host}` };
}
