import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTarget } from '../launch/process.js';
import { targetByName } from '../list.js';
import { startObservation } from './observe.js';
import { procSource } from './proc.js';
import { prometheusSource } from './prometheus.js';
import { statsSource } from './source.js';

const host = '127.0.0.1';

const everyMs = 101;

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 60_000, interval: 53 };

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, host);
  servers.push(server);
  await once(server, 'listening');
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

describe('a page of Prometheus metrics', () => {
  it.skipIf(!process.env.ANYCABLE_GO_BIN)('of anycable-go counts its clients (needs ANYCABLE_GO_BIN)', async () => {
    const running = await startTarget(targetByName('anycable')!, { host });
    expect(running.versions.anycable).toMatch(/^\d+\.\d+\.\d+/);
    const url = new URL('/metrics', running.endpoints.healthUrl).href;
    const observation = startObservation([prometheusSource(url), procSource(running.pid)], everyMs);
    const sockets = Array.from({ length: 7 }, () => new WebSocket(running.endpoints.wsUrl, ['actioncable-v1-json']));
    await expect.poll(() => observation.peek('connections'), eventually).toBe(7);
    expect(observation.peek('goroutines')).toBeGreaterThan(7);
    await expect.poll(() => observation.peek('rssBytes') ?? 0, eventually).toBeGreaterThan(1e6);
    for (const socket of sockets) socket.terminate();
    const series = await observation.stop();
    await running.stop();
    const goroutines = series.find(({ name }) => name === 'goroutines');
    expect(goroutines?.source).toBe('prometheus');
    expect(goroutines?.points.every(({ value }) => value > 0)).toBe(true);
  });

  it('ends where it answers anything but 200, and says so', async () => {
    let turn = 0;
    const url = await serve((_, response) => {
      turn++;
      // The fourth is cut off with the observation, so that there is one point behind the fault.
      if (turn > 3) return;
      response.statusCode = turn === 2 ? 503 : 200;
      response.end(turn === 2 ? 'warming up' : `process_open_fds ${turn}\n`);
    });
    const observation = startObservation([prometheusSource(`${url}/metrics`)], everyMs);
    // Whoever asks for the fourth page has read the third. A look at its value may come too late: it is soon forgotten.
    await expect.poll(() => turn, eventually).toBeGreaterThan(3);
    const series = (await observation.stop()).filter(({ name }) => name === 'descriptors');
    expect(series).toMatchObject([
      { points: [{ value: 1 }], endedBecause: `${url}/metrics answered 503` },
      { points: [{ value: 3 }] },
    ]);
  });

  it('that does not come is cut off with the observation', async () => {
    let asked = 0;
    let closed = 0;
    const url = await serve((request) => {
      asked++;
      request.socket.once('close', () => closed++);
    });
    const observation = startObservation([prometheusSource(url)], everyMs);
    await expect.poll(() => asked, eventually).toBe(1);
    expect(await observation.stop()).toEqual([]);
    await expect.poll(() => closed, eventually).toBe(1);
    expect(asked).toBe(1);
  });
});

it('the stats of a target come from its process, count its connections, and end with it', async () => {
  const running = await startTarget(targetByName('ws')!, { host });
  const observation = startObservation([statsSource(running.endpoints.statsUrl!)], everyMs);
  await expect.poll(() => observation.peek('connections'), eventually).toBe(0);
  const sockets = Array.from({ length: 7 }, () => new WebSocket(running.endpoints.wsUrl));
  await expect.poll(() => observation.peek('connections'), eventually).toBe(7);
  await expect.poll(() => observation.peek('eventLoopUtilization'), eventually).toBeDefined();
  for (const socket of sockets) socket.terminate();
  await running.stop();
  await expect.poll(() => observation.peek('connections'), eventually).toBeUndefined();
  const series = await observation.stop();
  const names = ['rssBytes', 'connections', 'cpuPercent', 'eventLoopDelayP99Ms', 'eventLoopUtilization'];
  expect(series.map(({ name }) => name)).toEqual(names);
  for (const { source, process, points, endedBecause } of series) {
    expect([source, process]).toEqual(['stats', String(running.pid)]);
    expect(points.length).toBeGreaterThan(0);
    expect(endedBecause).toMatch(/ECONNREFUSED|other side closed|ECONNRESET/);
  }
});
