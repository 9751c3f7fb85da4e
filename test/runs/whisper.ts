import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RunResult } from '../../src/results/result.js';
import { keptResult, voidedBy, workplace } from '../workplace.js';

const place = workplace();

const servers: WebSocketServer[] = [];

afterAll(() => {
  for (const server of servers) {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});

export const anycableGo = process.env.ANYCABLE_GO_BIN;

const warmUp = 1;

export const sendsEach = 10;

// Six rooms of five and a last one of three.
export const sizes = [
  ...['--clients', '33', '--room', '5', '--rate', '10/s', '--duration', '1s'],
  ...['--warm-up', String(warmUp), '--ramp-rate', '500/s'],
];

const sent = 33 * sendsEach;

export const owed = (6 * 5 * 4 + 3 * 2) * sendsEach;

export const books = { sent, expected: owed, delivered: owed, lost: 0, unsent: 0, duplicate: 0, late: 0, stray: 0 };

export const run = (flags: string[], shards = 1, env: Record<string, string | undefined> = {}) =>
  place.measure(['run', 'whisper', ...flags], shards, env);

/** What holds of every run that was not ended early. */
export function sound(result: RunResult): RunResult {
  const { expected, delivered = 0, lost = 0, untimed = 0 } = result.ledger as Record<string, number>;
  expect([result.stop.code, expected]).toEqual(['completed', delivered + lost]);
  expect(voidedBy(result)).toEqual([]);
  for (const name of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast']) {
    expect([name, result.metrics[name]?.count]).toEqual([name, delivered - untimed]);
  }
  return result;
}

/** A target in this process that writes `copies(n)` of the n-th delivery of a whisper, from 0, warm-up included. */
export async function whispering(
  copies: (n: number) => number,
): Promise<{ flags: string[]; counted: Record<string, number> }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/ws' });
  servers.push(server);
  const rooms = new Map<string, Set<WebSocket>>();
  const counted = { dropped: 0, doubled: 0 };
  let deliveries = 0;
  server.on('connection', (socket) => {
    let whispers = 0;
    socket.on('message', (data) => {
      const { type, stream } = JSON.parse(String(data)) as { type: string; stream: string };
      const room = rooms.get(stream) ?? new Set();
      if (type === 'subscribe') {
        rooms.set(stream, room.add(socket));
        socket.send(JSON.stringify({ type: 'subscribed', stream }));
        return;
      }
      const isMeasured = whispers++ >= warmUp;
      for (const other of room) {
        if (other === socket) continue;
        const times = copies(deliveries++);
        if (isMeasured && times === 0) counted.dropped++;
        if (isMeasured && times > 1) counted.doubled += times - 1;
        for (let i = 0; i < times; i++) other.send(data, { binary: false });
      }
    });
    socket.on('error', () => undefined);
  });
  await once(server, 'listening');
  const at = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  return { flags: ['--target-url', at, '--protocol', 'ws-json'], counted };
}

/** Checks that whispers which a target drops or triples by a rule are found to the last. */
export async function foundOut(shards: number): Promise<void> {
  const { flags, counted } = await whispering((n) => (n % 7 === 6 ? 0 : n % 5 === 4 ? 3 : 1));
  const result = sound(keptResult(await run([...flags, ...sizes, '--drain', '5s'], shards)));
  const { dropped = 0, doubled = 0 } = counted;
  expect(dropped * doubled).toBeGreaterThan(0);
  const spoilt = { delivered: owed - dropped, lost: dropped, duplicate: doubled };
  expect(result.ledger).toMatchObject({ ...books, ...spoilt });
}
