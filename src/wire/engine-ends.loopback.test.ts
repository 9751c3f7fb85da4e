import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { overEngines } from '../../test/doubles/engines.js';
import { capacity, delivery, WireStage } from '../../test/stage/wire-stage.js';

overEngines((make) => {
  const stage = new WireStage(make);

  describe('ends', () => {
    it.each([
      [1000, 'close-code:1000'],
      [1008, 'close-code:1008'],
      [4003, 'close-code:4003'],
      [undefined, 'close-code:1005'],
    ])('answers a close %s and tells its code', async (code, cause) => {
      const { socket } = await stage.open(stage.createEngine(), 3);
      socket.close(code);
      const [answered] = (await once(socket, 'close')) as [number];
      expect(answered).toBe(code ?? 1005);
      expect(stage.sink.events).toEqual(['opened 3', `closed 3 ${cause} true`]);
    });

    it('tells a refusal right after the 101', async () => {
      stage.server.on('connection', (socket) => socket.close(1008, 'no room'));
      stage.createEngine().open(2);
      await stage.sink.untilEvent('closed 2 close-code:1008 true');
      expect(stage.sink.events).toEqual(['opened 2', 'closed 2 close-code:1008 true']);
    });

    it('drops by a close handshake, takes nothing more before the answer, and can be opened meanwhile', async () => {
      const engine = stage.createEngine();
      const { socket } = await stage.open(engine, 3);
      engine.drop(3, 'close', 'rejected:go away');
      engine.drop(3, 'close');
      expect(stage.sink.events).toEqual(['opened 3', 'closed 3 rejected:go away true']);
      socket.send(delivery(7));
      const ended = once(socket, 'close');
      await stage.open(engine, 3);
      const [code] = (await ended) as [number];
      expect(code).toBe(1000);
      expect(stage.sink.seen).toEqual([]);
      expect(stage.sink.events.slice(2)).toEqual(['opened 3']);
    });

    it('drops by a reset', async () => {
      const engine = stage.createEngine();
      const { socket } = await stage.open(engine, 3);
      engine.drop(3, 'reset');
      expect(stage.sink.events).toEqual(['opened 3', 'closed 3 ours true']);
      const [code] = (await once(socket, 'close')) as [number];
      expect(code).toBe(1006);
    });

    it('vanishes: the socket stays, and nobody answers on it', async () => {
      const engine = stage.createEngine();
      const { socket } = await stage.open(engine, 3);
      engine.drop(3, 'vanish');
      expect(stage.sink.events).toEqual(['opened 3', 'closed 3 ours true']);
      const { socket: later } = await stage.open(engine, 3);
      const pongs: string[] = [];
      socket.on('pong', () => pongs.push('vanished'));
      later.on('pong', () => pongs.push('later'));
      socket.ping();
      socket.send(delivery(7));
      later.ping();
      await once(later, 'pong');
      later.send(delivery(11));
      await stage.sink.until(() => stage.sink.seen.length > 0);
      expect(pongs).toEqual(['later']);
      // More than two kernel buffers hold: it stays with the server until the client reads.
      const large = Buffer.alloc(15_000_017);
      for (const end of [socket, later]) for (let i = 0; i < 5; i++) end.send(large);
      let taken = 0;
      stage.sink.message = () => {
        taken++;
      };
      later.send(delivery(13));
      await stage.sink.until(() => stage.sink.seen.length === 2);
      expect(taken).toBe(5);
      expect(later.bufferedAmount).toBe(0);
      expect(socket.bufferedAmount).toBeGreaterThan(0);
      expect(stage.sink.seen.map((one) => one.sequence)).toEqual([11, 13]);
      expect(socket.readyState).toBe(socket.OPEN);
      engine.dispose();
      await once(socket, 'close');
    });

    it('opens an id again, even while being told of its end, and never mixes the two', async () => {
      const engine = stage.createEngine();
      const { socket: first } = await stage.open(engine, 3);
      const { closed } = stage.sink;
      stage.sink.closed = (client, cause, wasOpen, code, reason) => {
        closed.call(stage.sink, client, cause, wasOpen, code, reason);
        if (cause !== 'ours') engine.open(client);
      };
      const connected = once(stage.server, 'connection');
      // Two more frames after the close frame in the same write: they belong to a connection that is over.
      const raw = (first as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
      raw.write(Buffer.concat([Buffer.from('880203e8', 'hex'), Buffer.of(0x81, 18), Buffer.from(delivery(7))]));
      const [second] = (await connected) as [WebSocket];
      await stage.sink.untilEvent('opened 3', 2);
      second.send(delivery(13));
      await stage.sink.until(() => stage.sink.seen.length > 0);
      expect(stage.sink.events).toEqual(['opened 3', 'closed 3 close-code:1000 true', 'opened 3']);
      expect(stage.sink.seen.map((one) => one.sequence)).toEqual([13]);
      expect(() => engine.open(3)).toThrow(RangeError);
      expect(() => engine.open(capacity)).toThrow(RangeError);
    });

    it('disposes without another event', async () => {
      const engine = stage.createEngine();
      const { socket } = await stage.open(engine, 3);
      engine.open(5);
      const gone = once(socket, 'close');
      engine.dispose();
      await gone;
      engine.send(3, 'x');
      engine.drop(3, 'reset');
      expect(stage.sink.events).toEqual(['opened 3']);
    });
  });
});
