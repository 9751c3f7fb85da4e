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
