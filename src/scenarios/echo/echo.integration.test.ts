import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { RunResult } from '../../contract/result.js';
import { countNth } from '../../testing/latency.js';
import { keptResult, workplace } from '../../testing/workplace.js';

const place = workplace();
const servers: WebSocketServer[] = [];
afterAll(() => {
  for (const server of servers) {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});

const sizes = ['--clients', '31', '--rate', '10/s', '--duration', '1s', '--ramp-rate', '500/s'];
const run = (flags: string[], env: Record<string, string> = {}) => place.run(['run', 'echo', ...flags], env);

const clean = { unsent: 0, lost: 0, duplicate: 0, late: 0, stray: 0 };

/** What holds of every run that was not ended early. */
function sound(result: RunResult): RunResult {
  const { sent, expected, delivered = 0, lost = 0 } = result.ledger as Record<string, number>;
  expect([expected, result.stop.code]).toEqual([sent, 'completed']);
  expect(expected).toBe(delivered + lost);
  expect(result.metrics.roundTrip?.count).toBe(delivered);
  // A machine with other things to do may take its time.
  const voids = result.verdict.evidence.filter(({ level, rule }) => level === 'void' && rule !== 'elapsed-overrun');
  expect(voids).toEqual([]);
  return result;
}

describe.concurrent('echoes of our targets', () => {
  const targets = ['ws', 'uws', 'socketio', 'socketio-csr', 'metronome', 'metronome-socketio'];
  it.each(targets)('%s: every client gets back all that it sent', async (target) => {
    const ended = await run(['--target', target, ...sizes, '--local-shards', '2', '--workers', '2']);
    const result = sound(keptResult(ended));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 });
    const { roundTripFromIntended, sendLag, firstEcho } = result.metrics;
    expect([roundTripFromIntended?.count, sendLag?.count, firstEcho?.count]).toEqual([310, 310, 31]);
    expect(ended.stdout).toContain('310 = 310 delivered + 0 lost');
  });

  it.each(['ws', 'socketio'])('%s: by its real library, too', async (target) => {
    const result = sound(keptResult(await run(['--target', target, ...sizes, '--client', 'library'])));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 });
  });

  it('over several processes: each client has its own', async () => {
    const result = sound(keptResult(await run(['--target', 'uws', ...sizes, '--target-processes', '2'])));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 });
  });

  it('in a closed loop: one after the other, with no intended instant', async () => {
    // On an open schedule of one a second it would be 31.
    const result = sound(keptResult(await run(['--target', 'ws', ...sizes, '--rate', '1/s', '--loop', 'closed'])));
    expect(result.ledger).toMatchObject(clean);
    expect(result.ledger.sent).toBeGreaterThan(31);
    expect([result.metrics.roundTripFromIntended?.count, result.metrics.sendLag?.count]).toEqual([0, 0]);
    expect(result.environment.offeredPerSecond).toBeNull();
  });

  it('are not to be had of a protocol without them', async () => {
    const ended = await run(['--target', 'metronome-anycable', ...sizes]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('scenario echo needs "echo", which protocol anycable has not');
  });
});

/** A target in this process that does with the n-th echo of all, from 0, as told. The first of each connection, which proves it, is not among them. */
async function echoing(copies: (n: number) => number): Promise<string[]> {
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

describe.concurrent('echoes of a target that does wrong by a known rule', () => {
  it.each([1, 3])('are found out to the last by %i shard(s)', async (shards) => {
    const target = await echoing((n) => (n % 7 === 6 ? 0 : n % 5 === 4 ? 3 : 1));
    const result = sound(
      keptResult(await run([...target, ...sizes, '--drain', '5s', '--local-shards', String(shards)])),
    );
    const lost = countNth(0, 310, 7);
    const duplicate = 2 * (countNth(0, 310, 5) - countNth(0, 310, 35));
    expect(result.ledger).toMatchObject({ ...clean, sent: 310, delivered: 310 - lost, lost, duplicate });
  });

  it('end the run before it begins, where there are none', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/ws' });
    servers.push(server);
    await once(server, 'listening');
    const at = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
    const ended = await run([
      ...['--target-url', at, '--protocol', 'ws-json', ...sizes, '--subscribe-timeout', '503ms'],
    ]);
    const result = keptResult(ended);
    expect(result.stop.code).toBe('handshakeTimeouts');
    expect(result.stop.evidence.join()).toContain('subscribe-timeout × 31');
    expect([ended.code, result.verdict.rig, result.ledger.sent]).toEqual([4, 'void', 0]);
  });
});
