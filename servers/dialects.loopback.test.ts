import { once } from 'node:events';
import type { Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningTarget, startTarget } from '../src/targets/launch/process.js';
import { targetByName } from '../src/targets/list.js';
import { socketioTalkers, type Talker, type TalkerKind, wsJsonTalkers } from '../test/talkers.js';
import { testable } from '../test/testable.js';
import { eventually, publishTo } from '../test/ws-json-client.js';

/** Those that give a client that returns what it missed. */
const recovers = ['socketio-csr', 'socketio-redis-streams'];
const names = {
  wsJson: ['ws', 'uws', 'bun', 'gorilla', 'cowboy', 'em-websocket', 'metronome'],
  socketio: [
    ...['socketio', 'socketio-csr', 'socketio-uws', 'socketio-bun', 'socketio-bun-engine', 'socketio-redis'],
    ...['socketio-redis-streams', 'socketioxide', 'metronome-socketio'],
  ],
};
const rows = await Promise.all(
  [...names.wsJson, ...names.socketio].map(async (name) => {
    const target = targetByName(name)!;
    return { name, target, isHere: (await testable(target)).isAvailable, isSocketio: names.socketio.includes(name) };
  }),
);

describe.each(rows)('$name', ({ name, target, isHere, isSocketio }) => {
  describe.skipIf(!isHere)('speaks its dialect', () => {
    const kind: TalkerKind<WebSocket | Socket> = isSocketio ? socketioTalkers : wsJsonTalkers;
    const talkers: Talker[] = [];
    let running: RunningTarget;

    beforeAll(async () => {
      running = await startTarget(target, { host: '127.0.0.1' });
    });

    afterEach(() => {
      for (const talker of talkers.splice(0)) talker.end();
    });

    afterAll(() => running.stop());

    async function client(stream?: string) {
      const talker = await kind.open(running.endpoints.wsUrl);
      talkers.push(talker);
      if (stream !== undefined) await talker.subscribe(stream);
      return talker;
    }

    const several = (count: number, stream: string) => Promise.all(Array.from({ length: count }, () => client(stream)));
    const publish = (stream: string, data: string) => publishTo(running.endpoints.publishUrl, data, stream);
    const hears = (talker: Talker, ...heard: unknown[]) => expect.poll(() => talker.heard, eventually).toEqual(heard);
    const heardOf = (...data: string[]) => data.map(kind.published);

    it('delivers what was published to every subscriber of the stream, in order, and to nobody else', async () => {
      const readers = await several(7, 'news');
      const [stranger, silent] = [await client('weather'), await client()];
      const data = ['{ "seq" : 1,\t"text":"żółć 🛶" }', '[2,3,5]', `"${'x'.repeat(70_001)}"`];
      for (const text of data) await publish('news', text);
      await publish('weather', '"rain"');
      for (const reader of readers) await hears(reader, ...heardOf(...data));
      await hears(stranger, ...heardOf('"rain"'));
      await silent.echo('mark');
      expect(silent.heard).toEqual([]);
    });

    it('delivers nothing after a leave', async () => {
      const [leaver, stayer] = await several(2, 'left');
      leaver!.leave('left');
      await leaver!.echo('mark');
      await publish('left', '11');
      await hears(stayer!, ...heardOf('11'));
      await leaver!.echo('mark');
      expect(leaver!.heard).toEqual([]);
    });

    it('still delivers to the others when a subscriber is gone', async () => {
      const [gone, reader] = await several(2, 'torn');
      gone!.end();
      await publish('torn', '13');
      await hears(reader!, ...heardOf('13'));
    });

    it('whispers to the other subscribers and not to the sender', async () => {
      const [sender, ...others] = await several(3, 'whispers');
      const stranger = await client('shouts');
      sender!.whisper('whispers', [19]);
      for (const other of others) await hears(other, kind.whispered('whispers', [19]));
      await Promise.all([sender!.echo('mark'), stranger.echo('mark')]);
      expect([sender!.heard, stranger.heard]).toEqual([[], []]);
    });

    if (isSocketio) {
      it('outlives events of the wrong form', async () => {
        const one = await client();
        const socket = one.socket as Socket;
        socket.emit('join', 7);
        socket.emit('join', 'no acknowledgement');
        socket.emit('leave');
        socket.emit('whisper', { stream: 's' });
        socket.emit('echo', 'no acknowledgement');
        // A publish on another connection could overtake the join.
        await one.echo('mark');
        await publish('no acknowledgement', '23');
        await hears(one, 23);
      });

      it('embeds the value, not its text, in the frame', async () => {
        const socket = new WebSocket(running.endpoints.wsUrl);
        const frames: string[] = [];
        socket.on('message', (data) => {
          // Some servers begin with a ping.
          if (String(data) === '2') socket.send('3');
          else frames.push(String(data));
        });
        const last = () => expect.poll(() => frames.at(-1), eventually);
        await once(socket, 'open');
        socket.send('40');
        await last().toMatch(/^40/);
        socket.send('420["join","frames"]');
        await last().toBe('430[]');
        await publish('frames', '{ "seq": 29 }');
        const offset = recovers.includes(name) ? ',"[^"]+"' : '';
        await last().toMatch(new RegExp(`^42\\["message",\\{"seq":29\\}${offset}\\]$`));
        socket.terminate();
      });

      it(`${recovers.includes(name) ? 'replays' : 'does not replay'} what a client missed`, async () => {
        const one = await client('missed');
        const socket = one.socket as Socket;
        await publish('missed', '31');
        await hears(one, 31);
        const isBack = new Promise<void>((resolve) => socket.once('connect', resolve));
        const isGone = new Promise<void>((resolve) => socket.once('disconnect', () => resolve()));
        socket.io.reconnection(false);
        socket.io.engine.close();
        await isGone;
        await publish('missed', '37');
        socket.connect();
        await isBack;
        await one.echo('mark');
        expect([socket.recovered === true, one.heard]).toEqual(
          recovers.includes(name) ? [true, [31, 37]] : [false, [31]],
        );
      });
      return;
    }

    it('delivers once to a client that subscribed twice', async () => {
      const reader = await client('twice');
      await reader.subscribe('twice');
      await publish('twice', '7');
      await hears(reader, '7');
      await reader.echo('mark');
      expect(reader.heard).toEqual(['7']);
    });

    it.each<[string | Buffer, RegExp]>([
      ...['{', '7', '{"type":"shout"}', '{"type":"subscribe"}'].map((text): [string, RegExp] => [text, /.+/]),
      [Buffer.from('{"type":"echo"}'), /\bbinary\b/],
    ])('answers %s with an error and stays open', async (message, why) => {
      const one = await client();
      (one.socket as WebSocket).send(message);
      await hears(one, expect.stringMatching(new RegExp(`^\\{"type":"error","message":".*${why.source}.*"\\}$`)));
      await one.echo('mark');
    });

    it('outlives a client that breaks RFC 6455', async () => {
      const { socket } = await client();
      const closed = once(socket as WebSocket, 'close');
      const transport = (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
      // Whole, as not every library judges a frame by its head.
      transport.write(Buffer.from('ff85000000000000000000', 'hex'));
      await closed;
      await (await client()).echo('mark');
    });
  });
});
