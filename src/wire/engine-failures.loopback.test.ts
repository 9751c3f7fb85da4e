import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { pendingTimers } from '../../test/pending-timers.js';
import { acceptFor } from './upgrade.js';
import type { Engine, WireSetup } from './wire.js';

const never = 86_399_993;
overEngines((make, isNative) => {
  let server: net.Server;
  let sockets: net.Socket[];
  let sink: WireRecorder;
  let engine: Engine;

  /** A target that does exactly what a test writes. */
  async function listen(onSocket: (socket: net.Socket) => void): Promise<void> {
    server = net.createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      // A client that resets is the matter of the test, not an error of its target.
      socket.on('error', () => socket.destroy());
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  function createEngine(overrides: Partial<WireSetup> = {}): void {
    const { port } = server.address() as net.AddressInfo;
    engine = make(
      {
        url: `ws://127.0.0.1:${port}`,
        ...{ subprotocols: [], headers: {}, localAddresses: [], isInsecure: false },
        ...{ numberOf: (client) => client, connectTimeoutMs: never, capacity: 7 },
        scan: { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 },
        ...overrides,
      },
      sink,
    );
  }

  /** The 101 for a request's bytes. */
  function acceptance(request: Buffer): string {
    const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(request.toString())![1]!;
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    return [...lines, `Sec-WebSocket-Accept: ${acceptFor(key)}`, '', ''].join('\r\n');
  }

  /** Answers the upgrade, then leaves the socket to the test. */
  function accepting(socket: net.Socket): void {
    socket.once('data', (request: Buffer) => socket.write(acceptance(request)));
  }

  async function openClient(client: number): Promise<net.Socket> {
    engine.open(client);
    await sink.untilEvent(`opened ${client}`);
    return sockets.at(-1)!;
  }

  beforeEach(() => {
    sockets = [];
    sink = new WireRecorder();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    engine.dispose();
    for (const socket of sockets) socket.destroy();
    if (server.listening) {
      server.close();
      await once(server, 'close');
    }
  });

  describe('attempts that fail', () => {
    it('nobody listens', async () => {
      await listen(() => undefined);
      createEngine();
      server.close();
      await once(server, 'close');
      engine.open(3);
      await sink.untilEvent('closed 3 connect-refused false');
    });

    it('a source address that is not ours', async () => {
      await listen(accepting);
      createEngine({ localAddresses: ['192.0.2.1'] });
      engine.open(3);
      await sink.untilEvent('closed 3 source-address false');
    });

    it('a name that does not resolve', async () => {
      await listen(accepting);
      createEngine({ url: 'ws://no-such-host.invalid' });
      engine.open(3);
      await sink.until(() => /^closed 3 network:(ENOTFOUND|EAI_AGAIN) false$/.test(sink.events[0] ?? ''));
    });

    it.each([
      ['http-status:503', 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'],
      ['http-status:429', 'HTTP/1.1 429 Too Many Requests\r\n\r\nslow down'],
      [
        'bad-upgrade:accept key',
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      ],
      ['bad-upgrade:header size', `HTTP/1.1 101 Switching Protocols\r\nX: ${'x'.repeat(16_384)}`],
      ['bad-upgrade:header size', `HTTP/1.1 101 Switching Protocols\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`],
    ])('an answer refused as %s, whole or in pieces', async (cause, answer) => {
      await listen((socket) => {
        const isWhole = sockets.length === 1;
        socket.setNoDelay(true);
        socket.once('data', async () => {
          if (isWhole) {
            socket.write(answer);
            return;
          }
          for (let at = 0; at < answer.length && socket.writable; at += Math.ceil(answer.length / 7)) {
            socket.write(answer.slice(at, at + Math.ceil(answer.length / 7)));
            await nextTurn();
          }
        });
      });
      createEngine();
      engine.open(0);
      await sink.untilEvent(`closed 0 ${cause} false`);
      engine.open(1);
      await sink.untilEvent(`closed 1 ${cause} false`);
      expect(sink.events.length).toBe(2);
    });

    it('an end before the answer', async () => {
      await listen((socket) => socket.once('data', () => socket.end('HTTP/1.1 101 Switch')));
      createEngine();
      engine.open(3);
      await sink.untilEvent('closed 3 end-of-stream false');
    });

    it('a reset before the answer', async () => {
      await listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
      createEngine();
      engine.open(3);
      await sink.untilEvent('closed 3 reset false');
    });

    it('a target that never answers', async () => {
      await listen((socket) => socket.resume());
      createEngine({ connectTimeoutMs: 53 });
      for (let client = 0; client < 7; client++) engine.open(client);
      await sink.until(() => sink.events.length === 7);
      expect(sink.events).toEqual(Array.from({ length: 7 }, (_, client) => `closed ${client} connect-timeout false`));
    });

    it('a drop before it is open', async () => {
      await listen((socket) => socket.resume());
      createEngine();
      for (const [client, mode] of (['reset', 'close', 'vanish'] as const).entries()) {
        engine.open(client);
        engine.drop(client, mode);
      }
      expect(sink.events).toEqual([0, 1, 2].map((client) => `closed ${client} ours false`));
    });
  });

  describe('open connections that end', () => {
    it.each([
      ['c10161', 'reserved bits set', 1002],
      ['8102c328', 'text is not UTF-8', 1007],
      ['827f0000000001000001', 'message too big', 1009],
    ])('by a violation: %s', async (bytes, why, code) => {
      await listen(accepting);
      createEngine();
      const socket = await openClient(3);
      const received: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      socket.write(Buffer.from(bytes, 'hex'));
      await sink.untilEvent(`closed 3 protocol-error:${why} true`);
      await once(socket, 'end');
      const frame = Buffer.concat(received);
      expect([frame[0], frame[1]]).toEqual([0x88, 0x82]);
      expect(frame.readUInt16BE(6) ^ frame.readUInt16BE(2)).toBe(code);
    });

    it('by an end without a close frame, inside a frame even', async () => {
      await listen(accepting);
      createEngine();
      const socket = await openClient(3);
      socket.end(Buffer.from('8105', 'hex'));
      await sink.untilEvent('closed 3 end-of-stream true');
    });

    it('by a reset', async () => {
      await listen(accepting);
      createEngine();
      const socket = await openClient(3);
      socket.resetAndDestroy();
      await sink.untilEvent('closed 3 reset true');
    });

    it('by us, with a reset on the wire', async () => {
      await listen(accepting);
      createEngine();
      const socket = await openClient(3);
      const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
      engine.drop(3, 'reset');
      expect((await failed).code).toBe('ECONNRESET');
      expect(sink.events).toEqual(['opened 3', 'closed 3 ours true']);
    });

    it('by us, with a silent target: the client at once, its socket after a bounded wait', async () => {
      await listen(accepting);
      createEngine();
      const socket = await openClient(3);
      socket.resume();
      const gone = new Promise((resolve) => socket.once('end', resolve).once('error', resolve));
      engine.drop(3, 'close');
      await Promise.all([openClient(3), gone]);
      expect(sink.events).toEqual(['opened 3', 'closed 3 ours true', 'opened 3']);
    });
  });

  it('takes frames that came with the 101, the first of its target and a later one', async () => {
    await listen((socket) => {
      socket.once('data', (request: Buffer) => {
        socket.write(`${acceptance(request)}\x81\x05#n013\x81\x05#n017\x81\x05#n0`, 'latin1');
      });
    });
    createEngine();
    for (const client of [3, 5]) {
      const socket = await openClient(client);
      socket.write('19');
      await sink.until(() => sink.seen.filter((one) => one.client === client).length === 3);
    }
    expect(sink.events).toEqual(['opened 3', 'opened 5']);
    const deliveries = [13, 17, 19].map((sequence) => [sequence, sequence === 19 ? 0 : 1]);
    expect(sink.seen.map((one) => [one.sequence, one.flags & 1])).toEqual([...deliveries, ...deliveries]);
  });

  it('judges every answer, however like the one before', async () => {
    const right = (request: Buffer) => acceptance(request);
    let before = '';
    const answers: ((request: Buffer) => string)[] = [
      right,
      () => before,
      right,
      (request) => right(request).replace('101', '401'),
      (request) => right(request).replace('\r\n\r\n', '\r\nSec-WebSocket-Extensions: x\r\n\r\n'),
      (request) => right(request).replace('\r\n\r\n', '\r\nDate: later\r\n\r\n'),
      right,
    ];
    await listen((socket) => {
      const answer = answers[sockets.length - 1]!;
      socket.once('data', (request: Buffer) => {
        before = answer(request);
        socket.write(before);
      });
    });
    createEngine();
    for (const [client] of answers.entries()) {
      engine.open(client);
      await sink.until(() => sink.events.length === client + 1);
    }
    expect(sink.events).toEqual([
      'opened 0',
      'closed 1 bad-upgrade:accept key false',
      'opened 2',
      'closed 3 http-status:401 false',
      'closed 4 bad-upgrade:extension false',
      'opened 5',
      'opened 6',
    ]);
  });

  it('disposes of every kind of connection and leaves no handle', async () => {
    const timers = pendingTimers();
    const handles = () => process.getActiveResourcesInfo().filter((one) => one.startsWith('TCPSocket')).length;
    await listen((socket) => {
      socket.unref();
      accepting(socket);
    });
    createEngine();
    for (let client = 0; client < 5; client++) await openClient(client);
    engine.drop(0, 'vanish');
    engine.drop(1, 'close');
    sockets[2]!.write(Buffer.from('880203e8', 'hex'));
    await sink.untilEvent('closed 2 close-code:1000 true');
    // More than a target that reads nothing takes: what is still to be written must not hold the engine back.
    sockets[3]!.pause();
    engine.send(3, 'x'.repeat(67_000_009));
    engine.open(5);
    expect(timers.size > 0).toBe(!isNative);
    const events = [...sink.events];
    engine.dispose();
    expect(timers.size).toBe(0);
    while (handles() > 0) await nextTurn();
    expect(sink.events).toEqual(events);
    expect(() => engine.open(6)).toThrow(RangeError);
  });
});
