import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { overEngines } from '../../test/doubles/engines.js';
import { delivery, WireStage } from '../../test/stage/wire-stage.js';
import { mostUnsentBytes } from './send-queue.js';
import type { Engine, OpenRequest } from './wire.js';

const noScan = { scan: { marker: '', sequenceOffset: 0, sequenceDigits: 9 } };

overEngines((make) => {
  const stage = new WireStage(make);

  /** Opens client 3 of an engine without a scan, whose target sends each message back. */
  async function echoed(): Promise<{ engine: Engine; socket: WebSocket }> {
    const engine = stage.createEngine(noScan);
    const { socket } = await stage.open(engine, 3);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    return { engine, socket };
  }

  describe('messages', () => {
    it.each([
      ['ASCII', 'a text'],
      ['two bytes a character', 'héllo'],
      ['nothing', ''],
      ['digits behind no marker', delivery(7)],
      ['300 kB', 'x'.repeat(300_007)],
    ])('go and come as text: %s', async (_what, text) => {
      const { engine } = await echoed();
      expect(engine.send(3, text)).toBe(true);
      await stage.sink.untilEvent(`text 3 ${text}`);
      expect(stage.sink.seen).toEqual([]);
    });

    it.each([
      ['few bytes', 3],
      ['6 MB', 6_000_011],
    ])('go and come as bytes: %s', async (_what, length) => {
      const { engine } = await echoed();
      const bytes = Buffer.alloc(length, 0xfe);
      const came: boolean[] = [];
      stage.sink.message = (_client, all, isBinary) => {
        came.push(isBinary && bytes.equals(all));
        stage.sink.wake();
      };
      expect(engine.send(3, bytes)).toBe(true);
      await stage.sink.until(() => came.length > 0);
      expect(came).toEqual([true]);
      expect(engine.buffered(3)).toBe(0);
    });

    it('come in fragments that cut a character, and pings are answered meanwhile', async () => {
      const { socket } = await echoed();
      const ponged = once(socket, 'pong');
      socket.send('a', { fin: false });
      socket.send(Buffer.of(0xc3), { fin: false });
      socket.ping('p');
      socket.send(Buffer.of(0xa9), { fin: true });
      await stage.sink.untilEvent('text 3 aé');
      expect(String((await ponged)[0])).toBe('p');
    });

    it('have their stamps during the call', async () => {
      const stamps: [number, number, number][] = [];
      const stamp = (client: number) => {
        stamps.push([engine.notBeforeNs(client), engine.arrivedAtNs(client), performance.now() * 1e6]);
        stage.sink.wake();
      };
      Object.assign(stage.sink, { delivery: stamp, message: stamp });
      const engine = stage.createEngine();
      const { socket } = await stage.open(engine, 3);
      const fromNs = performance.now() * 1e6;
      for (const text of ['talk', 'é', delivery(7), delivery(11, 'é')]) {
        const before = stamps.length;
        socket.send(text);
        await stage.sink.until(() => stamps.length > before);
      }
      await stage.sink.until(() => stage.sink.seen.length === 2);
      for (const [notBeforeNs, arrivedNs, nowNs] of stamps) {
        expect(notBeforeNs).toBeLessThanOrEqual(arrivedNs);
        expect(arrivedNs).toBeGreaterThan(fromNs);
        expect(arrivedNs).toBeLessThanOrEqual(nowNs);
      }
      expect(stamps.slice(2).map(([notBeforeNs, arrivedNs]) => [notBeforeNs, arrivedNs])).toEqual(
        stage.sink.seen.map(({ notBeforeNs, receivedAtNs }) => [notBeforeNs, receivedAtNs]),
      );
    });

    it('that are deliveries come whole before their batch, text or binary', async () => {
      const whole: string[] = [];
      Object.assign(stage.sink, {
        delivery: (client: number, bytes: Uint8Array, isBinary: boolean) =>
          whole.push(`${client} ${isBinary} ${Buffer.from(bytes)} ${stage.sink.seen.length}`),
      });
      const { socket } = await stage.open(stage.createEngine(), 2);
      const fragmented = delivery(29, 'é');
      const count = () => stage.sink.seen.length;
      for (const [message, isBinary] of [
        [delivery(7), false],
        [delivery(13), true],
        [delivery(19), false],
      ] as const) {
        const before = count();
        socket.send(message, { binary: isBinary });
        await stage.sink.until(() => count() > before);
      }
      socket.send(fragmented.slice(0, 9), { fin: false });
      socket.send(fragmented.slice(9), { fin: true });
      await stage.sink.until(() => count() === 4);
      expect(whole).toEqual([
        `2 false ${delivery(7)} 0`,
        `2 true ${delivery(13)} 1`,
        `2 false ${delivery(19)} 2`,
        `2 false ${fragmented} 3`,
      ]);
      expect(stage.sink.seen.map(({ sequence }) => sequence)).toEqual([7, 13, 19, 29]);
    });
  });

  describe('requests of one connection', () => {
    it('have their own path, headers, cookie and subprotocol, and the next one has those of the setup', async () => {
      stage.server.options.handleProtocols = (offered) => [...offered].at(-1)!;
      const engine = stage.createEngine({ headers: { 'X-Token': 'setup' } });
      const own = (name: string): OpenRequest => ({
        pathAndQuery: `/${name}/%C3%A9?a=1`,
        headers: { 'X-Token': name, Cookie: `k=${name}` },
        subprotocols: ['first', name],
      });
      const { request: one } = await stage.open(engine, 3, own('one'));
      const { request: two } = await stage.open(engine, 5, own('two'));
      const { request: plain } = await stage.open(engine, 7);
      expect([one.url, two.url, plain.url]).toEqual(['/one/%C3%A9?a=1', '/two/%C3%A9?a=1', '/live?token=7']);
      expect([one.headers, two.headers, plain.headers]).toMatchObject([
        { 'x-token': 'one', cookie: 'k=one' },
        { 'x-token': 'two', cookie: 'k=two' },
        { 'x-token': 'setup' },
      ]);
      expect(stage.sink.events).toEqual(['opened 3 one', 'opened 5 two', 'opened 7']);
    });

    it('are checked each, whatever answer the connection before got', async () => {
      // The server answers all with what the first one offered.
      stage.server.options.handleProtocols = () => 'first';
      const engine = stage.createEngine();
      const asks = (subprotocol: string): OpenRequest => ({
        ...{ pathAndQuery: '/', headers: {}, subprotocols: [subprotocol] },
      });
      await stage.open(engine, 3, asks('first'));
      engine.open(5, asks('second'));
      await stage.sink.untilEvent('closed 5 bad-upgrade:subprotocol false');
      await stage.open(engine, 7, asks('first'));
      expect(stage.sink.events.at(-1)).toBe('opened 7 first');
    });

    it('throw for a wrong header and leave the id free', async () => {
      const engine = stage.createEngine();
      expect(() => engine.open(3, { pathAndQuery: '/', headers: { 'a b': '' }, subprotocols: [] })).toThrow(TypeError);
      await stage.open(engine, 3);
    });

    it('that are refused end with the status', async () => {
      stage.server.options.verifyClient = (_info: unknown, done: (ok: boolean, status: number) => void) =>
        done(false, 403);
      const engine = stage.createEngine();
      engine.open(3);
      await stage.sink.untilEvent('closed 3 http-status:403 false');
      expect(stage.sink.goodbyes).toEqual([{ client: 3, code: 1006, reason: '' }]);
    });
  });

  describe('ends', () => {
    it('name the code and the reason of the target, without controls', async () => {
      const { socket } = await echoed();
      socket.close(4321, 'because\u0007 é');
      await stage.sink.untilEvent('closed 3 close-code:4321 true');
      expect(stage.sink.goodbyes).toEqual([{ client: 3, code: 4321, reason: 'because é' }]);
    });

    it('by ours come with its answer, and messages go on until then', async () => {
      const { engine, socket } = await echoed();
      socket.pause();
      engine.close(3, 4400, 'mine é');
      engine.close(3, 4401, 'again');
      expect([engine.send(3, 'too late'), engine.buffered(3)]).toEqual([false, expect.any(Number)]);
      expect(() => engine.open(3)).toThrow(RangeError);
      socket.send('one more');
      await stage.sink.untilEvent('text 3 one more');
      const ended = once(socket, 'close');
      socket.resume();
      await stage.sink.untilEvent('closed 3 ours true');
      expect(stage.sink.goodbyes).toEqual([{ client: 3, code: 4400, reason: 'mine é' }]);
      const [code, reason] = (await ended) as [number, Buffer];
      expect([code, reason.toString()]).toEqual([4400, 'mine é']);
      await stage.open(engine, 3);
    });

    it('by ours without a code say none', async () => {
      const { engine, socket } = await echoed();
      engine.close(3, 1005, '');
      expect((await once(socket, 'close'))[0]).toBe(1005);
      await stage.sink.untilEvent('closed 3 ours true');
      expect(stage.sink.goodbyes).toEqual([{ client: 3, code: 1005, reason: '' }]);
    });

    it('by ours wait behind all that was sent', async () => {
      const { engine, socket } = await echoed();
      socket.removeAllListeners('message');
      let bytes = 0;
      socket.on('message', (data: Buffer) => {
        bytes += data.length;
      });
      socket.pause();
      const message = Buffer.alloc(65_537);
      let taken = 0;
      while (engine.send(3, message)) taken++;
      expect(engine.buffered(3)).toBeGreaterThan(mostUnsentBytes - 2 * message.length);
      engine.close(3, 4400, '');
      const ended = once(socket, 'close');
      socket.resume();
      expect((await ended)[0]).toBe(4400);
      expect(bytes).toBe(taken * message.length);
      await stage.sink.untilEvent('closed 3 ours true');
      expect(stage.sink.goodbyes[0]).toMatchObject({ code: 4400 });
    });

    it('by ours stay ours if the target resets, and a connection under way is dropped', async () => {
      const { engine, socket } = await echoed();
      socket.pause();
      engine.close(3, 1000, '');
      socket.terminate();
      await stage.sink.untilEvent('closed 3 ours true');
      engine.open(5);
      engine.close(5, 1000, '');
      expect(stage.sink.events.at(-1)).toBe('closed 5 ours false');
      expect(stage.sink.goodbyes.map(({ code }) => code)).toEqual([1006, 1006]);
    });

    it('by a target that does not answer our close frame come after five seconds', async () => {
      const { engine, socket } = await echoed();
      socket.pause();
      engine.close(3, 1000, '');
      const fromMs = performance.now();
      await stage.sink.untilEvent('closed 3 ours true');
      expect(performance.now() - fromMs).toBeGreaterThanOrEqual(4999);
      expect(stage.sink.goodbyes).toEqual([{ client: 3, code: 1006, reason: '' }]);
    });

    it('by a reset of the target have no code', async () => {
      const { socket } = await echoed();
      socket.terminate();
      await stage.sink.until(() => stage.sink.goodbyes.length > 0);
      expect(stage.sink.events.at(-1)).toMatch(/^closed 3 (reset|end-of-stream) true$/);
      expect(stage.sink.goodbyes).toEqual([{ client: 3, code: 1006, reason: '' }]);
    });
  });
});
