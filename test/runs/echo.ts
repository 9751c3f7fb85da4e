import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { WebSocketServer } from 'ws';
import type { RunResult } from '../../src/results/result.js';
import { countNth } from '../latency.js';
import { keptResult, voidedBy, workplace } from '../workplace.js';

const place = workplace();

export const servers: WebSocketServer[] = [];

afterAll(() => {
  for (const server of servers) {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});

export const sizes = ['--clients', '31', '--rate', '10/s', '--duration', '1s', '--ramp-rate', '500/s'];

export const run = (flags: string[], shards = 1) => place.measure(['run', 'echo', ...flags], shards);

export const clean = { unsent: 0, lost: 0, duplicate: 0, late: 0, stray: 0 };

/** What holds of every run that was not ended early. */
export function sound(result: RunResult): RunResult {
  const { sent, expected, delivered = 0, lost = 0 } = result.ledger as Record<string, number>;
  expect([expected, result.stop.code]).toEqual([sent, 'completed']);
  expect(expected).toBe(delivered + lost);
  expect(result.metrics.roundTrip?.count).toBe(delivered);
  expect(voidedBy(result)).toEqual([]);
  return result;
}

/**
 * A target in this process that sends `copies(n)` of the n-th echo of all, from 0. The first echo of each connection,
 * which proves it, does not count.
 */
export async function echoing(copies: (n: number) => number): Promise<string[]> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/ws' });
  servers.push(server);
  let echoes = 0;
  server.on('connection', (socket) => {
    let isProven = false;
    socket.on('message', (data) => {
      const times = isProven ? copies(echoes++) : 1;
      isProven = true;
      for (let i = 0; i < times; i++) socket.send(data, { binary: false });
    });
    socket.on('error', () => undefined);
  });
  await once(server, 'listening');
  return ['--target-url', `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, '--protocol', 'ws-json'];
}

/** Checks that echoes which a target drops or triples by a rule are found to the last. */
export async function foundOut(shards: number, flags: string[] = []): Promise<RunResult> {
  const target = await echoing((n) => (n % 7 === 6 ? 0 : n % 5 === 4 ? 3 : 1));
  const result = sound(keptResult(await run([...target, ...sizes, ...flags, '--drain', '5s'], shards)));
  const lost = countNth(0, 310, 7);
  const duplicate = 2 * (countNth(0, 310, 5) - countNth(0, 310, 35));
  expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 - lost, lost, duplicate });
  return result;
}
