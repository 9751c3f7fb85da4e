import { once } from 'node:events';
import { io, type Socket } from 'socket.io-client';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningTarget, startTarget } from '../src/targets/launch/process.js';
import { targetByName } from '../src/targets/list.js';
import { testable } from '../test/testable.js';

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 30_000 };

const names = [
  'socketio',
  'socketio-csr',
  'socketio-uws',
  'socketio-bun',
  'socketio-bun-engine',
  'socketio-redis',
  'socketio-redis-streams',
  'socketioxide',
  'metronome-socketio',
];
/** Those that give a client that returns what it missed. */
const recovers = ['socketio-csr', 'socketio-redis-streams'];
const rows = await Promise.all(
  names.map(async (name) => ({ name, there: (await testable(targetByName(name)!)).isAvailable })),
);

describe.each(rows)('$name', ({ name, there }) => {
  describe.skipIf(!there)('speaks Socket.IO', () => speaksSocketio(name));
});

function speaksSocketio(name: string): void {
  let running: RunningTarget;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    running = await startTarget(targetByName(name)!, { host: '127.0.0.1' });
  });

  afterEach(() => {
    for (const socket of sockets) socket.disconnect();
    sockets = [];
  });

  afterAll(() => running.stop());

  /** A client and every message that it received, in order. */
  async function client() {
    const socket = io(new URL(running.endpoints.wsUrl).origin, {
      transports: ['websocket'],
      forceNew: true,
      reconnectionDelay: 7,
    });
    sockets.push(socket);
    const messages: unknown[] = [];
    socket.on('message', (message) => messages.push(message));
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const settle = () => socket.timeout(30_000).emitWithAck('echo', 'mark');
    return { socket, messages, settle };
  }

  async function subscriber(stream: string) {
    const one = await client();
    await one.socket.timeout(30_000).emitWithAck('join', stream);
    return one;
  }

  async function publish(stream: string, data: string) {
    const { statusCode } = await request(running.endpoints.publishUrl, {
      method: 'POST',
      body: JSON.stringify({ stream, data }),
    });
    expect(statusCode).toBe(201);
  }

  it('delivers what was published to every subscriber of the stream, in order, and to nobody else', async () => {
    const readers = await Promise.all(Array.from({ length: 7 }, () => subscriber('news')));
    const stranger = await subscriber('weather');
    const silent = await client();
    const values = [{ seq: 1, text: 'żółć 🛶' }, [2, 3, 5], 'x'.repeat(70_001)];
    for (const value of values) await publish('news', JSON.stringify(value));
    await publish('weather', '"rain"');
    for (const reader of readers) await expect.poll(() => reader.messages, eventually).toEqual(values);
    await expect.poll(() => stranger.messages, eventually).toEqual(['rain']);
    await silent.settle();
    expect(silent.messages).toEqual([]);
  });

  it('delivers nothing after a leave', async () => {
    const [leaver, stayer] = await Promise.all([subscriber('left'), subscriber('left')]);
    leaver.socket.emit('leave', 'left');
    await leaver.settle();
    await publish('left', '11');
    await expect.poll(() => stayer.messages, eventually).toEqual([11]);
    await leaver.settle();
    expect(leaver.messages).toEqual([]);
  });

  it('echoes into the acknowledgement', async () => {
    const one = await client();
    expect(await one.socket.timeout(30_000).emitWithAck('echo', { n: 17 })).toEqual({ n: 17 });
  });

  it('whispers to the other subscribers and not to the sender', async () => {
    const [sender, ...others] = await Promise.all(Array.from({ length: 3 }, () => subscriber('whispers')));
    sender!.socket.emit('whisper', 'whispers', [19]);
    for (const other of others) await expect.poll(() => other.messages, eventually).toEqual([[19]]);
    await sender!.settle();
    expect(sender!.messages).toEqual([]);
  });

  it('outlives events of the wrong form', async () => {
    const one = await client();
    one.socket.emit('join', 7);
    one.socket.emit('join', 'no acknowledgement');
    one.socket.emit('leave');
    one.socket.emit('whisper', { stream: 's' });
    one.socket.emit('echo', 'no acknowledgement');
    // A publish on another connection could overtake the join.
    await one.settle();
    await publish('no acknowledgement', '23');
    await expect.poll(() => one.messages, eventually).toEqual([23]);
  });

  it('embeds the value, not its text, in the frame', async () => {
    const socket = new WebSocket(running.endpoints.wsUrl);
    const frames: string[] = [];
    socket.on('message', (data) => {
      // Some servers begin with a ping.
      if (String(data) === '2') socket.send('3');
      else frames.push(String(data));
    });
    await once(socket, 'open');
    socket.send('40');
    await expect.poll(() => frames.at(-1), eventually).toMatch(/^40/);
    socket.send('420["join","frames"]');
    await expect.poll(() => frames.at(-1), eventually).toBe('430[]');
    await publish('frames', '{ "seq": 29 }');
    const offset = recovers.includes(name) ? ',"[^"]+"' : '';
    await expect
      .poll(() => frames.at(-1), eventually)
      .toMatch(new RegExp(`^42\\["message",\\{"seq":29\\}${offset}\\]$`));
    socket.terminate();
  });

  it(`${recovers.includes(name) ? 'replays' : 'does not replay'} what a client missed`, async () => {
    const one = await subscriber('missed');
    await publish('missed', '31');
    await expect.poll(() => one.messages, eventually).toEqual([31]);
    const isBack = new Promise<void>((resolve) => one.socket.once('connect', resolve));
    const isGone = new Promise<void>((resolve) => one.socket.once('disconnect', () => resolve()));
    one.socket.io.reconnection(false);
    one.socket.io.engine.close();
    await isGone;
    await publish('missed', '37');
    one.socket.connect();
    await isBack;
    await one.settle();
    expect([one.socket.recovered === true, one.messages]).toEqual(
      recovers.includes(name) ? [true, [31, 37]] : [false, [31]],
    );
  });
}
