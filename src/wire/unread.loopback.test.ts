import { once } from 'node:events';
import { beforeEach, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { overEngines } from '../../test/doubles/engines.js';
import { WireStage } from '../../test/stage/wire-stage.js';
import { mostUnsentBytes } from './send-queue.js';
import type { Engine } from './wire.js';

const messageBytes = 10_007;
overEngines((make) => {
  const stage = new WireStage(make);
  let engine: Engine;
  /** The target's end of the one client, which reads nothing before it is told to. */
  let peer: WebSocket;
  let heard: string[];

  beforeEach(async () => {
    heard = [];
    engine = stage.createEngine();
    peer = (await stage.open(engine, 1)).socket;
    peer.pause();
    peer.on('message', (data: Buffer) => heard.push(data.toString().slice(0, 8).trim()));
  });

  const message = (n: number): string => `${n}`.padEnd(messageBytes);

  /** Sends until 101 messages in a row were refused, with time between for threads, and gives how many were taken. */
  async function sendMore(): Promise<number> {
    let taken = 0;
    for (let refused = 0; refused < 101; ) {
      const isTaken = engine.send(1, message(taken), true);
      if (isTaken) taken++;
      refused = isTaken ? 0 : refused + 1;
      await new Promise((resolve) => setTimeout(resolve, isTaken ? 0 : 2));
    }
    return taken;
  }

  it('what a target does not read waits up to a bound, and arrives once it reads', async () => {
    const taken = await sendMore();
    const unsent = engine.unsent(1);
    expect(unsent).toBe(Math.floor(mostUnsentBytes / (messageBytes + 8)));
    expect(taken).toBeGreaterThan(unsent);
    peer.resume();
    await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(taken);
    expect(heard).toEqual(Array.from({ length: taken }, (_, n) => String(n)));
    expect(engine.unsent(1)).toBe(0);
    expect(engine.send(1, 'more', true)).toBe(true);
  });

  it('what still waits when the client leaves was never sent, and everything else was', async () => {
    const taken = await sendMore();
    const unsent = engine.unsent(1);
    engine.drop(1, 'close');
    peer.resume();
    await once(peer, 'close');
    expect(heard).toHaveLength(taken - unsent);
    await stage.sink.untilEvent('closed 1 ours true');
    expect(engine.unsent(1)).toBe(unsent);
  });

  it('a target that pings and does not read is not answered without an end', async () => {
    const taken = await sendMore();
    const pong = Buffer.byteLength('x'.repeat(125)) + 6;
    const pings = 2 * Math.ceil(mostUnsentBytes / pong);
    for (let n = 0; n < pings; n++) {
      peer.ping('x'.repeat(125));
      if (n % 101 === 0) await new Promise(setImmediate);
    }
    peer.send('over');
    await stage.sink.untilEvent('text 1 over');
    let answers = 0;
    peer.on('pong', () => answers++);
    peer.resume();
    await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(taken);
    expect(answers).toBeLessThanOrEqual(Math.ceil(mostUnsentBytes / pong));
    expect(answers).toBeGreaterThan(0);
  });

  it('a client that is not open sends nothing', () =>
    expect([engine.send(0, 'x', true), engine.unsent(0)]).toEqual([false, 0]));
});
