import { once } from 'node:events';
import type { Socket } from 'node:net';
import { request } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { decodeSamples } from '../../src/measure/samples/encoding.js';
import { payloadFormat } from '../../src/measure/samples/payload.js';
import { metronomeConnections, metronomeRecord, recordPaths } from '../../src/targets/metronome/record.js';
import { built } from '../../test/built.js';
import { workplace } from '../../test/workplace.js';
import { eventually, WsJsonClients } from '../../test/ws-json-client.js';

const place = workplace();
const format = payloadFormat('0123abcd', 200);
const sockets: WebSocket[] = [];
const clients = new WsJsonClients();

afterAll(() => {
  clients.terminate();
  for (const socket of sockets) socket.terminate();
});

/** A metronome under these orders, and what can be asked of it. */
async function started(...orders: string[]) {
  const { port } = await place.serve('servers/metronome/main.js', orders);
  const base = `http://127.0.0.1:${port}`;
  const json = async (path: string) => (await request(base + path)).body.json();
  return {
    port,
    /** Publishes one broadcast of a run; gives the status of the answer. */
    async publish(sequence: number, stream = 's'): Promise<number> {
      const body = JSON.stringify({ stream, data: format.text(0, sequence) });
      const answer = await request(`${base}/_broadcast`, { method: 'POST', body });
      await answer.body.dump();
      return answer.statusCode;
    },
    record: async (query = '') => metronomeRecord.parse(await json(recordPaths.summary + query)),
    connections: async () => metronomeConnections.parse(await json(recordPaths.connections)),
    async samples(which: 'asked' | 'done', query = '') {
      const samples = decodeSamples(await (await request(base + recordPaths[which] + query)).body.bytes());
      if (samples.kind !== 'raw') throw new Error('no raw samples');
      return [...samples.values];
    },
    settings: async () => ((await json('/_stats')) as { settings: object }).settings,
  };
}

/** A `ws-json` client of the real library, subscribed; `sequences` are those of its deliveries as they came. */
async function subscriber(port: number) {
  const { socket, texts } = await clients.subscribe(`ws://127.0.0.1:${port}/ws`, 's');
  const sequences: number[] = [];
  socket.on('message', (data) => {
    const sequence = format.sequenceOf(String(data));
    if (sequence >= 0) sequences.push(sequence);
  });
  const { localPort } = (socket as unknown as { _socket: Socket })._socket;
  return { socket, sequences, texts, peer: `127.0.0.1:${localPort}` };
}

/** Publishes one broadcast at a time to clients that came one by one, and waits until nothing is pending. */
async function runThrough(orders: string[], subscribers = 7, broadcasts = 53) {
  const metronome = await started(...orders);
  const heard: Awaited<ReturnType<typeof subscriber>>[] = [];
  for (let index = 0; index < subscribers; index++) heard.push(await subscriber(metronome.port));
  const statuses: number[] = [];
  for (let sequence = 0; sequence < broadcasts; sequence++) statuses.push(await metronome.publish(sequence));
  await expect.poll(async () => (await metronome.record()).totals.pending, eventually).toBe(0);
  const [record, connections] = [await metronome.record(), await metronome.connections()];
  const { delivered, duplicated } = record.totals;
  const seen = () => heard.reduce((sum, { sequences }) => sum + sequences.length, 0);
  await expect.poll(seen, eventually).toBe(delivered + duplicated);
  return { metronome, clients: heard, statuses, record, connections };
}

const faults = [
  '--drop=0.1',
  '--duplicate=0.2',
  '--reorder=0.15',
  '--refuse-publish=0.1',
  '--delay=uniform:0ms,7ms',
  '--seed=7',
];

describe('a metronome', () => {
  it('drops, duplicates, reorders and refuses exactly what its record says, client by client', async () => {
    const { metronome, clients, statuses, record, connections } = await runThrough(faults);
    expect(record.broadcasts.map(({ status }) => status)).toEqual(statuses);
    const { totals } = record;
    expect(totals).toMatchObject({
      owed: 7 * totals.broadcasts,
      broadcasts: 53 - totals.refusedPublishes,
      isWhole: true,
    });
    for (const name of ['dropped', 'duplicated', 'reordered', 'refusedPublishes'] as const)
      expect(totals[name], name).toBeGreaterThan(0);
    for (const { sequences, peer } of clients) {
      const books = connections.find((each) => each.peer === peer)!;
      const firsts = [...new Set(sequences)];
      const taken = statuses.flatMap((status, sequence) => (status === 201 ? [sequence] : []));
      expect(taken.filter((sequence) => !firsts.includes(sequence))).toEqual(books.dropped);
      const twice = firsts.filter((sequence) => sequences.filter((each) => each === sequence).length > 1);
      expect(twice.toSorted((a, b) => a - b)).toEqual(books.duplicated);
      const late = firsts.filter((sequence, index) => firsts.slice(0, index).some((earlier) => earlier > sequence));
      expect(late).toEqual(books.reordered);
    }
    const [asked, done] = [await metronome.samples('asked'), await metronome.samples('done')];
    expect([asked.length, done.length]).toEqual([totals.delivered, totals.delivered]);
    expect(await metronome.settings()).toEqual({
      ...{ delay: 'uniform:0s,7ms', drop: 0.1, duplicate: 0.2, reorder: 0.15, refusePublish: 0.1, seed: 7 },
    });
  });

  it('does the same to the same connections from one seed, and other things from another', async () => {
    const [first, again, other] = await Promise.all(
      [faults, faults, [...faults, '--seed=8']].map(async (orders) => {
        const { connections, statuses, record } = await runThrough(orders, 3, 41);
        return {
          deeds: [statuses, connections.map(({ peer: _peer, reordered: _reordered, ...rest }) => rest)],
          reordered: connections.map(({ reordered }) => reordered),
          unswapped: record.totals.unswapped,
        };
      }),
    );
    expect(again?.deeds).toEqual(first?.deeds);
    expect(other?.deeds).not.toEqual(first?.deeds);
    // A swap ends without another delivery within two seconds, and a busy machine can delay that delivery.
    if (again?.unswapped === first?.unswapped) expect(again?.reordered).toEqual(first?.reordered);
  });

  it('refuses as many upgrades as it says', async () => {
    const { port, record } = await started('--refuse=0.25');
    let refused = 0;
    for (let upgrade = 0; upgrade < 101; upgrade++) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
      sockets.push(socket);
      await Promise.race([
        once(socket, 'open'),
        once(socket, 'unexpected-response').then(([, response]) => {
          expect(response.statusCode).toBe(503);
          refused++;
        }),
      ]);
    }
    expect(refused).toBeGreaterThan(0);
    expect((await record()).totals.refusedConnections).toBe(refused);
  });

  it('holds every delivery back for at least as long as it was told', async () => {
    const { port, publish, samples } = await started('--delay=bimodal:19ms,61ms,0.5');
    const client = await subscriber(port);
    for (let sequence = 0; sequence < 13; sequence++) {
      const sentMs = performance.now();
      await publish(sequence);
      await expect.poll(() => client.sequences.length, { ...eventually, interval: 1 }).toBe(sequence + 1);
      expect(performance.now() - sentMs).toBeGreaterThanOrEqual(19);
    }
    const [asked, done] = [await samples('asked'), await samples('done')];
    expect(new Set(asked.map((us) => Math.round(us / 1000)))).toEqual(new Set([19, 61]));
    for (const [index, us] of done.entries()) expect(us).toBeGreaterThanOrEqual(asked[index]!);
    expect(await samples('asked', '?from=11')).toHaveLength(2);
  });

  it('stands still as ordered, and takes nobody’s clock for it but its own', async () => {
    const { port, publish, record, samples } = await started('--freeze=0s+2s');
    const client = await subscriber(port);
    expect(await publish(0)).toBe(201);
    client.socket.send('{"type":"echo"}');
    const answered = publish(1);
    // Neither the broadcast nor the talk of the client passes a freeze; the record does.
    expect((await record()).totals).toMatchObject({ delivered: 0 });
    expect(await answered).toBe(201);
    await expect.poll(() => client.sequences, eventually).toEqual([0, 1]);
    expect(client.texts).toHaveLength(3);
    const [first, second] = (await record()).broadcasts.map(({ receivedAtNs }) => receivedAtNs);
    const gapUs = (second! - first!) / 1000;
    const asked = await samples('asked');
    expect(asked[1]).toBe(2_000_000);
    expect(Math.abs(asked[0]! + gapUs - 2_000_000)).toBeLessThan(2);
    for (const [index, us] of (await samples('done')).entries()) expect(us).toBeGreaterThanOrEqual(asked[index]!);
  });

  it('trickles frames that arrive whole, with pongs and echoes between them', async () => {
    const { port, publish, record } = await started('--trickle=7b,1ms', '--duplicate=0.5');
    const clients = [await subscriber(port), await subscriber(port)];
    const pongs: string[] = [];
    for (const { socket } of clients) socket.on('pong', (payload) => pongs.push(String(payload)));
    for (let sequence = 0; sequence < 5; sequence++) {
      await publish(sequence);
      for (const { socket } of clients) {
        socket.ping(`ping ${sequence}`);
        socket.send('{"type":"echo"}');
      }
    }
    await expect.poll(async () => (await record()).totals.delivered, eventually).toBe(10);
    await expect.poll(() => pongs.length, eventually).toBe(10);
    for (const { texts, sequences } of clients) {
      await expect.poll(() => texts.filter((text) => text === '{"type":"echo"}').length, eventually).toBe(5);
      expect(new Set(sequences)).toEqual(new Set([0, 1, 2, 3, 4]));
      expect(texts.filter((text) => text !== '{"type":"echo"}')).toEqual(
        sequences.map((sequence) => format.text(0, sequence)),
      );
    }
    expect((await record()).totals.trickled).toBe(10);
  });

  it('keeps streams apart, in the fan-out and in the record', async () => {
    const { port, publish, record } = await started();
    const client = await subscriber(port);
    await publish(3, 'other');
    await publish(5);
    await expect.poll(() => client.sequences, eventually).toEqual([5]);
    expect((await record()).totals).toMatchObject({ broadcasts: 2, owed: 1 });
    expect((await record('?from=4')).broadcasts.map(({ sequence }) => sequence)).toEqual([5]);
    expect((await record('?stream=other')).totals).toMatchObject({ broadcasts: 1, owed: 0 });
  });

  it('tells what a connection that left is no longer sent', async () => {
    const { port, publish, record, connections } = await started('--delay=constant:503ms');
    const [stayer, leaver] = [await subscriber(port), await subscriber(port)];
    await publish(0);
    leaver.socket.terminate();
    await expect
      .poll(async () => (await record()).totals, eventually)
      .toMatchObject({ owed: 2, delivered: 1, gone: 1 });
    expect(stayer.sequences.length + leaver.sequences.length).toBeLessThanOrEqual(1);
    expect((await connections()).map(({ isOpen }) => isOpen)).toEqual([true, false]);
  });
});

it('pings clients of Action Cable', async () => {
  const { port } = await started('--protocol', 'anycable');
  const socket = new WebSocket(`ws://127.0.0.1:${port}/cable`, 'actioncable-v1-json');
  sockets.push(socket);
  const types: string[] = [];
  socket.on('message', (data) => types.push(JSON.parse(String(data)).type));
  await expect.poll(() => types.slice(0, 3), eventually).toEqual(['welcome', 'ping', 'ping']);
});

it('ends with 2 and says everything that is wrong with its orders', async () => {
  const orders = ['--delay=fast', '--drop=2', '--protocol=smtp'];
  const ended = await place.start(process.execPath, [built('servers/metronome/main.js'), ...orders]).ended;
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(
    /^metronome: --protocol: .+; --delay: expected constant.+; --drop: expected at most 1.+\n$/,
  );
});
