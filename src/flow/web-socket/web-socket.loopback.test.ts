import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebSocketStream, type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import { overEngines } from '../../../test/doubles/engines.js';
import { plainSetup } from '../../../test/stage/raw-stage.js';
import { EngineSockets } from '../sockets/engine-sockets.js';
import { clientWebSocket } from './web-socket.js';

type Close = { code: number; reason: string; wasClean: boolean; cause: string };
/** What libraries use of a class of `ws`, too. */
type Both = WebSocket & NodeJS.EventEmitter & { ping(data?: string): void; terminate(): void };

overEngines((make) => {
  let server: WebSocketServer;
  let sockets: EngineSockets;
  let base: URL;
  let threw: unknown[];
  let marked: [client: number, sequence: number][];
  let [depth, taken] = [0, 0];

  beforeEach(async () => {
    const handleProtocols = (offered: Set<string>): string => [...offered].at(-1)!;
    server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols });
    await once(server, 'listening');
    base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`);
    [threw, marked, depth, taken] = [[], [], 0, 0];
    sockets = new EngineSockets({
      shared: { ...plainSetup, connectTimeoutMs: 30_011, scan: { marker: 'm', sequenceOffset: 1, sequenceDigits: 3 } },
      clientCount: 7,
      createEngine: (_isTls, setup, sink) => make(setup, sink),
      deliveries: ({ count, client, sequence }) => {
        for (let i = 0; i < count; i++) marked.push([client[i]!, sequence[i]!]);
      },
      sends: () => undefined,
    });
  });

  afterEach(async () => {
    sockets.dispose();
    for (const client of server.clients) client.terminate();
    server.close();
    await once(server, 'close');
  });

  const classOf = (client: number, cookie?: string) =>
    clientWebSocket({
      open: (request) => sockets.open({ ...request, client }),
      base,
      cookies: () => cookie,
      sent: () => taken++,
      entered: (work) => {
        expect(depth++).toBe(0);
        try {
          work();
        } catch (error) {
          threw.push(error);
        }
        depth--;
      },
    });

  const of = <T>(socket: WebSocket, type: string): Promise<T> =>
    new Promise((resolve) => socket.addEventListener(type, (event) => resolve(event as T), { once: true }));
  const closed = (socket: WebSocket): Promise<Close> => of(socket, 'close');

  async function opened(...more: unknown[]): Promise<{ socket: Both; end: ServerSocket; request: IncomingMessage }> {
    const connected = once(server, 'connection');
    const Class = classOf(3, 'session=7') as unknown as new (address: string, ...more: unknown[]) => Both;
    const socket = new Class('live?a=é', ...more);
    socket.binaryType = 'arraybuffer';
    const open = of(socket, 'open');
    const [end, request] = (await connected) as [ServerSocket, IncomingMessage];
    await open;
    return { socket, end, request };
  }

  const echo = (end: ServerSocket): void => {
    end.on('message', (data, isBinary) => end.send(data, { binary: isBinary }));
  };

  describe('a WebSocket of a client', () => {
    it('asks by its arguments, with the cookies of the client', async () => {
      const { socket, request } = await opened(['one', 'two'], { headers: { 'X-Token': 't' } });
      expect(request.url).toBe('/base/live?a=%C3%A9');
      expect(request.headers).toMatchObject({ 'x-token': 't', cookie: 'session=7' });
      expect([socket.protocol, socket.readyState, socket.url, socket.extensions]).toEqual([
        ...['two', 1, `${base.href.replace('http', 'ws')}live?a=%C3%A9`, ''],
      ]);
      const { request: other } = await opened({ protocols: 'three', headers: { cookie: 'own=1' } });
      expect([other.headers['sec-websocket-protocol'], other.headers.cookie]).toEqual(['three', 'own=1']);
    });

    it('belongs to its client, also by a class of users that extends it', async () => {
      class Mine extends classOf(5, 'session=5') {
        readonly isMine = true;
      }
      const cookies: unknown[] = [];
      server.on('connection', (_end, { headers }) => cookies.push(headers.cookie));
      const mine = new Mine('live');
      await of(mine, 'open');
      const other = new (classOf(4, 'session=4'))('live');
      await of(other, 'open');
      expect([cookies, mine.isMine, other instanceof Mine]).toEqual([['session=5', 'session=4'], true, false]);
      expect([mine.readyState, classOf(4).OPEN, other.constructor.name]).toEqual([1, 1, 'WebSocket']);
    });

    it('sends and receives all kinds of data', async () => {
      const { socket, end } = await opened();
      echo(end);
      const came: unknown[] = [];
      socket.onmessage = ({ data }) => came.push(data);
      const bytes = Uint8Array.of(0, 1, 254, 255);
      const all = ['héllo', '', bytes, bytes.buffer, bytes.subarray(1, 3)];
      for (const data of all) socket.send(data);
      while (came.length < all.length) await turn();
      const shown = came.map((data) => (data instanceof ArrayBuffer ? Buffer.from(data).toString('hex') : data));
      expect(shown).toEqual(['héllo', '', '0001feff', '0001feff', '01fe']);
      expect(() => socket.send(new Blob(['blob']))).toThrow(/expected text or bytes, received a Blob/);
      socket.binaryType = 'blob';
      socket.send(bytes);
      const blob = await new Promise<Blob>((resolve) => {
        socket.onmessage = ({ data }) => resolve(data as Blob);
      });
      expect(new Uint8Array(await blob.arrayBuffer())).toEqual(bytes);
      expect([socket.bufferedAmount, taken]).toEqual([0, all.length + 1]);
    });

    it('gets marked messages with the stamp of the engine, and so does the ledger', async () => {
      const { socket, end } = await opened();
      const fromMs = performance.now();
      const message = of<MessageEvent>(socket, 'message');
      end.send('a m042');
      const { data, origin, timeStamp } = await message;
      expect([data, origin]).toEqual(['a m042', `ws://${base.host}`]);
      expect(timeStamp).toBeGreaterThan(fromMs);
      expect(timeStamp).toBeLessThanOrEqual(performance.now());
      while (marked.length === 0) await turn();
      expect(marked).toEqual([[3, 42]]);
    });

    it('calls handlers, listeners and objects, each once, and goes on when one throws', async () => {
      const { socket, end } = await opened();
      const calls: string[] = [];
      const twice = () => calls.push('twice');
      const aborting = new AbortController();
      socket.onmessage = () => {
        calls.push('handler');
        throw new Error('of the user');
      };
      for (let i = 0; i < 2; i++) socket.addEventListener('message', twice);
      socket.addEventListener('message', { handleEvent: () => calls.push('object') }, { once: true });
      socket.addEventListener('message', () => calls.push('aborted'), { signal: aborting.signal });
      aborting.abort();
      for (const data of ['one', 'two']) {
        const came = of(socket, 'message');
        end.send(data);
        await came;
      }
      socket.removeEventListener('message', twice);
      expect(calls).toEqual(['handler', 'twice', 'object', 'handler', 'twice']);
      expect(threw).toEqual([new Error('of the user'), new Error('of the user')]);
    });

    it('closes with a code and a reason, and takes no message from then on', async () => {
      const { socket, end } = await opened();
      const [gone, close] = [once(end, 'close'), closed(socket)];
      const came: unknown[] = [];
      socket.onmessage = ({ data }) => came.push(data);
      end.send('on its way');
      socket.close(4400, 'mine é');
      expect(socket.readyState).toBe(2);
      socket.send('lost');
      expect([socket.bufferedAmount >= 4, taken]).toEqual([true, 0]);
      expect(await close).toMatchObject({ code: 4400, reason: 'mine é', wasClean: true, cause: 'ours' });
      const [code, reason] = (await gone) as [number, Buffer];
      expect([code, String(reason), socket.readyState, came]).toEqual([4400, 'mine é', 3, []]);
    });

    it('refuses wrong codes and reasons', async () => {
      const { socket } = await opened();
      const wrong = (code: number, reason?: string) => {
        try {
          socket.close(code, reason);
        } catch (error) {
          return (error as Error).name;
        }
        return undefined;
      };
      expect([1001, 2999, 5000, Number.NaN].map((code) => wrong(code))).toEqual(Array(4).fill('InvalidAccessError'));
      expect(wrong(1000, 'é'.repeat(62))).toBe('SyntaxError');
      expect(socket.readyState).toBe(1);
    });

    it('tells how the target closed it', async () => {
      const one = await opened();
      const close = closed(one.socket);
      one.end.close(4321, 'because');
      expect(await close).toMatchObject({ code: 4321, reason: 'because', wasClean: true });
      const two = await opened();
      const [failed, cut] = [of<ErrorEvent>(two.socket, 'error'), closed(two.socket)];
      two.end.terminate();
      expect((await failed).message).toMatch(/: (reset|end-of-stream)$/);
      expect(await cut).toMatchObject({ code: 1006, wasClean: false });
      const three = await opened();
      const bare = closed(three.socket);
      three.socket.close();
      expect(await bare).toMatchObject({ code: 1005, wasClean: true });
    });

    it('fails by events: a refused upgrade, a port without a server, and a close meanwhile', async () => {
      server.options.verifyClient = (_info: unknown, done: (ok: boolean, status: number) => void) => done(false, 403);
      const Class = classOf(5);
      const refused = new Class('/');
      const nobody = new Class('ws://127.0.0.1:1/');
      const left = new Class('/');
      left.close();
      const [errors, closes] = [
        [refused, nobody, left],
        [refused, nobody, left],
      ];
      expect(() => refused.send('too early')).toThrow(expect.objectContaining({ name: 'InvalidStateError' }));
      const [failed, ended] = await Promise.all([
        Promise.all(errors.map((socket) => of<ErrorEvent>(socket, 'error'))),
        Promise.all(closes.map(closed)),
      ]);
      expect(failed.map(({ error }) => (error as Error).cause)).toEqual(['http-status:403', 'connect-refused', 'ours']);
      expect(ended.map(({ code, wasClean }) => [code, wasClean])).toEqual(Array(3).fill([1006, false]));
      expect([refused, nobody, left].map(({ readyState }) => readyState)).toEqual([3, 3, 3]);
    });

    it('fails when its target reads too little', async () => {
      const { socket, end } = await opened();
      end.pause();
      const close = closed(socket);
      const data = new Uint8Array(65_537);
      while (socket.readyState === 1) socket.send(data);
      expect(await close).toMatchObject({ code: 1006, cause: 'unread' });
    });
  });

  describe('its face of `ws`', () => {
    it('emits what `ws` does', async () => {
      const { socket, end } = await opened();
      const emitted: unknown[][] = [];
      for (const type of ['message', 'pong', 'close']) socket.on(type, (...words) => emitted.push([type, ...words]));
      const listener = () => emitted.push(['off']);
      socket.on('message', listener);
      socket.off('message', listener);
      end.send('text');
      while (emitted.length < 1) await turn();
      socket.ping('p');
      while (emitted.length < 2) await turn();
      end.close(4001, 'r');
      while (emitted.length < 3) await turn();
      expect(emitted).toEqual([
        ['message', Buffer.from('text'), false],
        ['pong', Buffer.from('p')],
        ['close', 4001, Buffer.from('r')],
      ]);
    });

    it('calls back, and terminates by a reset without an error', async () => {
      const { socket, end } = await opened();
      const back = (data: unknown, options?: object) =>
        new Promise((resolve) => (socket.send as (...words: unknown[]) => void)(data, options ?? resolve, resolve));
      const message = once(end, 'message');
      expect(await back(Buffer.from('as text'), { binary: false })).toBeUndefined();
      const [data, isBinary] = (await message) as [Buffer, boolean];
      expect([String(data), isBinary]).toEqual(['as text', false]);
      const errors: unknown[] = [];
      socket.on('error', (error) => errors.push(error));
      const [gone, close] = [once(end, 'close'), closed(socket)];
      socket.terminate();
      expect(await back('too late')).toBeInstanceOf(Error);
      expect(await close).toMatchObject({ code: 1006, cause: 'ours' });
      expect((await gone)[0]).toBe(1006);
      expect(errors).toEqual([]);
    });

    it('serves a stream of the package `ws`, which ends with a close', async () => {
      const { socket, end } = await opened();
      const stream = createWebSocketStream(socket as unknown as ServerSocket, { encoding: 'utf8' });
      const [all, gone, over] = [text(stream), once(end, 'close'), once(stream, 'close')];
      // What it answers comes while the stream is ending.
      end.on('message', (data) => end.send(`${String(data)} and back`));
      stream.write('there');
      stream.end();
      expect(await all).toBe('there and back');
      expect((await gone)[0]).toBe(1005);
      await over;
      expect(threw).toEqual([]);
    });
  });
});
