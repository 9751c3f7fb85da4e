import { once } from 'node:events';
import type net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { pendingTimers } from '../../test/pending-timers.js';
import { acceptance, accepting, RawStage } from '../../test/stage/raw-stage.js';

const silent = (socket: net.Socket): void => void socket.resume();

overEngines((make, isNative) => {
  const stage = new RawStage(make);
  /** A client that fails for this cause. */
  const fails = async (cause: string) => {
    stage.engine.open(3);
    await stage.sink.untilEvent(`closed 3 ${cause} false`);
  };

  describe('attempts that fail', () => {
    it('nobody listens', async () => {
      await stage.listen(silent);
      await once(stage.server.close(), 'close');
      await fails('connect-refused');
    });

    it('a source address that is not ours', async () => {
      await stage.listen(accepting, { localAddresses: ['192.0.2.1'] });
      await fails('source-address');
    });

    it('a name that does not resolve', async () => {
      await stage.listen(accepting, { url: 'ws://no-such-host.invalid' });
      stage.engine.open(3);
      const isTold = () => /^closed 3 network:(ENOTFOUND|EAI_AGAIN) false$/.test(stage.sink.events[0] ?? '');
      await stage.sink.until(isTold);
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
      await stage.listen((socket) => {
        const isWhole = stage.sockets.length === 1;
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
      stage.engine.open(0);
      await stage.sink.untilEvent(`closed 0 ${cause} false`);
      stage.engine.open(1);
      await stage.sink.untilEvent(`closed 1 ${cause} false`);
      expect(stage.sink.events.length).toBe(2);
    });

    it.each<[string, (socket: net.Socket) => void, string]>([
      ['an end', (socket) => socket.end('HTTP/1.1 101 Switch'), 'end-of-stream'],
      ['a reset', (socket) => socket.resetAndDestroy(), 'reset'],
    ])('%s before the answer', async (_what, end, cause) => {
      await stage.listen((socket) => socket.once('data', () => end(socket)));
      await fails(cause);
    });

    it('a target that never answers', async () => {
      await stage.listen(silent, { connectTimeoutMs: 53 });
      for (let client = 0; client < 7; client++) stage.engine.open(client);
      await stage.sink.until(() => stage.sink.events.length === 7);
      expect(stage.sink.events).toEqual(
        Array.from({ length: 7 }, (_, client) => `closed ${client} connect-timeout false`),
      );
    });

    it('a drop before it is open', async () => {
      await stage.listen(silent);
      for (const [client, mode] of (['reset', 'close', 'vanish'] as const).entries()) {
        stage.engine.open(client);
        stage.engine.drop(client, mode);
      }
      expect(stage.sink.events).toEqual([0, 1, 2].map((client) => `closed ${client} ours false`));
    });
  });

  describe('open connections that end', () => {
    const opened = async () => {
      await stage.listen(accepting);
      return stage.open(3);
    };

    it.each([
      ['c10161', 'reserved bits set', 1002],
      ['8102c328', 'text is not UTF-8', 1007],
      ['827f0000000001000001', 'message too big', 1009],
    ])('by a violation: %s', async (bytes, why, code) => {
      const socket = await opened();
      const received: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      socket.write(Buffer.from(bytes, 'hex'));
      await stage.sink.untilEvent(`closed 3 protocol-error:${why} true`);
      await once(socket, 'end');
      const frame = Buffer.concat(received);
      expect([frame[0], frame[1]]).toEqual([0x88, 0x82]);
      expect(frame.readUInt16BE(6) ^ frame.readUInt16BE(2)).toBe(code);
    });

    it.each<[string, (socket: net.Socket) => void, string]>([
      [
        'an end without a close frame, inside a frame even',
        (socket) => socket.end('\x81\x05', 'latin1'),
        'end-of-stream',
      ],
      ['a reset', (socket) => socket.resetAndDestroy(), 'reset'],
    ])('by %s', async (_what, end, cause) => {
      end(await opened());
      await stage.sink.untilEvent(`closed 3 ${cause} true`);
    });

    it('by us, with a reset on the wire', async () => {
      const socket = await opened();
      const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
      stage.engine.drop(3, 'reset');
      expect((await failed).code).toBe('ECONNRESET');
      expect(stage.sink.events).toEqual(['opened 3', 'closed 3 ours true']);
    });

    it('by us, with a silent target: the client at once, its socket after a bounded wait', async () => {
      const socket = await opened();
      socket.resume();
      const gone = new Promise((resolve) => socket.once('end', resolve).once('error', resolve));
      stage.engine.drop(3, 'close');
      await Promise.all([stage.open(3), gone]);
      expect(stage.sink.events).toEqual(['opened 3', 'closed 3 ours true', 'opened 3']);
    });
  });

  it('takes frames that came with the 101, the first of its target and a later one', async () => {
    await stage.listen((socket) => {
      socket.once('data', (request: Buffer) => {
        socket.write(`${acceptance(request)}\x81\x05#n013\x81\x05#n017\x81\x05#n0`, 'latin1');
      });
    });
    for (const client of [3, 5]) {
      const socket = await stage.open(client);
      socket.write('19');
      await stage.sink.until(() => stage.sink.seen.filter((one) => one.client === client).length === 3);
    }
    expect(stage.sink.events).toEqual(['opened 3', 'opened 5']);
    const deliveries = [13, 17, 19].map((sequence) => [sequence, sequence === 19 ? 0 : 1]);
    expect(stage.sink.seen.map((one) => [one.sequence, one.flags & 1])).toEqual([...deliveries, ...deliveries]);
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
    await stage.listen((socket) => {
      const answer = answers[stage.sockets.length - 1]!;
      socket.once('data', (request: Buffer) => {
        before = answer(request);
        socket.write(before);
      });
    });
    for (const [client] of answers.entries()) {
      stage.engine.open(client);
      await stage.sink.until(() => stage.sink.events.length === client + 1);
    }
    expect(stage.sink.events).toEqual([
      ...['opened 0', 'closed 1 bad-upgrade:accept key false', 'opened 2', 'closed 3 http-status:401 false'],
      ...['closed 4 bad-upgrade:extension false', 'opened 5', 'opened 6'],
    ]);
  });

  it('disposes of every kind of connection and leaves no handle', async () => {
    const timers = pendingTimers();
    const handles = () => process.getActiveResourcesInfo().filter((one) => one.startsWith('TCPSocket')).length;
    // Tests of other files share the process.
    const others = handles();
    await stage.listen((socket) => {
      socket.unref();
      accepting(socket);
    });
    for (let client = 0; client < 5; client++) await stage.open(client);
    stage.engine.drop(0, 'vanish');
    stage.engine.drop(1, 'close');
    stage.sockets[2]!.write(Buffer.from('880203e8', 'hex'));
    await stage.sink.untilEvent('closed 2 close-code:1000 true');
    // More than a target that reads nothing takes: what is still to be written must not hold the engine back.
    stage.sockets[3]!.pause();
    stage.engine.send(3, 'x'.repeat(67_000_009));
    stage.engine.open(5);
    expect(timers.size > 0).toBe(!isNative);
    const events = [...stage.sink.events];
    stage.engine.dispose();
    expect(timers.size).toBe(0);
    while (handles() > others) await nextTurn();
    expect(stage.sink.events).toEqual(events);
    expect(() => stage.engine.open(6)).toThrow(RangeError);
  });
});
