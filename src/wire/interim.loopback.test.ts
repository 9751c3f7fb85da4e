import { once } from 'node:events';
import net from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { acceptFor } from './upgrade.js';
import type { Engine } from './wire.js';

overEngines((make) => {
  let server: net.Server;
  let engine: Engine | undefined;

  afterEach(() => {
    engine?.dispose();
    server.close();
  });

  /** What a client gets of a target that sends `before`, its 101 and a message `hi` in pieces of so many bytes. */
  function upgraded(before: string, pieceBytes: number): Promise<string[]> {
    return heardOf(async (socket, request) => {
      const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(request)?.[1] ?? '';
      const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
      const text = `${before}${[...head, `Sec-WebSocket-Accept: ${acceptFor(key)}`, '', ''].join('\r\n')}\x81\x02hi`;
      for (let at = 0; at < text.length && socket.writable; at += pieceBytes) {
        socket.write(text.slice(at, at + pieceBytes), 'latin1');
        await new Promise(setImmediate);
      }
    });
  }

  /** What a client gets of a target that does so with its request. */
  async function heardOf(
    answer: (socket: net.Socket, request: string) => unknown,
    connectTimeoutMs = 86_399_993,
  ): Promise<string[]> {
    server = net.createServer((socket) => {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.once('data', (request: Buffer) => answer(socket, request.toString()));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sink = new WireRecorder();
    const { port } = server.address() as net.AddressInfo;
    engine = make(
      {
        url: `ws://127.0.0.1:${port}`,
        ...{
          subprotocols: [],
          headers: {},
          localAddresses: [],
          isInsecure: false,
          connectTimeoutMs,
          capacity: 1,
        },
        numberOf: (client) => client,
        scan: { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 },
      },
      sink,
    );
    engine.open(0);
    await sink.until(() => sink.events.some((event) => event.startsWith('text 0') || event.startsWith('closed 0')));
    return sink.events;
  }

  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n';

  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['103', early],
    ['100, 102 and 103', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${early}`],
  ])('an interim answer of %s is passed over, whole or in pieces', async (_name, before) => {
    for (const pieceBytes of [100_003, 7, before.length]) {
      expect(await upgraded(before, pieceBytes)).toEqual(['opened 0', 'text 0 hi']);
      engine?.dispose();
      server.close();
    }
  });

  it('an interim answer stands for no final one', async () => {
    expect(await upgraded(`${early}HTTP/1.1 503 Service Unavailable\r\n\r\n`, 100_003)).toEqual([
      'closed 0 http-status:503 false',
    ]);
  });

  it('interim answers without end are awaited no longer than the connect timeout', async () => {
    const flooding = (socket: net.Socket): void => {
      const flood = setInterval(() => socket.write(early.repeat(17)), 1);
      socket.on('close', () => clearInterval(flood));
    };
    expect(await heardOf(flooding, 211)).toEqual(['closed 0 connect-timeout false']);
  });
});
