import { describe, expect, it } from 'vitest';
import type { DeliveryBatch, Engine, SendBatch, WireSetup, WireSink } from '../../wire/wire.js';
import { EngineSockets } from './engine-sockets.js';
import type { SocketEvents, SocketRequest } from './sockets.js';

/** An engine on stage: tests call its sink themselves. */
interface Staged {
  setup: WireSetup;
  sink: WireSink;
  /** What it was asked to do: `open 3 /path`, `send 3`. */
  calls: string[];
}

const deliveriesOf = (...client: number[]): DeliveryBatch => ({
  count: client.length,
  client: Int32Array.from(client),
  sequence: Int32Array.from(client, (_, at) => 100 + at),
  receivedAtNs: new Float64Array(client.length),
  notBeforeNs: new Float64Array(client.length),
  flags: new Uint8Array(client.length),
});

function stage(clientCount = 2) {
  const engines: Staged[] = [];
  const delivered: [client: number, sequence: number][] = [];
  const sends: [client: number, token: number][] = [];
  let nowNs = 0;
  const createEngine = (_isTls: boolean, setup: WireSetup, sink: WireSink): Engine => {
    const calls: string[] = [];
    engines.push({ setup, sink, calls });
    const did = (name: string) => (client: number) => {
      calls.push(`${name} ${client}`);
      return true;
    };
    return {
      open: (client, request) => calls.push(`open ${client} ${request?.pathAndQuery}`),
      ...{ send: did('send'), sendAt: did('sendAt'), ping: did('ping'), close: did('close'), drop: did('drop') },
      readAtMost: did('readAtMost'),
      ...{ leastNs: () => 5, arrivedAtNs: () => 7, notBeforeNs: () => 11, unsent: () => 0, buffered: () => 3 },
      dispose: () => calls.push('dispose'),
      stats: () => ({
        ...{ reads: 0, exact: 0, bracketed: 0, unstamped: 0, clockSteps: 0, loops: 0, cpuNs: 0, coreWaitNs: 0 },
      }),
    };
  };
  const shared = {
    localAddresses: [],
    ...{ isInsecure: false, connectTimeoutMs: 1, scan: { marker: 'm', sequenceOffset: 1, sequenceDigits: 9 } },
  };
  const sockets = new EngineSockets(
    {
      ...{ shared, clientCount, createEngine },
      deliveries: ({ count, client, sequence }) => {
        for (let i = 0; i < count; i++) delivered.push([client[i]!, sequence[i]!]);
      },
      sends: ({ count, client, token }) => {
        for (let i = 0; i < count; i++) sends.push([client[i]!, token[i]!]);
      },
    },
    () => nowNs,
  );
  const told: string[] = [];
  const request = (client: number, address = 'ws://a.test/p?q'): SocketRequest => ({
    ...{ url: new URL(address), subprotocols: [], headers: {}, client, seesMarked: false },
    events: {
      opened: (subprotocol, { leastNs }) => told.push(`${client} opened ${subprotocol} ${leastNs}`),
      message: (bytes, isBinary, receivedAtNs, notBeforeNs) =>
        told.push(`${client} message ${bytes.length} ${isBinary} ${receivedAtNs} ${notBeforeNs}`),
      closed: (cause, wasOpen, code, reason) => told.push(`${client} closed ${cause} ${wasOpen} ${code} ${reason}`),
    } satisfies SocketEvents,
  });
  const pass = (ms: number): void => {
    nowNs += ms * 1e6;
  };
  return { sockets, engines, delivered, sends, told, request, pass };
}

describe('sockets of a worker', () => {
  it('have an engine for each origin and kind, made when it is needed', () => {
    const { sockets, engines, request } = stage();
    expect(engines).toEqual([]);
    sockets.open(request(0));
    sockets.open(request(1, 'ws://a.test/other'));
    sockets.open(request(1, 'wss://a.test/other'));
    sockets.open({ ...request(1), seesMarked: true });
    expect(engines.map(({ setup, sink }) => [setup.url, sink.delivery !== undefined])).toEqual([
      ['ws://a.test/', false],
      ['wss://a.test/', false],
      ['ws://a.test/', true],
    ]);
    expect(engines[0]!.calls).toEqual(['open 0 /p?q', 'open 1 /other']);
    expect(sockets.stats().map(({ isTls }) => isTls)).toEqual([false, true, false]);
    sockets.dispose();
    expect(engines.map(({ calls }) => calls.at(-1))).toEqual(['dispose', 'dispose', 'dispose']);
  });

  it('report by client, whatever the ids of the engine', () => {
    const { sockets, engines, delivered, told, request } = stage();
    for (const client of [7, 3, 7]) sockets.open(request(client));
    const { sink } = engines[0]!;
    for (const id of [2, 0, 1]) sink.opened(id, 1, 2, 'p', 0);
    sink.message(1, Buffer.from('abc'), true);
    sink.deliveries(deliveriesOf(0, 1, 2, 1));
    sink.closed(0, 'reset', true, 1006, '');
    expect(delivered).toEqual([
      [7, 100],
      [3, 101],
      [7, 102],
      [3, 103],
    ]);
    expect(told).toEqual([
      ...['7 opened p 5', '7 opened p 5', '3 opened p 5'],
      // The bracket of a message is never turned round.
      ...['3 message 3 true 7 7', '7 closed reset true 1006 '],
    ]);
    expect(sockets.stats()[0]!.handedOver).toBe(4);
  });

  it('give an id to another client only when the last reports of the one before are in', () => {
    const { sockets, engines, delivered, sends, request, pass } = stage(64);
    const first = sockets.open(request(0));
    for (let client = 1; client < 64; client++) sockets.open(request(client));
    const { sink, calls } = engines[0]!;
    sink.opened(0, 1, 2, '', 0);
    expect(first.sendAt('x', 1e9, 17)).toBe(true);
    sink.closed(0, 'reset', true, 1006, '');
    // At once: a further engine.
    sockets.open(request(64));
    expect(engines[1]?.calls).toEqual(['open 0 /p?q']);
    // It could have rested, but a report is due.
    pass(1001);
    sockets.open(request(65));
    expect(engines[1]?.calls).toHaveLength(2);
    const report: SendBatch = {
      ...{ count: 1, client: Int32Array.of(0), token: Int32Array.of(17), fate: Uint8Array.of(1) },
      ...{ sentAtNs: new Float64Array(1), writtenAtNs: new Float64Array(1) },
    };
    sink.sends?.(report);
    expect(sends).toEqual([[0, 17]]);
    pass(1001);
    sockets.open(request(66));
    expect(calls.at(-1)).toBe('open 0 /p?q');
    // What comes before the new connection is open is still of the old one.
    sink.deliveries(deliveriesOf(0));
    sink.opened(0, 1, 2, '', 0);
    sink.deliveries(deliveriesOf(0));
    expect(delivered.map(([client]) => client)).toEqual([0, 66]);
  });

  it('do nothing after their end, whoever has their id then', () => {
    const { sockets, engines, request } = stage();
    const socket = sockets.open(request(0));
    expect([socket.send('x'), socket.buffered, socket.sendsAhead]).toEqual([true, 3, true]);
    const { sink, calls } = engines[0]!;
    sink.closed(0, 'ours', false, 1006, '');
    const before = calls.length;
    socket.close(1000, '');
    socket.drop('reset');
    socket.ping(Buffer.from('x'));
    expect([socket.send('x'), socket.sendAt('x', 1, 1), socket.buffered, socket.leftAtNs()]).toEqual([
      ...[false, false, 0, Number.POSITIVE_INFINITY],
    ]);
    expect(calls).toHaveLength(before);
  });
});
