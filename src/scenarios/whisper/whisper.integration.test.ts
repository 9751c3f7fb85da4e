import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RunResult } from '../../contract/result.js';
import { keptResult, workplace } from '../../testing/workplace.js';

const place = workplace();
const servers: WebSocketServer[] = [];
afterAll(() => {
  for (const server of servers) {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
});

const anycableGo = process.env.ANYCABLE_GO_BIN;
const warmUp = 1;
const sendsEach = 10;
// Six rooms of five and a last one of three.
const sizes = [
  ...['--clients', '33', '--room', '5', '--rate', '10/s', '--duration', '1s'],
  ...['--warm-up', String(warmUp), '--ramp-rate', '500/s'],
];
const sent = 33 * sendsEach;
const owed = (6 * 5 * 4 + 3 * 2) * sendsEach;
const books = { sent, expected: owed, delivered: owed, lost: 0, unsent: 0, duplicate: 0, late: 0, stray: 0 };

const run = (flags: string[], env: Record<string, string | undefined> = {}) =>
  place.run(['run', 'whisper', ...flags], env);

/** What holds of every run that was not ended early. */
function sound(result: RunResult): RunResult {
  const { expected, delivered = 0, lost = 0, untimed = 0 } = result.ledger as Record<string, number>;
  expect([result.stop.code, expected]).toEqual(['completed', delivered + lost]);
  // A machine with other things to do may take its time.
  const voids = result.verdict.evidence.filter(({ level, rule }) => level === 'void' && rule !== 'elapsed-overrun');
  expect(voids).toEqual([]);
  for (const name of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast']) {
    expect([name, result.metrics[name]?.count]).toEqual([name, delivered - untimed]);
  }
  return result;
}

describe.concurrent('whispers of our targets', () => {
  const targets = ['ws', 'uws', 'socketio', 'socketio-csr', 'metronome', 'metronome-socketio', 'metronome-anycable'];
  it.each(targets)('%s: each reaches all others in its room, over two shards with two workers each', async (target) => {
    const result = sound(
      keptResult(await run(['--target', target, ...sizes, '--local-shards', '2', '--workers', '2'])),
    );
    expect(result.ledger).toMatchObject(books);
    // Workers have 9, 8, 8 and 8 clients: two of the three borders between them, after 9, 17 and 25, cut a room of five: 4 + 1 and 2 + 3.
    expect(result.ledger.untimed).toBe((2 * 4 * 1 + 2 * 2 * 3) * sendsEach);
  });

  it.each(['ws', 'socketio', 'metronome-anycable'])('%s: by its real library, too', async (target) => {
    const result = sound(
      keptResult(await run(['--target', target, ...sizes, '--client', 'library', '--workers', '1'])),
    );
    expect(result.ledger).toMatchObject({ ...books, untimed: 0 });
  });

  it('over several processes: members of a room are at different ones', async () => {
    const result = sound(keptResult(await run(['--target', 'uws', ...sizes, '--target-processes', '3'])));
    expect(result.ledger).toMatchObject(books);
  });

  it.runIf(anycableGo !== undefined).each(['wire', 'library'])(
    'anycable: on its public streams, %s',
    async (client) => {
      const flags = ['--target', 'anycable', ...sizes, '--client', client];
      expect(sound(keptResult(await run(flags, { ANYCABLE_GO_BIN: anycableGo }))).ledger).toMatchObject(books);
    },
  );
});

/** A target in this process that writes so many copies of the n-th delivery of a whisper, from 0, warm-up included. */
async function whispering(
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

describe.concurrent('whispers of a target that does wrong by a known rule', () => {
  it.each([1, 3])('are found out to the last by %i shard(s)', async (shards) => {
    const { flags, counted } = await whispering((n) => (n % 7 === 6 ? 0 : n % 5 === 4 ? 3 : 1));
    const drained = ['--drain', '5s', '--local-shards', String(shards)];
    const result = sound(keptResult(await run([...flags, ...sizes, ...drained])));
    const { dropped = 0, doubled = 0 } = counted;
    expect(dropped * doubled).toBeGreaterThan(0);
    const spoilt = { delivered: owed - dropped, lost: dropped, duplicate: doubled };
    expect(result.ledger).toMatchObject({ ...books, ...spoilt });
  });
});
