import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineMaker, makeJavaScript, makeNative } from '../../../test/doubles/engines.js';
import { RandomStreams } from '../../../test/doubles/random-stream.js';
import { WireRecorder } from '../../../test/doubles/wire-recorder.js';
import { Certificates, canCertify } from '../../../test/https-front.js';
import { type Carry, CuttingProxy, inPieces } from '../../../test/stage/cutting-proxy.js';
import { acceptance, plainSetup, unmasked } from '../../../test/stage/raw-stage.js';

const together = 50;
let folder: string;
let server: tls.Server;
let streams: Buffer[] = [];
/** What the clients of an engine sent, unmasked, by stream. */
let said = new Map<number, string>();
let carry: Carry;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wire-tls-'));
  server = tls.createServer({ ...new Certificates(folder).of('server'), allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (request: Buffer) => void answer(socket, request));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Upgrades, sends the stream that the path names in two records, and ends. */
async function answer(socket: tls.TLSSocket, request: Buffer): Promise<void> {
  const number = Number(/^GET \/\?stream=(\d+) /.exec(request.toString('latin1'))?.[1]);
  const heard: Buffer[] = [];
  socket.on('data', (more: Buffer) => heard.push(more));
  socket.on('close', () => {
    const words = unmasked(Buffer.concat(heard)).flatMap(([first, payload]) => [Buffer.of(first), payload]);
    said.set(number, Buffer.concat(words).toString('hex'));
  });
  const bytes = streams[number]!;
  // What is written while a write is under way becomes one record.
  const written = (part: string | Buffer) => new Promise((resolve) => socket.write(part, resolve));
  await written(acceptance(request));
  await written(bytes.subarray(0, bytes.length / 3));
  socket.end(bytes.subarray(bytes.length / 3));
}

/** By stream, what an engine told of it: events, the sequence numbers of deliveries, and what it said. */
async function told(make: EngineMaker, hasSaid: boolean): Promise<string[]> {
  said = new Map();
  const count = streams.length;
  const sink = new WireRecorder();
  const proxy = new CuttingProxy((server.address() as net.AddressInfo).port, (...given) => carry(...given));
  const url = `wss://127.0.0.1:${await proxy.listen()}/?stream={client}`;
  const engine = make({ url, ...plainSetup, isInsecure: true, capacity: count }, sink);
  // One behind the other, so that the proxy counts them as the engine does.
  for (let client = 0; client < count; client++) {
    engine.open(client);
    await sink.until(() => sink.events.some((event) => event.split(' ')[1] === String(client)));
  }
  await sink.until(() => sink.events.filter((event) => event.startsWith('closed')).length === count);
  while (hasSaid && said.size < count) await new Promise((resolve) => setTimeout(resolve, 1));
  engine.dispose();
  proxy.close();
  return Array.from({ length: count }, (_, client) => {
    const events = sink.events.filter((event) => event.split(' ')[1] === String(client));
    const sequences = sink.seen.filter((one) => one.client === client).map(({ sequence }) => sequence);
    return JSON.stringify([events.map((event) => event.slice(0, 300)), sequences, hasSaid && said.get(client)]);
  });
}

async function expectTheSame(hasSaid = true): Promise<string[]> {
  const [one, other] = [await told(makeJavaScript, hasSaid), await told(makeNative!, hasSaid)];
  const differences = one.flatMap((text, n) => (text === other[n] ? [] : [[n, text, other[n]]]));
  expect(differences).toEqual([]);
  return one;
}

describe.skipIf(makeNative === undefined || !canCertify)('both engines over TLS', () => {
  it('tell the same of random streams in records that are cut anywhere', async () => {
    const random = new RandomStreams(19);
    const generator = xoroshiro128plus(23);
    carry = (bytes, to) => {
      const cuts = Array.from({ length: uniformInt(generator, 0, 7) }, () => uniformInt(generator, 1, bytes.length));
      return inPieces(
        bytes,
        to,
        cuts.sort((one, other) => one - other),
      );
    };
    const ends = new Set<string>();
    for (let round = 0; round < 20; round++) {
      streams = Array.from({ length: together }, () => random.next().bytes);
      for (const text of await expectTheSame()) ends.add(/closed \d+ ([^ ]+)/.exec(text)?.[1] ?? '');
    }
    expect(ends.size).toBeGreaterThan(15);
  });

  it('tell the same with a cut at every byte of a connection', async () => {
    const stream = Buffer.concat([
      ...['#n001', '#n002', 'hello'].map((text) => Buffer.concat([Buffer.of(0x81, text.length), Buffer.from(text)])),
      Buffer.from('8900880203e8', 'hex'),
    ]);
    const lengths: number[] = [];
    for (let first = 0; first === 0 || first < Math.max(...lengths); first += together) {
      const passed = new Map<number, number>();
      streams = new Array<Buffer>(together).fill(stream);
      carry = (bytes, to, connection) => {
        const before = passed.get(connection) ?? 0;
        passed.set(connection, before + bytes.length);
        return inPieces(bytes, to, [first + connection - before]);
      };
      const heard = await expectTheSame();
      lengths.push(...passed.values());
      expect(heard.every((text) => text.includes('[1,2]') && text.includes('close-code:1000'))).toBe(true);
    }
    expect(Math.max(...lengths)).toBeGreaterThan(800);
  });

  it('tell the same of a byte that is not as it was sent, behind the handshake', async () => {
    const text = Buffer.concat([Buffer.of(0x82, 101), Buffer.alloc(101)]);
    // The second of two records, by its length.
    const recordHead = Buffer.from([23, 3, 3, 0, 206 + 17]);
    const kinds = new Set<string>();
    for (let round = 0; round < 4; round++) {
      streams = new Array<Buffer>(together).fill(Buffer.concat([text, text, text]));
      carry = (bytes, to, connection) => {
        const record = bytes.indexOf(recordHead);
        if (record >= 0) bytes[record + ((round * together + connection) % 120)]! ^= 0x41;
        to.write(bytes);
      };
      for (const told of await expectTheSame(false)) kinds.add(/closed \d+ ([^ ]+)/.exec(told)?.[1] ?? '');
    }
    expect([...kinds].some((kind) => kind.startsWith('tls:ERR_SSL_'))).toBe(true);
  });
});
