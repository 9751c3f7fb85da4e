import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Series } from '../../measure/series.js';
import { startTarget } from '../launch/process.js';
import { targetByName } from '../list.js';
import { startObservation } from './observe.js';
import { procSource } from './proc.js';
import { prometheusSource } from './prometheus.js';
import { queriesIn } from './queries.js';

const local = '127.0.0.1';
const everyMs = 101;

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 60_000, interval: 53 };

describe('a page of Prometheus metrics', () => {
  it.skipIf(!process.env.ANYCABLE_GO_BIN)('of anycable-go counts its clients (needs ANYCABLE_GO_BIN)', async () => {
    const running = await startTarget(targetByName('anycable')!, { host: local });
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
    const server = createServer((_, response) => {
      turn++;
      // The fourth is cut off with the observation, so that there is one point behind the fault.
      if (turn > 3) return;
      response.statusCode = turn === 2 ? 503 : 200;
      response.end(turn === 2 ? 'warming up' : `process_open_fds ${turn}\n`);
    }).listen(0, local);
    await once(server, 'listening');
    const url = `http://${local}:${(server.address() as AddressInfo).port}`;
    const observation = startObservation([prometheusSource(`${url}/metrics`)], everyMs);
    // Whoever asks for the fourth page has read the third. A look at its value may come too late: it is soon forgotten.
    await expect.poll(() => turn, eventually).toBeGreaterThan(3);
    const series = (await observation.stop()).filter(({ name }) => name === 'descriptors');
    expect(series).toMatchObject([
      { points: [{ value: 1 }], endedBecause: `${url}/metrics answered 503` },
      { points: [{ value: 3 }] },
    ]);
    server.close();
    server.closeAllConnections();
  });
});

describe('queries of the user', () => {
  const queries = queriesIn(['heap=resident_bytes{job="chat"}', 'rate=rate(sends[5s])', 'two=up', 'wrong=up(']);
  const vector = (...values: string[]) => ({
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: { job: 'chat' }, value: [1, value] })) },
  });
  const answers: Record<string, object> = {
    'resident_bytes{job="chat"}': vector('1234567'),
    'rate(sends[5s])': { status: 'success', data: { resultType: 'scalar', result: [1, '0.25'] } },
    up: vector('1', '1'),
    'up(': { status: 'error', errorType: 'bad_data', error: `parse error\u001b[31m${'!'.repeat(999)}` },
  };

  async function seriesOf(answer: (url: URL) => { status: number; text: string }): Promise<Series[]> {
    let turn = 0;
    const server = createServer((request, response) => {
      turn++;
      const { status, text } = answer(new URL(request.url!, 'http://a'));
      response.writeHead(status).end(text);
    }).listen(0, local);
    await once(server, 'listening');
    const url = `http://${local}:${(server.address() as AddressInfo).port}`;
    const observation = startObservation([prometheusSource(url, queries)], everyMs);
    await expect.poll(() => turn, eventually).toBeGreaterThan(11);
    const series = await observation.stop();
    server.close();
    server.closeAllConnections();
    return series;
  }

  it('are asked of a Prometheus server by its API, and what it says of wrong ones is bounded', async () => {
    const series = await seriesOf(({ pathname, searchParams }) => {
      const found = pathname === '/api/v1/query' ? answers[searchParams.get('query') ?? ''] : undefined;
      return { status: found && 'error' in found ? 400 : 200, text: JSON.stringify(found) };
    });
    const [heap, rate, two, wrong] = queries.map(({ name }) => series.find(({ process }) => process === name)!);
    expect(heap).toMatchObject({ source: 'prometheus', name: 'query', unit: 'bytes' });
    expect(new Set(heap!.points.map(({ value }) => value))).toEqual(new Set([1234567]));
    expect(rate).toMatchObject({
      unit: 'count',
      points: expect.arrayContaining([{ atMs: expect.anything(), value: 0.25 }]),
    });
    expect(two).toMatchObject({
      points: [],
      endedBecause: 'expected one value, received 2: name a label, or use sum()',
    });
    expect(wrong!.endedBecause).toMatch(/^parse error!+…$/);
    expect(wrong!.endedBecause!.length).toBeLessThanOrEqual(256);
    expect(series.every(({ name }) => name === 'query')).toBe(true);
  });

  it('are selectors on a page of metrics, whose known names are read as well', async () => {
    const page = 'process_open_fds 7\nresident_bytes{job="chat",zone="a"} 17\nresident_bytes{job="mail"} 3\nup 1\n';
    const series = await seriesOf(({ pathname }) => {
      return pathname === '/' ? { status: 200, text: page } : { status: 404, text: 'not found' };
    });
    const valuesOf = (name: string) => series.find((each) => each.process === name)?.points.map(({ value }) => value);
    expect(valuesOf('heap')?.[0]).toBe(17);
    expect(valuesOf('two')?.[0]).toBe(1);
    expect(series.find(({ process }) => process === 'rate')?.endedBecause).toMatch(/^on a page of metrics a query is /);
    expect(series.find(({ name }) => name === 'descriptors')?.points[0]?.value).toBe(7);
  });
});
