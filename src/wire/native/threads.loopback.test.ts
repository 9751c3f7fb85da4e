import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeNative } from '../../../test/doubles/engines.js';
import { WireRecorder } from '../../../test/doubles/wire-recorder.js';
import { plainSetup } from '../../../test/stage/raw-stage.js';
import { delivery } from '../../../test/stage/wire-stage.js';
import { mostUnsentBytes } from '../send-queue.js';
import { type Engine, sendFate } from '../wire.js';
import { clientsPerTable } from './layout.js';

/** A target on a thread of its own that passes every text on to all its clients, and reads none if it is told so. */
const code = `
  const { parentPort } = require('node:worker_threads');
  const { WebSocketServer } = require('ws');
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  let heard = 0;
  const million = Buffer.alloc(1e6);
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      heard++;
      if (data.length < 100) for (const each of server.clients) each.send(data, { binary: false });
    });
  });
  server.on('listening', () => parentPort.postMessage(server.address().port));
  parentPort.on('message', (word) => {
    if (word === 'heard') parentPort.postMessage(heard);
    else if (word === 'flood') for (let i = 0; i < 9; i++) for (const each of server.clients) each.send(million);
    else for (const each of server.clients) each[word]();
  });
`;

const nowNs = (): number => performance.now() * 1e6;

describe.skipIf(makeNative === undefined)('sends that are handed over ahead', () => {
  const engines: Engine[] = [];
  let target: Worker;
  let port: number;
  let sink: WireRecorder;

  beforeEach(async () => {
    target = new Worker(code, { eval: true });
    [port] = (await once(target, 'message')) as [number];
    sink = new WireRecorder();
  });

  afterEach(async () => {
    for (const engine of engines.splice(0)) engine.dispose();
    await target.terminate();
  });

  async function opened(clients: readonly number[], capacity = 17): Promise<Engine> {
    const engine = makeNative!(
      {
        ...{ ...plainSetup, url: `ws://127.0.0.1:${port}/`, capacity },
        scan: { marker: '"n":"', sequenceOffset: 5, sequenceDigits: 5 },
      },
      sink,
    );
    engines.push(engine);
    const before = sink.openTimes.length;
    for (const client of clients) engine.open(client);
    await sink.until(() => sink.openTimes.length === before + clients.length);
    return engine;
  }

  const tokens = (): number[] => sink.sent.map(({ token }) => token).sort((a, b) => a - b);
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  const settled = (count: number): Promise<void> => sink.until(() => sink.sent.length >= count);
  const heard = async (): Promise<number> => {
    target.postMessage('heard');
    return ((await once(target, 'message')) as [number])[0];
  };

  /** Deliveries that were told before the send that they answer. */
  function tooSoon(): number[] {
    const told = new Map(sink.sent.map(({ token, after }) => [token, after]));
    return sink.seen
      .filter(({ sequence }, at) => at < (told.get(sequence) ?? Number.POSITIVE_INFINITY))
      .map(({ sequence }) => sequence);
  }

  it('leave in the order of their instants, never early, and are told of once, before any answer', async () => {
    const clients = upTo(7);
    const engine = await opened(clients);
    const startNs = nowNs() + 1e9;
    const count = 7 * 498;
    const dueNs = (token: number): number => startNs + token * 200e3 + 0.37;
    // As they are handed over, not in the order of their instants.
    for (const token of upTo(count))
      expect(engine.sendAt?.(token % 7, delivery(token ^ 1), dueNs(token ^ 1), token ^ 1)).toBe(true);
    await sink.until(() => sink.seen.length === count * 7);
    expect(sink.sent.map(({ token }) => token)).toEqual(upTo(count));
    for (const { token, client, sentAtNs, writtenAtNs, fate } of sink.sent) {
      expect([client, fate]).toEqual([(token ^ 1) % 7, sendFate.sent]);
      expect(sentAtNs).toBeGreaterThanOrEqual(dueNs(token));
      if (writtenAtNs > 0) expect(writtenAtNs).toBeGreaterThanOrEqual(sentAtNs);
    }
    expect(tooSoon()).toEqual([]);
  });

  it('leave on time while the loop is blocked', async () => {
    const engine = await opened([3]);
    const fromNs = nowNs();
    for (const token of upTo(29)) engine.sendAt?.(3, delivery(token), fromNs + (token + 1) * 10e6, token);
    // The thread gets them at the end of the callback.
    await undefined;
    while (nowNs() < fromNs + 300e6);
    const untilNs = nowNs();
    await settled(29);
    expect(sink.sent.filter(({ sentAtNs }) => sentAtNs < untilNs).length).toBeGreaterThan(0);
    for (const { token, sentAtNs } of sink.sent) expect(sentAtNs).toBeGreaterThanOrEqual(fromNs + (token + 1) * 10e6);
  });

  it('are told of before an answer that comes over another thread or another engine', async () => {
    const [one, other] = [await opened([0, 1], clientsPerTable + 13), await opened([5])];
    expect(one.stats().loops).toBe(2);
    const startNs = nowNs() + 20e6;
    const count = 3 * 499;
    for (const token of upTo(count)) {
      const [engine, client] = [
        [one, 0],
        [one, 1],
        [other, 5],
      ][token % 3] as [Engine, number];
      engine.sendAt?.(client, delivery(token), startNs + token * 300e3, token);
    }
    await sink.until(() => sink.seen.length === count * 3);
    expect(tokens()).toEqual(upTo(count));
    expect(tooSoon()).toEqual([]);
  });

  it.each(['reset', 'close', 'vanish'] as const)('of a client that was dropped by %s are gone', async (mode) => {
    const engine = await opened([3, 4]);
    const dueNs = nowNs() + 1e9;
    for (const token of upTo(22)) engine.sendAt?.(3 + (token % 2), delivery(token), dueNs, token);
    engine.drop(3, mode);
    // Its next connection has nothing to do with them.
    engine.open(3);
    await settled(22);
    expect(tokens()).toEqual(upTo(22));
    for (const { client, fate } of sink.sent) expect(fate).toBe(client === 3 ? sendFate.gone : sendFate.sent);
    await sink.until(() => sink.seen.length >= 11);
    expect(new Set(sink.seen.map(({ sequence }) => sequence % 2))).toEqual(new Set([1]));
    expect(engine.unsent(3)).toBe(0);
  });

  it('of a client that its target ended are gone', async () => {
    const engine = await opened([3]);
    const dueNs = nowNs() + 1e9;
    for (const token of upTo(11)) engine.sendAt?.(3, delivery(token), dueNs + token * 1e6, token);
    target.postMessage('terminate');
    await settled(11);
    expect(tokens()).toEqual(upTo(11));
    expect(sink.sent.at(-1)?.fate).toBe(sendFate.gone);
    expect(sink.events.at(-1)).toMatch(/^closed 3 /);
    expect(engine.sendAt?.(3, delivery(13), nowNs(), 13)).toBe(false);
  });

  it('to a target that does not read wait up to a bound, and are unread beyond', async () => {
    const engine = await opened([3]);
    target.postMessage('pause');
    const bytes = 10_007;
    const count = 2003;
    const dueNs = nowNs();
    for (const token of upTo(count)) engine.sendAt?.(3, 'x'.repeat(bytes), dueNs + token * 1e3, token);
    await settled(count);
    const fates = sink.sent.map(({ fate }) => fate);
    const sent = fates.indexOf(sendFate.unread);
    expect(fates).toEqual(upTo(count).map((token) => (token < sent ? sendFate.sent : sendFate.unread)));
    expect(engine.unsent(3)).toBe(Math.floor(mostUnsentBytes / (bytes + 8)));
    expect(sink.sent[sent - 1]?.writtenAtNs).toBe(0);
    expect(sink.sent[0]?.writtenAtNs).toBeGreaterThan(0);
    target.postMessage('resume');
    await expect.poll(heard, { timeout: 60_000 }).toBe(sent);
    expect(engine.unsent(3)).toBe(0);
  });

  it('are no more at once than can be told of, and as many again after that', async () => {
    const engine = await opened([3]);
    let token = 0;
    const fill = (): number => {
      const before = token;
      const dueNs = nowNs();
      while (engine.sendAt?.(3, delivery(token), dueNs, token)) token++;
      return token - before;
    };
    const most = fill();
    for (const round of [1, 2]) {
      await settled(round * most);
      expect(fill()).toBe(most);
    }
    await settled(3 * most);
    expect(tokens()).toEqual(upTo(3 * most));
    await sink.until(() => sink.seen.length === 3 * most);
    expect(tooSoon()).toEqual([]);
  });

  it('that a close precedes are gone', async () => {
    const engine = await opened([3]);
    const dueNs = nowNs() + 1e9;
    for (const token of upTo(11)) engine.sendAt?.(3, delivery(token), dueNs, token);
    engine.close(3, 1000, '');
    expect(engine.sendAt?.(3, delivery(11), dueNs, 11)).toBe(false);
    await settled(11);
    expect(sink.sent.every(({ fate }) => fate === sendFate.gone)).toBe(true);
    await sink.untilEvent('closed 3 ours true');
  });

  it('wait for a loop that takes nothing, and the wait is known', async () => {
    const engine = await opened([3]);
    expect(engine.heldUpNs?.()).toBe(0);
    target.postMessage('flood');
    // More than an engine holds for a loop that never runs.
    while (engine.heldUpNs?.() === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    await sink.until(() => sink.events.length === 10);
    engine.dispose();
    expect(engine.heldUpNs?.()).toBeGreaterThan(0);
  });

  it('are told of no more once the engine is disposed of', async () => {
    const engine = await opened([3]);
    const startNs = nowNs();
    for (const token of upTo(101)) engine.sendAt?.(3, delivery(token), startNs + token * 1e6, token);
    await settled(7);
    engine.dispose();
    const told = sink.sent.length;
    await delay(150);
    expect(sink.sent).toHaveLength(told);
    expect(engine.sendAt?.(3, delivery(997), nowNs(), 997)).toBe(false);
  });
});
