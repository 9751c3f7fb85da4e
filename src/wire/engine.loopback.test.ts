import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { capacity, delivery, WireStage } from '../../test/stage/wire-stage.js';
import { type DeliveryBatch, deliveryFlag } from './wire.js';

const connectTimeoutMs = 3001;

overEngines((make, isNative) => {
  const stage = new WireStage(make);

  describe('upgrade', () => {
    it('asks as set up and tells the subprotocol that the server chose', async () => {
      stage.server.options.handleProtocols = (offered) => [...offered][1]!;
      const engine = stage.createEngine({
        subprotocols: ['first', 'second'],
        headers: { Origin: 'http://a.test', 'X-Token': '13' },
      });
      const { request } = await stage.open(engine, 3);
      expect(stage.sink.events).toEqual(['opened 3 second']);
      expect(request.url).toBe('/live?token=7');
      expect(request.headers).toMatchObject({
        origin: 'http://a.test',
        'x-token': '13',
        'sec-websocket-protocol': 'first, second',
      });
      expect(request.headers['sec-websocket-extensions']).toBeUndefined();
      const { tcpNs, upgradeNs } = stage.sink.openTimes[0]!;
      expect(tcpNs).toBeGreaterThan(0);
      expect(upgradeNs).toBeGreaterThan(tcpNs);
    });

    // Elsewhere a loopback has one address.
    it.runIf(process.platform === 'linux')(
      'spreads clients over the source addresses, by a host name too',
      async () => {
        const { port } = stage.server.address() as AddressInfo;
        const localAddresses = ['127.0.0.2', '127.0.0.3', '127.0.0.5'];
        const sources: (string | undefined)[] = [];
        for (const url of [`ws://127.0.0.1:${port}`, `ws://localhost:${port}`]) {
          const engine = stage.createEngine({ url, localAddresses });
          for (let client = 0; client < 7; client++) {
            const { request } = await stage.open(engine, client);
            sources[client] = request.socket.remoteAddress;
          }
          expect(sources).toEqual([0, 1, 2, 0, 1, 2, 0].map((i) => localAddresses[i]));
        }
      },
    );
  });

  describe('messages', () => {
    it('takes deliveries of many clients out of one shared buffer', async () => {
      const engine = stage.createEngine();
      for (let client = 0; client < capacity; client++) engine.open(client);
      await stage.sink.until(() => stage.sink.openTimes.length === capacity);
      const broadcasts = 101;
      for (let sequence = 0; sequence < broadcasts; sequence++) {
        for (const client of stage.server.clients) client.send(delivery(sequence, 'x'.repeat(sequence * 7)));
      }
      await stage.sink.until(() => stage.sink.seen.length === capacity * broadcasts);
      for (let client = 0; client < capacity; client++) {
        const own = stage.sink.seen.filter((one) => one.client === client);
        expect(own.map((one) => one.sequence)).toEqual(Array.from({ length: broadcasts }, (_, i) => i));
      }
      expect(stage.sink.seen.every((one) => one.receivedAtNs >= one.notBeforeNs)).toBe(true);
      const { reads, exact, bracketed, unstamped } = engine.stats();
      expect(exact + bracketed + unstamped).toBe(stage.sink.seen.length);
      expect(reads).toBeGreaterThanOrEqual(2 * capacity);
    });

    it('tells deliveries from the protocol own talk, text and binary', async () => {
      const { socket } = await stage.open(stage.createEngine(), 5);
      socket.send('{"type":"welcome"}');
      socket.send(delivery(11));
      socket.send(Buffer.from('0700ff', 'hex'));
      socket.send(Buffer.from(delivery(13)));
      await stage.sink.until(() => stage.sink.seen.length === 2 && stage.sink.events.length === 3);
      expect(stage.sink.events.slice(1)).toEqual(['text 5 {"type":"welcome"}', 'binary 5 0700ff']);
      expect(stage.sink.seen.map((one) => one.sequence)).toEqual([11, 13]);
    });

    it('hands deliveries to a sink that tracks positions', async () => {
      const positions: string[] = [];
      Object.assign(stage.sink, {
        position: (client: number, bytes: Uint8Array, start: number, end: number) => {
          positions.push(`${client} ${Buffer.from(bytes.subarray(start, end))}`);
        },
      });
      const { socket } = await stage.open(stage.createEngine(), 2);
      socket.send(delivery(7));
      socket.send(delivery(19, 'later'));
      // A native engine hands over the last one of a kind when it matters: before other talk, or the end.
      socket.send('other talk');
      await stage.sink.untilEvent('text 2 other talk');
      expect(positions).toEqual([`2 ${delivery(7)}`, `2 ${delivery(19, 'later')}`]);
    });

    it('shows a loop that was blocked while a frame waited, or that it was no matter', async () => {
      const { socket } = await stage.open(stage.createEngine(), 5);
      const blockedMs = 53;
      let blockedFromMs = 0;
      // A timer's callback: the loop has slept before it, but not between it and the read.
      setTimeout(() => {
        socket.send(delivery(29));
        blockedFromMs = performance.now();
        while (performance.now() - blockedFromMs < blockedMs);
      }, 11);
      await stage.sink.until(() => stage.sink.seen.length === 1);
      const { receivedAtNs, notBeforeNs } = stage.sink.seen[0]!;
      if (isNative) expect(receivedAtNs).toBeLessThan(blockedFromMs * 1e6 + blockedMs * 1e6);
      else expect(receivedAtNs - notBeforeNs).toBeGreaterThanOrEqual(blockedMs * 1e6);
    });

    it('flags deliveries in several frames, and in several reads', async () => {
      const { socket } = await stage.open(stage.createEngine(), 5);
      socket.send(delivery(17).slice(0, 11), { fin: false });
      socket.ping();
      socket.send(delivery(17).slice(11), { fin: true });
      await stage.sink.until(() => stage.sink.seen.length === 1);
      // Larger than the read buffer: it can't come in one read.
      socket.send(delivery(23, 'x'.repeat(200_003)));
      await stage.sink.until(() => stage.sink.seen.length === 2);
      expect(stage.sink.seen.map((one) => one.sequence)).toEqual([17, 23]);
      expect(stage.sink.seen.map((one) => one.flags & deliveryFlag.fragmented)).toEqual([2, 2]);
    });

    it.each([7, 131, 70_001])('sends %i characters as a masked text, and as masked bytes', async (length) => {
      const engine = stage.createEngine();
      const { socket } = await stage.open(engine, 1);
      const text = 'é'.repeat(length);
      for (const isBinary of [false, true]) {
        engine.send(1, isBinary ? Buffer.from(text) : text);
        const [data, wasBinary] = (await once(socket, 'message')) as [Buffer, boolean];
        expect([wasBinary, data.toString()]).toEqual([isBinary, text]);
      }
    });

    it('answers a ping with its payload', async () => {
      const { socket } = await stage.open(stage.createEngine(), 1);
      socket.ping(Buffer.from('070b0d', 'hex'));
      const [payload] = (await once(socket, 'pong')) as [Buffer];
      expect(payload.toString('hex')).toBe('070b0d');
    });
  });

  const scan = { marker: '"n":"', sequenceOffset: 5, sequenceDigits: 5 };

  it('answers heartbeats, or passes them over, without a word to the sink', async () => {
    const replies = [{ received: '2', send: '3' }, { received: '{"type":"ping"', isPrefix: true }, { received: 'é' }];
    const { socket } = await stage.open(stage.createEngine({ replies }), 3);
    const heard: string[] = [];
    socket.on('message', (data: Buffer) => heard.push(data.toString()));
    for (const text of ['2', '{"type":"ping","message":7}', 'é', '22', '2']) socket.send(text);
    socket.send(Buffer.from('2'));
    await stage.sink.untilEvent('binary 3 32');
    expect(stage.sink.events).toEqual(['opened 3', 'text 3 22', 'binary 3 32']);
    socket.ping();
    await once(socket, 'pong');
    expect(heard).toEqual(['3', '3']);
  });

  it('asks which messages with a number are deliveries, but for those that begin so for certain', async () => {
    const asked: string[] = [];
    const isDelivery = (bytes: Uint8Array, start: number, end: number): boolean => {
      asked.push(Buffer.from(bytes.subarray(start, end)).toString());
      return bytes[start] !== 'x'.charCodeAt(0);
    };
    const engine = stage.createEngine({ scan: { ...scan, isDelivery, deliveryHeads: ['{"p"'] } });
    const { socket } = await stage.open(engine, 5);
    for (const text of [delivery(7), `y${delivery(11)}`, `x${delivery(13)}`, delivery(17)]) socket.send(text);
    await stage.sink.until(() => stage.sink.seen.length === 3 && stage.sink.events.length === 2);
    expect(stage.sink.seen.map(({ sequence }) => sequence).sort((one, other) => one - other)).toEqual([7, 11, 17]);
    expect(stage.sink.events.at(-1)).toBe(`text 5 x${delivery(13)}`);
    expect(asked.filter((text) => !text.startsWith('{'))).toEqual([`y${delivery(11)}`, `x${delivery(13)}`]);
    const { exact, bracketed, unstamped } = engine.stats();
    expect(exact + bracketed + unstamped).toBe(3);
  });

  it('tells acknowledgements from deliveries', async () => {
    const sequences: number[] = [];
    Object.assign(stage.sink, {
      acknowledgements: ({ count, sequence }: DeliveryBatch) => sequences.push(...sequence.subarray(0, count)),
    });
    const engine = stage.createEngine({ scan: { ...scan, acknowledgement: '"ack"' } });
    const { socket } = await stage.open(engine, 2);
    for (const [n, word] of ['', '"ack"', 'ask', '"ack"'].entries()) socket.send(delivery(n, word));
    await expect.poll(() => [sequences.length, stage.sink.seen.length]).toEqual([2, 2]);
    expect(sequences).toEqual([1, 3]);
    expect(stage.sink.seen.map(({ sequence }) => sequence)).toEqual([0, 2]);
  });

  it('sends a ping and tells its pong, between deliveries and with any payload', async () => {
    const engine = stage.createEngine();
    const { socket } = await stage.open(engine, 3);
    const pings: string[] = [];
    socket.on('ping', (payload: Buffer) => pings.push(`${payload}`));
    const longest = 'x'.repeat(125);
    for (const payload of ['', 'a7', longest]) {
      socket.send(delivery(7));
      engine.ping(3, Buffer.from(payload));
      await stage.sink.untilEvent(`pong 3 ${payload}`);
    }
    expect(pings).toEqual(['', 'a7', longest]);
    expect(stage.sink.seen.map(({ sequence }) => sequence)).toEqual([7, 7, 7]);
  });

  it('tells of a pong that nobody asked for, first of all too, and still takes what follows', async () => {
    stage.server.on('connection', (socket) => socket.pong('early'));
    const engine = stage.createEngine();
    const { socket } = await stage.open(engine, 5);
    await stage.sink.untilEvent('pong 5 early');
    socket.pong('other');
    socket.send('hello');
    await stage.sink.untilEvent('text 5 hello');
    expect(stage.sink.events).toEqual(['opened 5', 'pong 5 early', 'pong 5 other', 'text 5 hello']);
  });

  it('has the bracket of a pong as of an answer', async () => {
    const engine = stage.createEngine();
    await stage.open(engine, 2);
    const before = engine.leastNs(2);
    engine.ping(2, Buffer.from('a'));
    await stage.sink.untilEvent('pong 2 a');
    expect(engine.leastNs(2)).toBeGreaterThanOrEqual(before);
  });

  it('sends none to a client that is not open', async () => {
    const engine = stage.createEngine();
    engine.ping(1, Buffer.from('a'));
    const { socket } = await stage.open(engine, 1);
    const pings: string[] = [];
    socket.on('ping', (payload: Buffer) => pings.push(`${payload}`));
    const closed = once(socket, 'close');
    engine.drop(1, 'close');
    engine.ping(1, Buffer.from('b'));
    await closed;
    expect(pings).toEqual([]);
  });

  it('has no deadline any more once it is open', async () => {
    const engine = stage.createEngine({ connectTimeoutMs });
    const { socket } = await stage.open(engine, 3);
    await delay(connectTimeoutMs + 503);
    socket.send(delivery(7));
    await stage.sink.until(() => stage.sink.seen.length > 0);
    expect(stage.sink.events).toEqual(['opened 3']);
  });
});
