import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTarget } from '../launch/process.js';
import { targetByName } from '../list.js';
import { startObservation } from './observe.js';
import { procSource } from './proc.js';
import { prometheusSource } from './prometheus.js';
import { railwaySource } from './railway.js';
import { type Readings, statsSource } from './source.js';

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

describe('the metrics of Railway', () => {
  const ids = { environmentId: 'e-7', serviceId: 's-11' };
  const answer = (cpu: [number, number][], memory: [number, number][]): string => {
    const values = (pairs: [number, number][]) => pairs.map(([ts, value]) => ({ ts, value }));
    const metrics = [
      { measurement: 'CPU_USAGE', values: values(cpu) },
      { measurement: 'MEMORY_USAGE_GB', values: values(memory) },
      { measurement: 'NETWORK_RX_GB', values: values([[1_700_000_001, 3]]) },
    ];
    return JSON.stringify({ data: { metrics } });
  };

  async function railway(answers: [status: number, body: string][]) {
    const requests: { headers: Record<string, unknown>; body: unknown }[] = [];
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      requests.push({ headers: request.headers, body: JSON.parse(body) });
      const [status, text] = answers.shift()!;
      response.statusCode = status;
      response.end(text);
    });
    const axis = { nowMs: () => performance.now(), startedAtEpochMs: 1_700_000_000_000 };
    const source = railwaySource({ ...ids, token: 'secret-7', tokenKind: 'account', url });
    const read = (): Promise<Readings> => source.read(axis, new AbortController().signal);
    return { url, requests, read };
  }

  it('are asked for by service, environment and time, with the token in its header', async () => {
    const { requests, read } = await railway([[200, answer([], [])]]);
    expect(await read()).toEqual({ endings: [], values: [] });
    expect(requests).toMatchObject([
      {
        headers: { authorization: 'Bearer secret-7', 'content-type': 'application/json' },
        body: {
          query: expect.stringMatching(/^query Metrics\(.*\{\n {2}metrics\(.*values \{ ts value \}/s),
          variables: {
            ...ids,
            startDate: '2023-11-14T22:13:20.000Z',
            measurements: ['CPU_USAGE', 'MEMORY_USAGE_GB'],
            sampleRateSeconds: 30,
          },
        },
      },
    ]);
  });

  it('go by another header with a project token', async () => {
    const headers: unknown[] = [];
    const url = await serve((request, response) => {
      headers.push(request.headers['project-access-token'], request.headers.authorization);
      response.end(answer([], []));
    });
    const source = railwaySource({ ...ids, token: 'secret-11', tokenKind: 'project', url });
    await source.read({ nowMs: () => 0, startedAtEpochMs: 0 }, new AbortController().signal);
    expect(headers).toEqual(['secret-11', undefined]);
  });

  it('lie on the axis of the run, each value once, none from before it', async () => {
    const early: [number, number] = [1_699_999_990, 7];
    const { read } = await railway([
      [200, answer([early, [1_700_000_030, 0.37], [1_700_000_007, 0.5]], [[1_700_000_007, 0.25]])],
      [200, answer([early, [1_700_000_007, 0.5], [1_700_000_030, 0.37], [1_700_000_060, 1]], [[1_700_000_007, 0.25]])],
    ]);
    expect((await read()).values).toEqual([
      { name: 'cpuPercent', value: 50, atMs: 7000 },
      { name: 'serviceMemoryBytes', value: 250_000_000, atMs: 7000 },
      { name: 'cpuPercent', value: 37, atMs: 30_000 },
    ]);
    expect((await read()).values).toEqual([{ name: 'cpuPercent', value: 100, atMs: 60_000 }]);
  });

  it('make a series that is flagged as of a foreign clock, read once more at the end', async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      asked++;
      response.end(asked === 1 ? answer([], []) : answer([[Math.ceil(Date.now() / 1000), 0.5]], []));
    });
    const source = railwaySource({ ...ids, token: 'secret-7', tokenKind: 'account', url });
    const observation = startObservation([source], everyMs);
    await expect.poll(() => asked, eventually).toBe(1);
    const series = await observation.stop();
    expect(asked).toBe(2);
    expect(series).toMatchObject([
      { source: 'railway', clock: 'foreign', name: 'cpuPercent', points: [{ value: 50 }] },
    ]);
  });

  it.each([
    ['a refusal', 200, '{"errors":[{"message":"Not Authorized"}],"data":null}', 'refused: Not Authorized'],
    ['no data', 200, '{}', 'refused: no data'],
    ['too many requests', 429, 'slow down', 'answered 429: slow down'],
    ['another form', 200, '{"data":{"metrics":[{"measurement":"CPU_USAGE"}]}}', 'expected array'],
    ['no JSON', 200, '<html>', 'not valid JSON'],
  ])('are a failure with %s, which does not tell the token', async (_, status, body, message) => {
    const { read } = await railway([[status, body]]);
    const error = (await read().catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('secret');
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
