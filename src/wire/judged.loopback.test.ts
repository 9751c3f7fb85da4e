import { once } from 'node:events';
import { expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { delivery, WireStage } from '../../test/stage/wire-stage.js';
import type { DeliveryBatch } from './wire.js';

overEngines((make) => {
  const stage = new WireStage(make);
  const scan = { marker: '"n":"', sequenceOffset: 5, sequenceDigits: 5 };

  it('answers heartbeats, or passes them over, without a word to the sink', async () => {
    const replies = [{ received: '2', send: '3' }, { received: '{"type":"ping"', isPrefix: true }, { received: 'é' }];
    const { socket } = await stage.open(stage.createEngine({ replies }), 3);
    const heard: string[] = [];
    socket.on('message', (data: Buffer) => heard.push(data.toString()));
    for (const text of ['2', '{"type":"ping","message":7}', 'é', '22', '2']) socket.send(text);
    socket.send(Buffer.from('2'));
    await stage.sink.untilEvent('binary 3 32');
    expect(stage.sink.events).toEqual(['opened 3', 'text 3 22', 'binary 3 32']);
    socket.ping();
    await once(socket, 'pong');
    expect(heard).toEqual(['3', '3']);
  });

  it('asks which messages with a number are deliveries, but for those that begin so for certain', async () => {
    const asked: string[] = [];
    const isDelivery = (bytes: Uint8Array, start: number, end: number): boolean => {
      asked.push(Buffer.from(bytes.subarray(start, end)).toString());
      return bytes[start] !== 'x'.charCodeAt(0);
    };
    const engine = stage.createEngine({ scan: { ...scan, isDelivery, deliveryHeads: ['{"p"'] } });
    const { socket } = await stage.open(engine, 5);
    for (const text of [delivery(7), `y${delivery(11)}`, `x${delivery(13)}`, delivery(17)]) socket.send(text);
    await stage.sink.until(() => stage.sink.seen.length === 3 && stage.sink.events.length === 2);
    expect(stage.sink.seen.map(({ sequence }) => sequence).sort((one, other) => one - other)).toEqual([7, 11, 17]);
    expect(stage.sink.events.at(-1)).toBe(`text 5 x${delivery(13)}`);
    expect(asked.filter((text) => !text.startsWith('{'))).toEqual([`y${delivery(11)}`, `x${delivery(13)}`]);
    const { exact, bracketed, unstamped } = engine.stats();
    expect(exact + bracketed + unstamped).toBe(3);
  });

  it('tells acknowledgements from deliveries', async () => {
    const sequences: number[] = [];
    Object.assign(stage.sink, {
      acknowledgements: ({ count, sequence }: DeliveryBatch) => sequences.push(...sequence.subarray(0, count)),
    });
    const engine = stage.createEngine({ scan: { ...scan, acknowledgement: '"ack"' } });
    const { socket } = await stage.open(engine, 2);
    for (const [n, word] of ['', '"ack"', 'ask', '"ack"'].entries()) socket.send(delivery(n, word));
    await expect.poll(() => [sequences.length, stage.sink.seen.length]).toEqual([2, 2]);
    expect(sequences).toEqual([1, 3]);
    expect(stage.sink.seen.map(({ sequence }) => sequence)).toEqual([0, 2]);
  });
});
