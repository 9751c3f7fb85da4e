import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Server } from 'socket.io';
import { afterAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { capacityBooks, heldResult, idleFlags } from '../../test/capacity.js';
import { made } from '../../test/runs/connect.js';
import { heldAll } from '../../test/runs/idle.js';
import { keptResult, voidedBy, workplace } from '../../test/workplace.js';

const place = workplace();
const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/** A server of the `ws` package; `met` is given each connection with its number. */
async function bare(met: (socket: WebSocket, number: number) => void, autoPong = true): Promise<string[]> {
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

const echo = (socket: WebSocket): void => {
  socket.on('message', (data, binary) => socket.send(data, { binary }));
};

/** Answers the first `most` pings. */
const answering = (socket: WebSocket, most: number): void => {
  let pings = 0;
  socket.on('ping', (payload) => {
    if (pings++ < most) socket.pong(payload);
  });
};

describe.concurrent('any WebSocket server', () => {
  it.each([
    ['native', []],
    ['JavaScript', ['--engine', 'js']],
    ['library', ['--client', 'library']],
  ])('is held and connected to by its address alone: %s', async (_name, more) => {
    const target = await bare(echo);
    const idle = heldResult(await place.measure(['run', 'idle', ...target, ...idleFlags(53), ...more], 2));
    expect(capacityBooks(idle)).toMatchObject({ ...heldAll(53), lostByCause: {}, failedByCause: {} });
    expect([idle.target.protocol, idle.job.options.probe, voidedBy(idle)]).toEqual(['raw', 'ping', []]);
    const connect = keptResult(
      await place.measure(['run', 'connect', ...target, '--clients', '53', '--rate', '211/s', ...more]),
    );
    expect(connect.ledger).toMatchObject(made(53));
    expect(connect.metrics.handshake?.count).toBe(53);
  });

  it('holds only who answers at the end', async () => {
    const target = await bare((socket, number) => answering(socket, number % 3 === 2 ? 1 : 7), false);
    const flags = idleFlags(101, ['--probe-timeout', '2s']);
    const result = heldResult(await place.measure(['run', 'idle', ...target, ...flags], 2));
    const books = { asked: 101, opened: 101, held: 68, proven: 68, lost: 33, lostByCause: { unproven: 33 } };
    expect(capacityBooks(result)).toMatchObject(books);
    expect(result.stop.code).toBe('connectionsLost');
  });

  it.each([['native'], ['js']])('that never answers a ping has no client, and says why: %s', async (engine) => {
    const target = await bare((socket) => socket.pong('unasked'), false);
    const flags = ['--clients', '7', '--subscribe-timeout', '1s', '--engine', engine];
    const { ledger, talk } = keptResult(await place.measure(['run', 'connect', ...target, ...flags]));
    expect(ledger).toMatchObject({ opened: 0, failedByCause: { 'subscribe-timeout': 7 } });
    expect(talk?.examples).toEqual({ 'subscribe-timeout': { step: expect.stringContaining('pong') } });
  });

  it('is compared with another', async () => {
    const [one, two] = await Promise.all([bare(echo), bare(echo)]);
    const file = join(place.folder, 'bare.yml');
    writeFileSync(file, `- { name: one, targetUrl: "${one[1]}" }\n- { name: two, targetUrl: "${two[1]}" }\n`);
    const flags = ['--repeat', '1', '--json', ...idleFlags(23)];
    const { stdout } = await place.measure(['compare', 'idle', '--target-file', file, ...flags]);
    const { rows } = JSON.parse(stdout) as { rows: { runs: { result: { ledger: object } }[] }[] };
    expect(rows.flatMap(({ runs }) => runs.map(({ result }) => result.ledger))).toMatchObject([
      { held: 23, lost: 0 },
      { held: 23, lost: 0 },
    ]);
  });

  it('needs its protocol where broadcasts are to arrive', async () => {
    const [problem, ...more] = await place.refused([
      ...['run', 'latency', '--protocol', 'raw', '--target-url', 'ws://127.0.0.1:1'],
      ...['--publish-url', 'http://127.0.0.1:1'],
    ]);
    expect([problem?.code, more]).toEqual(['missingVerb', []]);
  });
});

describe.concurrent('a client that fails', () => {
  it.each([
    ['native', []],
    ['JavaScript', ['--engine', 'js']],
    ['library', ['--client', 'library']],
  ])('shows what it said and heard: %s', async (_name, more) => {
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
  });

  it.each([['native'], ['js']])('shows an HTTP answer, and which protocol it is of: %s', async (engine) => {
    const { address } = await socketio(() => undefined);
    const flags = ['--protocol', 'ws-json', '--clients', '7', '--engine', engine];
    const result = keptResult(
      await place.measure(['run', 'connect', '--target-url', `${address}/socket.io/`, ...flags]),
    );
    expect(result.ledger).toMatchObject({ failedByCause: { 'http-status:400': 7 } });
    expect(result.talk?.examples['http-status:400']?.received).toContain('Transport unknown');
    expect(result.stop.advice).toContain('--protocol socketio');
  });

  it('says that the namespace took it and the room did not, and shows no token', async () => {
    const { address } = await socketio(() => undefined);
    const flags = ['--protocol', 'socketio', '--clients', '7', '--subscribe-timeout', '1s'];
    const auth = ['--socketio-auth', '{"token":"s3cret-17"}', '--socketio-namespace', '/chat'];
    const ended = await place.measure(['run', 'connect', '--target-url', address, ...flags, ...auth]);
    const result = keptResult(ended);
    const example = result.talk?.examples['subscribe-timeout'];
    expect(example?.step).toContain('/chat accepted us');
    expect(example?.sent).toBe('40/chat,{hidden}');
    expect(JSON.stringify(result) + ended.stdout + ended.stderr).not.toContain('s3cret-17');
  });
});

it('messages under another name are counted, and the name is proposed', async () => {
  const { address, http } = await socketio((io) => (data) => io.emit('chat:msg', { text: data }));
  const urls = ['--target-url', address, '--publish-url', `${http}/publish`];
  const flags = ['--protocol', 'socketio', '--clients', '7', '--rate', '50/s', '--broadcasts', '11'];
  const ended = await place.measure(['run', 'latency', ...urls, ...flags, '--warm-up', '0', '--drain', '500ms']);
  const { ledger, talk, stop } = keptResult(ended);
  expect(ledger).toMatchObject({ delivered: 0, lost: 77 });
  expect(talk?.others).toBe(77);
  expect(talk?.firstOther).toContain('42["chat:msg"');
  expect([stop.code, stop.advice]).toEqual(['nothingDelivered', expect.stringContaining('--socketio-event chat:msg')]);
});

/** A Socket.IO server that acknowledges `join` in its default namespace, and hands what is posted to `publishing`. */
async function socketio(publishing: (io: Server) => ((data: string) => void) | undefined) {
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
