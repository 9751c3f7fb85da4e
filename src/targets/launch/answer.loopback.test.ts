import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { startObservation } from '../observe/observe.js';
import { prometheusSource } from '../observe/prometheus.js';
import { statsSource } from '../observe/source.js';
import { Child } from './child.js';
import { ask, fetchStats } from './stats.js';

const host = '127.0.0.1';

const started: ChildProcess[] = [];

const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function dial(port: number): Socket {
  const socket = connect({ host, port }).on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** The port of a process whose accept queue is full, so that a SYN to it has no answer. */
async function fullQueue(): Promise<number> {
  const script = `
    const server = require('node:net').createServer();
    server.listen({ host: '${host}', port: 0, backlog: 1 }, () => {
      process.stdout.write(String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const port = Number((await once(child.stdout, 'data'))[0]);
  // A backlog of n holds n + 1.
  for (let taken = 0; taken < 2; taken++) await once(dial(port), 'connect');
  return port;
}

describe.runIf(process.platform === 'linux')('a target whose accept queue is full', () => {
  it('is given up when its time is over, though there is no connection yet', async () => {
    const port = await fullQueue();
    const other = dial(port);
    await expect(ask(`http://${host}:${port}/`, { withinMs: 211 })).rejects.toThrow(/\b211 ms\b/);
    expect(other.connecting).toBe(true);
  });

  it('is given up by the signal', async () => {
    const url = `http://${host}:${await fullQueue()}/_stats`;
    const end = new AbortController();
    const asked = expect(fetchStats(url, end.signal)).rejects.toMatchObject({ name: 'AbortError' });
    end.abort();
    await asked;
  });

  it('holds up no end of its observation', async () => {
    const url = `http://${host}:${await fullQueue()}/`;
    const observation = startObservation([prometheusSource(url), statsSource(url)], 101);
    // A reading by itself gives up after 5 s: the end comes before that.
    let isGivenUp = false;
    const giveUp = () => {
      isGivenUp = true;
    };
    fetchStats(url, new AbortController().signal).then(giveUp, giveUp);
    expect(await observation.stop()).toEqual([]);
    expect(isGivenUp).toBe(false);
  });
});

it('asks with what it was given, and each time over a connection of its own', async () => {
  const seen: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push([method, url, headers.authorization, await text(request), request.socket.remotePort]);
    response.writeHead(method === 'POST' ? 201 : 503).end('seven');
  }).listen(0, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}/a?b=7`;
  const headers = { authorization: 'Bearer 11' };
  expect(await ask(url, { withinMs: 60_000, headers })).toEqual({ statusCode: 503, text: 'seven' });
  expect(await ask(url, { withinMs: 60_000, body: '{}' })).toEqual({ statusCode: 201, text: 'seven' });
  expect(seen).toEqual([
    ['GET', '/a?b=7', 'Bearer 11', '', expect.any(Number)],
    ['POST', '/a?b=7', undefined, '{}', expect.any(Number)],
  ]);
  expect(new Set(seen.map((each) => (each as unknown[])[4])).size).toBe(2);
  server.close();
  await once(server, 'close');
});

const forged = '\x1b[2J\nverdict  clean: nothing shows the rig\u202e';

let server: Server | undefined;

afterEach(() => server?.close());

/** The address of a target that answers everything by this. */
async function answering(body: string): Promise<string> {
  server = createServer((_request, response) => response.end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/_stats`;
}

it('stats tell versions and settings in clean and short words, and few of them', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 101 }, (_, n) => [`${forged} ${n}`, `${forged}${'x'.repeat(997)}`]),
  );
  const figures = { pid: 7, rssBytes: 1, cpuUserUs: 1, cpuSystemUs: 1, connections: 1 };
  const loop = { eventLoopDelayP99Ms: 1, eventLoopUtilization: 0.5 };
  const stats = { ...figures, ...loop, versions: many, settings: { ...many, deep: [many] } };
  const { versions, settings } = await fetchStats(await answering(JSON.stringify(stats)));
  expect([Object.keys(versions).length, Object.keys(settings).length]).toEqual([64, 64]);
  for (const text of [...Object.entries(versions), ...Object.entries(settings)].flat()) {
    expect(String(text).length).toBeLessThanOrEqual(256);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

it('an answer without an end is given up', async () => {
  await expect(ask(await answering('x'.repeat(17 * 1024 * 1024)), { withinMs: 60_000 })).rejects.toThrow();
});

it('the log of a process is kept in clean and short lines', async () => {
  const script = `process.stderr.write(${JSON.stringify(`\x1b[31mred\x1b[0m \u202eline\n${'x'.repeat(997)}\n`)})`;
  const child = new Child({ command: process.execPath, args: ['-e', script], env: {} }, {}, false);
  await child.exited;
  await child.lastWords();
  expect(child.tail()).toEqual(['red line', `${'x'.repeat(255)}…`]);
});
