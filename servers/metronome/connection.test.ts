import { expect, it } from 'vitest';
import { FrameReceiver } from '../../src/wire/frames/frame-receiver.js';
import { SequenceScan } from '../../src/wire/frames/sequence-scan.js';
import { FakeLoop } from '../../test/doubles/fake-loop.js';
import { MetronomeConnection, pongFrame, Subscriptions, textFrame } from './connection.js';
import { DeliveryRecord } from './deeds.js';
import { Pacer } from './pacer.js';

const all = { from: 0, stream: undefined };

/**
 * A connection whose writes are kept as `bytes@milliseconds`, and what owes it a delivery: a letter, due so many
 * milliseconds from the start.
 */
function connected() {
  const loop = new FakeLoop();
  const pacer = new Pacer(undefined, loop);
  const deeds = new DeliveryRecord();
  const written: string[] = [];
  const wire = {
    writable: true,
    writableLength: 0,
    write: (bytes: Buffer) => written.push(`${bytes}@${Math.floor(loop.nowNs() / 1e6)}`),
  };
  const publish = () => 201 as const;
  const audience = new Subscriptions<MetronomeConnection>();
  const opened = { subprotocol: '', url: '/ws', end: () => undefined };
  const parts = { index: 0, peer: 'peer', ...opened, wire, pacer, audience, deeds, publish };
  const connection = new MetronomeConnection(parts);
  deeds.connected(connection);
  let sequence = 0;
  const owe = (text: string, dueMs: number, faults: { isTwice?: boolean; isToSwap?: boolean } = {}) => {
    const entry = deeds.published(sequence++, 's', 0, 201);
    const row = deeds.owed(entry, 0);
    const delivery = { entry, row, frame: Buffer.from(text), dueNs: dueMs * 1e6, isTwice: faults.isTwice ?? false };
    connection.accept(delivery, faults.isToSwap ?? false);
  };
  const asked = () => {
    const samples = deeds.samples(all, 'asked');
    return samples.kind === 'raw' ? [...samples.values].map((us) => us / 1000) : [];
  };
  return { loop, wire, connection, deeds, written, owe, asked };
}

it('writes at once what is due, and the rest at its time, nothing before what was taken earlier', () => {
  const { loop, written, owe, asked } = connected();
  owe('a', 0);
  owe('b', 31);
  owe('c', 7);
  expect(written).toEqual(['a@0']);
  loop.run(101);
  expect(written).toEqual(['a@0', 'b@31', 'c@31']);
  expect(asked()).toEqual([0, 31, 31]);
});

it('writes a second copy behind the first, and counts no delay of it', () => {
  const { loop, written, owe, deeds, asked } = connected();
  owe('a', 5, { isTwice: true });
  owe('b', 5);
  loop.run(101);
  expect(written).toEqual(['a@5', 'a@5', 'b@5']);
  expect(deeds.summary(all).totals).toMatchObject({ delivered: 2, duplicated: 1, pending: 0 });
  expect(asked()).toEqual([5, 5]);
});

it('swaps a delivery with the next; the next of one that waits does not wait itself', () => {
  const { loop, written, owe, deeds, asked } = connected();
  for (const text of ['a', 'b', 'c', 'd']) {
    owe(text, loop.nowNs() / 1e6 + 3, { isToSwap: text !== 'd' });
    loop.run(10);
  }
  expect(written).toEqual(['b@13', 'a@13', 'd@33', 'c@33']);
  expect(deeds.summary(all).broadcasts.map(({ reordered }) => reordered)).toEqual([1, 0, 1, 0]);
  expect(deeds.connections(all)[0]?.reordered).toEqual([0, 2]);
  // Of all since the start, where this test has every publish arrive.
  expect(asked().map(Math.floor)).toEqual([13, 13, 33, 33]);
});

it('gives up waiting for a next one after two seconds', () => {
  const { loop, written, owe, deeds, asked } = connected();
  owe('a', 3, { isToSwap: true });
  loop.run(2002);
  expect(written).toEqual([]);
  loop.run(7);
  owe('b', 2009);
  expect(written).toEqual(['a@2003', 'b@2009']);
  expect(deeds.summary(all).totals).toMatchObject({ delivered: 2, reordered: 0, unswapped: 1 });
  expect(asked()).toEqual([2003, 2009]);
});

it('owes nothing to a connection that is closed', () => {
  const { loop, connection, written, owe, deeds } = connected();
  owe('a', 0, { isTwice: true });
  owe('b', 7);
  owe('c', 11, { isToSwap: true });
  connection.close();
  connection.close();
  loop.run(3001);
  expect(written).toEqual(['a@0', 'a@0']);
  expect(deeds.summary(all).totals).toMatchObject({ owed: 3, delivered: 1, gone: 2, duplicated: 1, pending: 0 });
});

it('takes a socket that can no longer be written to for closed', () => {
  const { loop, wire, connection, owe, deeds } = connected();
  owe('a', 7);
  wire.writable = false;
  connection.say('nobody hears this');
  loop.run(11);
  expect(connection.isOpen).toBe(false);
  expect(deeds.summary(all).totals).toMatchObject({ owed: 1, gone: 1, delivered: 0 });
});

it('tells what the kernel did not take at once', () => {
  const { wire, owe, deeds } = connected();
  wire.writableLength = 1;
  owe('a', 0);
  expect(deeds.summary(all).totals).toMatchObject({ delivered: 1, backlogged: 1 });
});

it.each([0, 1, 125, 126, 127, 65_535, 65_536, 70_001])('is read as the text that it holds, of %d bytes', (length) => {
  const texts: string[] = [];
  const failed = (_code: number, why: string) => void texts.push(why);
  const message = (bytes: Uint8Array, isBinary: boolean) => void texts.push(`${isBinary}${Buffer.from(bytes)}`);
  const ignore = () => undefined;
  const handler = { delivery: ignore, message, ping: ignore, closeReceived: ignore, failed };
  const scan = new SequenceScan({ marker: 'none', sequenceOffset: 0, sequenceDigits: 1 });
  const frame = textFrame('x'.repeat(length));
  new FrameReceiver(handler, scan, 1_000_000).receive(frame, 0, frame.length);
  expect(texts).toEqual([`false${'x'.repeat(length)}`]);
});

it('answers a ping with its payload', () => expect(pongFrame(Buffer.from('abc')).toString('hex')).toBe('8a03616263'));
