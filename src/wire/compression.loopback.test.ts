import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type PerMessageDeflateOptions, type WebSocket, WebSocketServer } from 'ws';
import { overEngines } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { plainSetup } from '../../test/stage/raw-stage.js';
import type { CompressionOffer } from './deflate.js';
import type { Engine } from './wire.js';

/** What a server sends: text in parts of these lengths, with a ping behind each but the last. */
interface Sent {
  text: string;
  cuts: number[];
  isCompressed: boolean;
}

const words = fc.array(fc.constantFrom('alpha ', 'beta ', '{"n":', 'é', '\u{1f4a1}', 'x'.repeat(700)), {
  maxLength: 60,
});
const sent: fc.Arbitrary<Sent> = fc.record({
  text: fc.oneof(
    words.map((each) => each.join('')),
    fc.string({ maxLength: 2000 }),
  ),
  cuts: fc.array(fc.nat(3000), { maxLength: 4 }),
  isCompressed: fc.boolean(),
});

overEngines((make) => {
  const ended: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const end of ended.splice(0)) await end();
  });

  async function opened(deflate: PerMessageDeflateOptions | false, compression?: CompressionOffer) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: deflate });
    await once(server, 'listening');
    const sink = new WireRecorder();
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const engine: Engine = make({ ...plainSetup, url, capacity: 7, compression }, sink);
    ended.push(
      () => engine.dispose(),
      async () => {
        for (const client of server.clients) client.terminate();
        server.close();
        await once(server, 'close');
      },
    );
    const connected = once(server, 'connection');
    engine.open(3);
    return { connected: connected as Promise<[WebSocket]>, engine, sink };
  }

  const send = (socket: WebSocket, { text, cuts, isCompressed }: Sent): void => {
    const bytes = Buffer.from(text);
    let from = 0;
    for (const to of [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]) {
      const isLast = to === bytes.length;
      socket.send(bytes.subarray(from, to), { fin: isLast, binary: false, compress: isCompressed });
      if (!isLast) socket.ping(`behind ${to}`);
      from = to;
    }
  };

  const windows: [PerMessageDeflateOptions, string, string][] = [
    [{}, 'client_max_window_bits', ''],
    [{ serverNoContextTakeover: true }, '', 'server_no_context_takeover'],
    [{ serverMaxWindowBits: 9 }, 'server_max_window_bits=12', 'server_max_window_bits=9'],
    [{ serverMaxWindowBits: 8 }, 'server_max_window_bits=8', 'server_max_window_bits=8'],
    [
      { clientMaxWindowBits: 11, clientNoContextTakeover: true },
      'client_max_window_bits; client_no_context_takeover',
      'client_max_window_bits=11; client_no_context_takeover',
    ],
  ];

  describe.each(windows)('a server with %j and the offer %j', (options, parameters, chosen) => {
    it('brings every message as it was sent, whole or in fragments, with pings between', async () => {
      const { connected, engine, sink } = await opened({ ...options, threshold: 0 }, { parameters, isRequired: true });
      const [socket] = await connected;
      let done = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 12 }), async (messages) => {
          const before = sink.events.length;
          for (const message of messages) send(socket, message);
          const last = `over ${done++}`;
          socket.send(last);
          await sink.untilEvent(`text 3 ${last}`);
          const texts = sink.events.slice(before).filter((each) => each.startsWith('text'));
          expect(texts).toEqual([...messages.map(({ text }) => `text 3 ${Buffer.from(text)}`), `text 3 ${last}`]);
        }),
        { numRuns: 60 },
      );
      const { compressedClients, deflatedBytes = 0, inflatedBytes = 0, chosen: parametersChosen } = engine.stats();
      expect([compressedClients, parametersChosen]).toEqual([1, chosen]);
      expect(deflatedBytes).toBeLessThan(inflatedBytes);
      expect(sink.events.filter((each) => each.startsWith('closed'))).toEqual([]);
    });
  });

  it('deliveries are found in what was inflated, with their numbers in order', async () => {
    const { connected, sink } = await opened({ threshold: 0 }, { parameters: '', isRequired: true });
    const [socket] = await connected;
    const numbers = Array.from({ length: 997 }, (_, n) => n);
    for (const n of numbers) socket.send(`{"p":"${'y'.repeat(n)}#n${String(n).padStart(3, '0')}"}`);
    await sink.until(() => sink.seen.length === numbers.length);
    expect(sink.seen.map(({ client, sequence }) => [client, sequence])).toEqual(numbers.map((n) => [3, n]));
    expect(sink.seen.every(({ notBeforeNs, receivedAtNs }) => notBeforeNs <= receivedAtNs)).toBe(true);
  });

  it('a target that does not choose it fails a client that requires it, and serves one that offers it', async () => {
    const required = await opened(false, { parameters: '', isRequired: true });
    await required.sink.untilEvent('closed 3 bad-upgrade:no compression false');
    const offered = await opened(false, { parameters: '', isRequired: false });
    const [socket] = await offered.connected;
    socket.send('plain');
    await offered.sink.untilEvent('text 3 plain');
    expect(offered.engine.stats()).toMatchObject({ compressedClients: 0, deflatedBytes: 0, inflatedBytes: 0 });
  });

  it('a connection that opens again has a context of its own', async () => {
    const { connected, engine, sink } = await opened({ threshold: 0 }, { parameters: '', isRequired: true });
    const [first] = await connected;
    first.send('the same text');
    await sink.untilEvent('text 3 the same text');
    engine.drop(3, 'reset');
    await once(first, 'close');
    const opens = sink.openTimes.length;
    engine.open(3);
    await sink.until(() => sink.openTimes.length > opens);
    expect(engine.stats().compressedClients).toBe(2);
  });
});
