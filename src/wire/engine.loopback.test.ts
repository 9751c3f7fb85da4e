import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { WireEngine } from './engine.js';
import { deliveryFlag, type WireSetup } from './wire.js';

const capacity = 17;
let server: WebSocketServer;
let sink: WireRecorder;
let engines: WireEngine[];

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true });
  await once(server, 'listening');
  sink = new WireRecorder();
  engines = [];
});

afterEach(async () => {
  for (const engine of engines) engine.dispose();
  for (const client of server.clients) client.terminate();
  server.close();
  await once(server, 'close');
});

function createEngine(overrides: Partial<WireSetup> = {}): WireEngine {
  const { port } = server.address() as AddressInfo;
  const engine = new WireEngine(
    {
      url: `ws://127.0.0.1:${port}/live?token=7`,
      subprotocols: [],
      headers: {},
      numberOf: (client) => client,
      localAddresses: [],
      isInsecure: false,
      connectTimeoutMs: 30_011,
      capacity,
      scan: { marker: '"n":"', sequenceOffset: 5, sequenceDigits: 5 },
      ...overrides,
    },
    sink,
  );
  engines.push(engine);
  return engine;
}

/** Opens a client and gives the server's end of it. */
async function open(engine: WireEngine, client: number): Promise<{ socket: WebSocket; request: IncomingMessage }> {
  const connected = once(server, 'connection');
  const before = sink.openTimes.length;
  engine.open(client);
  const [socket, request] = (await connected) as [WebSocket, IncomingMessage];
  await sink.until(() => sink.openTimes.length > before);
  return { socket, request };
}

const delivery = (sequence: number, padding = '') => `{"p":"${padding}","n":"${String(sequence).padStart(5, '0')}"}`;

describe('upgrade', () => {
  it('asks as set up and tells the subprotocol that the server chose', async () => {
    server.options.handleProtocols = (offered) => [...offered][1]!;
    const engine = createEngine({
      subprotocols: ['first', 'second'],
      headers: { Origin: 'http://a.test', 'X-Token': '13' },
    });
    const { request } = await open(engine, 3);
    expect(sink.events).toEqual(['opened 3 second']);
    expect(request.url).toBe('/live?token=7');
    expect(request.headers).toMatchObject({
      origin: 'http://a.test',
      'x-token': '13',
      'sec-websocket-protocol': 'first, second',
    });
    expect(request.headers['sec-websocket-extensions']).toBeUndefined();
    const { tcpNs, upgradeNs } = sink.openTimes[0]!;
    expect(tcpNs).toBeGreaterThan(0);
    expect(upgradeNs).toBeGreaterThan(tcpNs);
  });

  // Elsewhere a loopback has one address.
  it.runIf(process.platform === 'linux')('spreads clients over the source addresses, by a host name too', async () => {
    const { port } = server.address() as AddressInfo;
    const localAddresses = ['127.0.0.2', '127.0.0.3', '127.0.0.5'];
    const sources: (string | undefined)[] = [];
    for (const url of [`ws://127.0.0.1:${port}`, `ws://localhost:${port}`]) {
      const engine = createEngine({ url, localAddresses });
      for (let client = 0; client < 7; client++) {
        const { request } = await open(engine, client);
        sources[client] = request.socket.remoteAddress;
      }
      expect(sources).toEqual([0, 1, 2, 0, 1, 2, 0].map((i) => localAddresses[i]));
    }
  });
});

describe('messages', () => {
  it('takes deliveries of many clients out of one shared buffer', async () => {
    const engine = createEngine();
    for (let client = 0; client < capacity; client++) engine.open(client);
    await sink.until(() => sink.openTimes.length === capacity);
    const broadcasts = 101;
    for (let sequence = 0; sequence < broadcasts; sequence++) {
      for (const client of server.clients) client.send(delivery(sequence, 'x'.repeat(sequence * 7)));
    }
    await sink.until(() => sink.seen.length === capacity * broadcasts);
    for (let client = 0; client < capacity; client++) {
      const own = sink.seen.filter((one) => one.client === client);
      expect(own.map((one) => one.sequence)).toEqual(Array.from({ length: broadcasts }, (_, i) => i));
    }
    expect(sink.seen.every((one) => one.receivedAtNs >= one.readableFromNs)).toBe(true);
    const { reads, exact, bracketed, unstamped } = engine.stats();
    expect(exact + bracketed + unstamped).toBe(sink.seen.length);
    expect(reads).toBeGreaterThanOrEqual(2 * capacity);
  });

  it('tells deliveries from the protocol own talk, text and binary', async () => {
    const { socket } = await open(createEngine(), 5);
    socket.send('{"type":"welcome"}');
    socket.send(delivery(11));
    socket.send(Buffer.from('0700ff', 'hex'));
    socket.send(Buffer.from(delivery(13)));
    await sink.until(() => sink.seen.length === 2 && sink.events.length === 3);
    expect(sink.events.slice(1)).toEqual(['text 5 {"type":"welcome"}', 'binary 5 0700ff']);
    expect(sink.seen.map((one) => one.sequence)).toEqual([11, 13]);
  });

  it('hands deliveries to a sink that tracks positions', async () => {
    const positions: string[] = [];
    Object.assign(sink, {
      position: (client: number, bytes: Uint8Array, start: number, end: number) => {
        positions.push(`${client} ${Buffer.from(bytes.subarray(start, end))}`);
      },
    });
    const { socket } = await open(createEngine(), 2);
    socket.send(delivery(7));
    socket.send(delivery(19, 'later'));
    await sink.until(() => sink.seen.length === 2);
    expect(positions).toEqual([`2 ${delivery(7)}`, `2 ${delivery(19, 'later')}`]);
  });

  it('shows a loop that was blocked while a frame waited', async () => {
    const { socket } = await open(createEngine(), 5);
    const blockedMs = 53;
    // A timer's callback: the loop has slept before it, but not between it and the read.
    setTimeout(() => {
      socket.send(delivery(29));
      const from = performance.now();
      while (performance.now() - from < blockedMs);
    }, 11);
    await sink.until(() => sink.seen.length === 1);
    const { receivedAtNs, readableFromNs } = sink.seen[0]!;
    expect(receivedAtNs - readableFromNs).toBeGreaterThanOrEqual(blockedMs * 1e6);
  });

  it('flags deliveries in several frames, and in several reads', async () => {
    const { socket } = await open(createEngine(), 5);
    socket.send(delivery(17).slice(0, 11), { fin: false });
    socket.ping();
    socket.send(delivery(17).slice(11), { fin: true });
    await sink.until(() => sink.seen.length === 1);
    // Larger than the read buffer: it can't come in one read.
    socket.send(delivery(23, 'x'.repeat(200_003)));
    await sink.until(() => sink.seen.length === 2);
    expect(sink.seen.map((one) => one.sequence)).toEqual([17, 23]);
    expect(sink.seen.map((one) => one.flags & deliveryFlag.fragmented)).toEqual([2, 2]);
  });

  it.each([7, 131, 70_001])('sends %i characters as a masked text, and as masked bytes', async (length) => {
    const engine = createEngine();
    const { socket } = await open(engine, 1);
    const text = 'é'.repeat(length);
    for (const isBinary of [false, true]) {
      engine.send(1, isBinary ? Buffer.from(text) : text);
      const [data, wasBinary] = (await once(socket, 'message')) as [Buffer, boolean];
      expect([wasBinary, data.toString()]).toEqual([isBinary, text]);
    }
  });

  it('answers a ping with its payload', async () => {
    const { socket } = await open(createEngine(), 1);
    socket.ping(Buffer.from('070b0d', 'hex'));
    const [payload] = (await once(socket, 'pong')) as [Buffer];
    expect(payload.toString('hex')).toBe('070b0d');
  });
});

describe('ends', () => {
  it.each([
    [1000, 'close-code:1000'],
    [1008, 'close-code:1008'],
    [4003, 'close-code:4003'],
    [undefined, 'close-code:1005'],
  ])('answers a close %s and tells its code', async (code, cause) => {
    const { socket } = await open(createEngine(), 3);
    socket.close(code);
    const [answered] = (await once(socket, 'close')) as [number];
    expect(answered).toBe(code ?? 1005);
    expect(sink.events).toEqual(['opened 3', `closed 3 ${cause} true`]);
  });

  it('tells a refusal right after the 101', async () => {
    server.on('connection', (socket) => socket.close(1008, 'no room'));
    createEngine().open(2);
    await sink.untilEvent('closed 2 close-code:1008 true');
    expect(sink.events).toEqual(['opened 2', 'closed 2 close-code:1008 true']);
  });

  it('drops by a close handshake, takes nothing more before the answer, and can be opened meanwhile', async () => {
    const engine = createEngine();
    const { socket } = await open(engine, 3);
    engine.drop(3, 'close', 'rejected:go away');
    engine.drop(3, 'close');
    expect(sink.events).toEqual(['opened 3', 'closed 3 rejected:go away true']);
    socket.send(delivery(7));
    const ended = once(socket, 'close');
    await open(engine, 3);
    const [code] = (await ended) as [number];
    expect(code).toBe(1000);
    expect(sink.seen).toEqual([]);
    expect(sink.events.slice(2)).toEqual(['opened 3']);
  });

  it('drops by a reset', async () => {
    const engine = createEngine();
    const { socket } = await open(engine, 3);
    engine.drop(3, 'reset');
    expect(sink.events).toEqual(['opened 3', 'closed 3 ours true']);
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1006);
  });

  it('vanishes: the socket stays, and nobody answers on it', async () => {
    const engine = createEngine();
    const { socket } = await open(engine, 3);
    engine.drop(3, 'vanish');
    expect(sink.events).toEqual(['opened 3', 'closed 3 ours true']);
    const { socket: later } = await open(engine, 3);
    const pongs: string[] = [];
    socket.on('pong', () => pongs.push('vanished'));
    later.on('pong', () => pongs.push('later'));
    socket.ping();
    socket.send(delivery(7));
    later.ping();
    await once(later, 'pong');
    later.send(delivery(11));
    await sink.until(() => sink.seen.length > 0);
    expect(pongs).toEqual(['later']);
    // More than two kernel buffers hold: it stays with the server until the client reads.
    const large = Buffer.alloc(15_000_017);
    for (const end of [socket, later]) for (let i = 0; i < 5; i++) end.send(large);
    let taken = 0;
    sink.message = () => {
      taken++;
    };
    later.send(delivery(13));
    await sink.until(() => sink.seen.length === 2);
    expect(taken).toBe(5);
    expect(later.bufferedAmount).toBe(0);
    expect(socket.bufferedAmount).toBeGreaterThan(0);
    expect(sink.seen.map((one) => one.sequence)).toEqual([11, 13]);
    expect(socket.readyState).toBe(socket.OPEN);
    engine.dispose();
    await once(socket, 'close');
  });

  it('opens an id again, even while being told of its end, and never mixes the two', async () => {
    const engine = createEngine();
    const { socket: first } = await open(engine, 3);
    const { closed } = sink;
    sink.closed = (client, cause, wasOpen) => {
      closed.call(sink, client, cause, wasOpen);
      if (cause !== 'ours') engine.open(client);
    };
    const connected = once(server, 'connection');
    // Two more frames after the close frame in the same write: they belong to a connection that is over.
    const raw = (first as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
    raw.write(Buffer.concat([Buffer.from('880203e8', 'hex'), Buffer.of(0x81, 18), Buffer.from(delivery(7))]));
    const [second] = (await connected) as [WebSocket];
    await sink.untilEvent('opened 3', 2);
    second.send(delivery(13));
    await sink.until(() => sink.seen.length > 0);
    expect(sink.events).toEqual(['opened 3', 'closed 3 close-code:1000 true', 'opened 3']);
    expect(sink.seen.map((one) => one.sequence)).toEqual([13]);
    expect(() => engine.open(3)).toThrow(RangeError);
    expect(() => engine.open(capacity)).toThrow(RangeError);
  });

  it('disposes without another event', async () => {
    const engine = createEngine();
    const { socket } = await open(engine, 3);
    engine.open(5);
    const gone = once(socket, 'close');
    engine.dispose();
    await gone;
    engine.send(3, 'x');
    engine.drop(3, 'reset');
    expect(sink.events).toEqual(['opened 3']);
  });
});
