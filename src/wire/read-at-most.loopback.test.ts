import { once } from 'node:events';
import { expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { delivery, WireStage } from '../../test/stage/wire-stage.js';

/** Read at once by the engine in JavaScript, at most. */
const mostAtOnce = 65_536;
const padding = 'x'.repeat(1000);
const messages = 1009;

overEngines((make, isNative) => {
  const stage = new WireStage(make);

  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
  const sequences = (client: number): number[] =>
    stage.sink.seen.filter((each) => each.client === client).map(({ sequence }) => sequence);
  const numbers = Array.from({ length: messages }, (_, n) => n);

  it('a client that may not read gets nothing until it may, while others get all', async () => {
    const engine = stage.createEngine();
    const [stopped, healthy] = [await stage.open(engine, 1), await stage.open(engine, 2)];
    engine.readAtMost(1, 0);
    await pause();
    for (const n of numbers) for (const { socket } of [stopped, healthy]) socket.send(delivery(n, padding));
    await stage.sink.until(() => sequences(2).length === messages);
    await pause();
    expect(sequences(1)).toEqual([]);
    engine.readAtMost(1, Number.POSITIVE_INFINITY);
    await stage.sink.until(() => sequences(1).length === messages);
    expect([sequences(1), sequences(2)]).toEqual([numbers, numbers]);
  });

  it('a client reads no more bytes than it may, over all calls', async () => {
    const engine = stage.createEngine();
    const { socket } = await stage.open(engine, 1);
    const frameBytes = Buffer.byteLength(delivery(0, padding)) + 4;
    engine.readAtMost(1, 0);
    await pause();
    for (const n of numbers) socket.send(delivery(n, padding));
    const calls = 40;
    for (let n = 0; n < calls; n++) {
      engine.readAtMost(1, 10 * frameBytes);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await pause();
    const most = isNative ? calls * 10 : calls * 10 + Math.ceil(mostAtOnce / frameBytes);
    expect(sequences(1).length).toBeLessThanOrEqual(most);
    expect(sequences(1).length).toBeGreaterThanOrEqual(isNative ? 1 : calls * 10 - 1);
    engine.readAtMost(1, Number.POSITIVE_INFINITY);
    await stage.sink.until(() => sequences(1).length === messages);
    expect(sequences(1)).toEqual(numbers);
  });

  it('the close of a target is seen once the client reads again, with its code', async () => {
    const engine = stage.createEngine();
    const { socket } = await stage.open(engine, 1);
    engine.readAtMost(1, 0);
    await pause();
    socket.send(delivery(3));
    socket.close(1013, 'too slow');
    await pause();
    expect(stage.sink.events.filter((each) => each.startsWith('closed'))).toEqual([]);
    engine.readAtMost(1, Number.POSITIVE_INFINITY);
    await once(socket, 'close');
    await stage.sink.untilEvent('closed 1 close-code:1013 true');
    expect(sequences(1)).toEqual([3]);
  });

  it('a client that opens again reads freely', async () => {
    const engine = stage.createEngine();
    await stage.open(engine, 1);
    engine.readAtMost(1, 0);
    engine.drop(1, 'reset');
    const { socket } = await stage.open(engine, 1);
    socket.send(delivery(7));
    await stage.sink.until(() => sequences(1).length === 1);
    expect(sequences(1)).toEqual([7]);
  });
});
