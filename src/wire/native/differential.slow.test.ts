import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineMaker, makeJavaScript, makeNative } from '../../../test/doubles/engines.js';
import { type RandomStream, RandomStreams } from '../../../test/doubles/random-stream.js';
import { WireRecorder } from '../../../test/doubles/wire-recorder.js';
import { acceptance, plainSetup, unmasked } from '../../../test/stage/raw-stage.js';

/** Frames without their keys: these are random. */
const wordsIn = (bytes: Buffer): Buffer =>
  Buffer.concat(unmasked(bytes).flatMap(([first, payload]) => [Buffer.of(first), payload]));

const streamsEach = 10_000;
const together = 50;
/** What the clients of an engine sent, unmasked, by stream. */
let said: Map<number, Buffer>;
let streams: RandomStream[];
let server: net.Server;

beforeAll(async () => {
  server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (request: Buffer) => void answer(socket, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
});

/** Upgrades, sends the stream that the path names in its pieces, and ends. */
async function answer(socket: net.Socket, request: Buffer): Promise<void> {
  const number = Number(/^GET \/\?stream=(\d+) /.exec(request.toString('latin1'))?.[1]);
  const heard: Buffer[] = [];
  socket.setNoDelay(true);
  socket.on('data', (more: Buffer) => heard.push(more));
  socket.on('close', () => said.set(number, wordsIn(Buffer.concat(heard))));
  const { bytes, cuts } = streams[number] as RandomStream;
  socket.write(acceptance(request));
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    if (!socket.writable) return;
    socket.write(bytes.subarray(from, to));
    from = to;
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
}

/** By stream, what an engine told of it: events, the sequence numbers of deliveries, and what it said. */
async function told(make: EngineMaker, first: number, count: number): Promise<string[]> {
  said = new Map();
  const sink = new WireRecorder();
  const { port } = server.address() as net.AddressInfo;
  const engine = make(
    {
      url: `ws://127.0.0.1:${port}/?stream={client}`,
      ...{ ...plainSetup, numberOf: (client: number) => first + client, capacity: count },
    },
    sink,
  );
  for (let client = 0; client < count; client++) engine.open(client);
  const ended = () => sink.events.filter((event) => event.startsWith('closed')).length;
  await sink.until(() => ended() === count);
  while (said.size < count) await new Promise((resolve) => setTimeout(resolve, 1));
  engine.dispose();
  return Array.from({ length: count }, (_, client) => {
    const events = sink.events.filter((event) => event.split(' ')[1] === String(client)).map((event) => digest(event));
    const sequences = sink.seen.filter((one) => one.client === client).map(({ sequence }) => sequence);
    return JSON.stringify([events, sequences, said.get(first + client)?.toString('hex')]);
  });
}

const digest = (event: string): string => `${event.length} ${event.slice(0, 300)}`;

describe.skipIf(makeNative === undefined)('both engines', () => {
  it('tell the same of random streams, sound and broken ones', async () => {
    const random = new RandomStreams(17);
    streams = [];
    const differences: [number, string, string][] = [];
    const ends = new Set<string>();
    for (let first = 0; first < streamsEach; first += together) {
      for (let n = 0; n < together; n++) streams.push(random.next());
      const [one, other] = [await told(makeJavaScript, first, together), await told(makeNative!, first, together)];
      one.forEach((text, n) => {
        ends.add(/closed \d+ ([^ ]+)/.exec(text)?.[1] ?? '');
        if (text !== other[n]) differences.push([first + n, text.slice(0, 999), (other[n] as string).slice(0, 999)]);
      });
      for (let n = first; n < first + together; n++) streams[n] = { bytes: Buffer.of(), cuts: [] };
      expect(differences).toEqual([]);
    }
    // Every way to break the rules that a frame has, the close codes, and a stream that just ends.
    expect(ends.size).toBeGreaterThan(15);
  });
});
