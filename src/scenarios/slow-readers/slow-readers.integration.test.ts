import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { soundResult, targetFlags } from '../../../test/latency.js';
import { workplace } from '../../../test/workplace.js';
import type { RunResult } from '../../results/result.js';

const place = workplace();
const [clients, slow, stopped] = [11, 2, 1];

async function measure(broadcasts: number, flags: readonly string[]): Promise<RunResult> {
  const sizes = {
    clients,
    broadcasts,
    'warm-up': 2,
    rate: '60/s',
    payload: '200kb',
    slow: '18%:50kb/s',
    stopped: '9%',
  };
  const load = Object.entries({ ...sizes, drain: '20s' }).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const result = soundResult(await place.measure(['run', 'slow-readers', ...load, ...flags]));
  const healthy = clients - slow - stopped;
  expect(result.ledger).toMatchObject({
    acked: broadcasts,
    expected: healthy * broadcasts,
    delivered: healthy * broadcasts,
  });
  expect(result.ledger).toMatchObject({ deliveredBefore: (healthy * broadcasts) / 2, duplicate: 0, late: 0 });
  expect(result.ledger).toMatchObject({ slowReaders: slow + stopped, slowExpected: (slow + stopped) * broadcasts });
  expect([result.metrics.deliveryBefore?.count, result.metrics.delivery?.count]).toEqual([
    (healthy * broadcasts) / 2,
    (healthy * broadcasts) / 2,
  ]);
  return result;
}

const counts = ({ ledger }: RunResult) => ledger as Record<string, number>;

describe.each(['native', 'js'])('with the %s engine', (engine) => {
  it('a target that keeps all for slow readers has them read it later', async () => {
    const result = await measure(120, ['--target', 'ws', '--engine', engine, '--payload', '20kb']);
    expect(counts(result)).toMatchObject({ slowCut: 0, slowLostByCut: 0, slowDropped: 0, slowStayed: 3 });
    expect(counts(result).slowRead).toBeGreaterThan(0);
    expect(counts(result).slowReadLater).toBeGreaterThan(0);
  });
});

describe('a target that cuts who has not read a megabyte', () => {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { type, stream } = JSON.parse(String(data)) as { type: string; stream: string };
      if (type === 'subscribe') socket.send(JSON.stringify({ type: 'subscribed', stream }));
    }),
  );
  http.on('request', async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    for (const socket of server.clients) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      if (socket.bufferedAmount > 1_000_000) socket.terminate();
      else socket.send(body);
    }
    response.writeHead(201).end();
  });

  afterAll(() => {
    for (const socket of server.clients) socket.terminate();
    http.close();
    http.closeAllConnections();
  });

  it('has cut all slow readers, who lost what was owed to them, and no other', async () => {
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    // Half of them, 40 MB, is more than Linux holds for a client that does not read: 33 MB, and 4 MB on its way.
    const result = await measure(400, targetFlags({ port: (http.address() as AddressInfo).port }));
    expect(counts(result)).toMatchObject({ slowCut: 3, slowStayed: 0, slowDropped: 0 });
    expect(counts(result).slowLostByCut).toBeGreaterThan(0);
    expect(result.ledger.slowCutByCause).toEqual({ 'end-of-stream': 3 });
    expect(result.metrics.cutAfter?.count).toBe(3);
  });
});
