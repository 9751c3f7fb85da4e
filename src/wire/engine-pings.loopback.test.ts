import { once } from 'node:events';
import { expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { delivery, WireStage } from '../../test/stage/wire-stage.js';

overEngines((make) => {
  const stage = new WireStage(make);

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
});
