import { once } from 'node:events';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningTarget, startTarget } from '../src/targets/launch/process.js';
import { targetByName } from '../src/targets/list.js';
import { testable } from '../test/testable.js';

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 30_000 };

const rows = await Promise.all(
  ['ws', 'uws', 'bun', 'gorilla', 'cowboy', 'em-websocket', 'metronome'].map(async (name) => ({
    name,
    target: targetByName(name)!,
    there: await testable(targetByName(name)!),
  })),
);

describe.each(rows)('$name', ({ target, there }) => {
  describe.skipIf(!there.isAvailable)('speaks ws-json', () => {
    let running: RunningTarget;
    let sockets: WebSocket[] = [];

    beforeAll(async () => {
      running = await startTarget(target, { host: '127.0.0.1' });
    });

    afterEach(() => {
      for (const socket of sockets) socket.terminate();
      sockets = [];
    });

    afterAll(() => running.stop());

    /** A client and every text that it received, in order. */
    async function client() {
      const socket = new WebSocket(running.endpoints.wsUrl);
      sockets.push(socket);
      const texts: string[] = [];
      socket.on('message', (data, isBinary) => texts.push(isBinary ? `binary ${data}` : String(data)));
      await once(socket, 'open');
      const say = (message: unknown) => socket.send(JSON.stringify(message));
      /** Says something and waits until it came back: whatever was on its way before is in `texts` then. */
      const settle = async () => {
        const mark = `{"type":"echo","payload":"mark ${texts.length}"}`;
        socket.send(mark);
        await expect.poll(() => texts.at(-1), eventually).toBe(mark);
        texts.pop();
      };
      return { socket, texts, say, settle };
    }

    async function subscriber(stream: string) {
      const one = await client();
      one.say({ type: 'subscribe', stream });
      await expect.poll(() => one.texts, eventually).toEqual([JSON.stringify({ type: 'subscribed', stream })]);
      one.texts.pop();
      return one;
    }

    async function publish(stream: string, data: string) {
      const { statusCode } = await request(running.endpoints.publishUrl, {
        method: 'POST',
        body: JSON.stringify({ stream, data }),
      });
      expect(statusCode).toBe(201);
    }

    it('delivers the published text, unchanged and in order, to all subscribers and to nobody else', async () => {
      const readers = await Promise.all(Array.from({ length: 7 }, () => subscriber('news')));
      const stranger = await subscriber('weather');
      const silent = await client();
      const data = ['{ "seq" : 1,\t"text":"żółć 🛶" }', '[2,3,5]', `"${'x'.repeat(70_001)}"`];
      for (const text of data) await publish('news', text);
      await publish('weather', '"rain"');
      for (const reader of readers) await expect.poll(() => reader.texts, eventually).toEqual(data);
      await expect.poll(() => stranger.texts, eventually).toEqual(['"rain"']);
      await silent.settle();
      expect(silent.texts).toEqual([]);
    });

    it('delivers once to a client that subscribed twice', async () => {
      const reader = await subscriber('twice');
      reader.say({ type: 'subscribe', stream: 'twice' });
      await publish('twice', '7');
      await expect.poll(() => reader.texts, eventually).toHaveLength(2);
      await reader.settle();
      expect(reader.texts.toSorted()).toEqual(['7', '{"type":"subscribed","stream":"twice"}']);
    });

    it('delivers nothing after an unsubscribe', async () => {
      const [leaver, stayer] = await Promise.all([subscriber('left'), subscriber('left')]);
      leaver.say({ type: 'unsubscribe', stream: 'left' });
      await leaver.settle();
      await publish('left', '11');
      await expect.poll(() => stayer.texts, eventually).toEqual(['11']);
      await leaver.settle();
      expect(leaver.texts).toEqual([]);
    });

    it('still delivers to the others when a subscriber is gone', async () => {
      const [gone, reader] = await Promise.all([subscriber('torn'), subscriber('torn')]);
      gone.socket.terminate();
      await publish('torn', '13');
      await expect.poll(() => reader.texts, eventually).toEqual(['13']);
    });

    it('echoes to the sender alone', async () => {
      const [sender, other] = await Promise.all([subscriber('echoes'), subscriber('echoes')]);
      const text = '{"type":"echo",  "payload":{"n":17}}';
      sender.socket.send(text);
      await expect.poll(() => sender.texts, eventually).toEqual([text]);
      await other.settle();
      expect(other.texts).toEqual([]);
    });

    it('whispers to the other subscribers and not to the sender', async () => {
      const [sender, ...others] = await Promise.all(Array.from({ length: 3 }, () => subscriber('whispers')));
      const stranger = await subscriber('shouts');
      const message = { type: 'whisper', stream: 'whispers', payload: [19] };
      sender!.say(message);
      for (const other of others) await expect.poll(() => other.texts, eventually).toEqual([JSON.stringify(message)]);
      await Promise.all([sender!.settle(), stranger.settle()]);
      expect([sender!.texts, stranger.texts]).toEqual([[], []]);
    });

    it.each(['{', '7', '{"type":"shout"}', '{"type":"subscribe"}'])(
      'answers %s with an error and stays open',
      async (text) => {
        const one = await client();
        one.socket.send(text);
        await expect
          .poll(() => one.texts, eventually)
          .toEqual([expect.stringMatching(/^\{"type":"error","message":".+"\}$/)]);
        await one.settle();
      },
    );

    it('answers a binary message with an error', async () => {
      const one = await client();
      one.socket.send(Buffer.from('{"type":"echo"}'), { binary: true });
      await expect
        .poll(() => one.texts, eventually)
        .toEqual([expect.stringMatching(/^\{"type":"error","message":".*\bbinary\b.*"\}$/)]);
    });

    it('outlives a client that breaks RFC 6455', async () => {
      const one = await client();
      const closed = once(one.socket, 'close');
      const transport = (one.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
      // Whole, as not every library judges a frame by its head.
      transport.write(Buffer.from('ff85000000000000000000', 'hex'));
      await closed;
      await (await client()).settle();
    });
  });
});
