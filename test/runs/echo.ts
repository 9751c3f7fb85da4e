import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { WebSocketServer } from 'ws';
import type { RunResult } from '../../src/results/result.js';
import { voidedBy, workplace } from '../workplace.js';

const place = workplace();

export const servers: WebSocketServer[] = [];

afterAll(() => {
  for (const server of servers) {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});

export const sizes = ['--clients', '31', '--rate', '10/s', '--duration', '1s', '--ramp-rate', '500/s'];

export const run = (flags: string[], env: Record<string, string> = {}) => place.run(['run', 'echo', ...flags], env);

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

/** A target in this process that does with the n-th echo of all, from 0, as told. The first of each connection, which proves it, is not among them. */
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
