import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { SequenceScan } from '../frames/sequence-scan.js';
import { deliveryFlag } from '../wire.js';
import { deliveryShift, dropMode, eventFlag } from './addon.js';
import { type EventRing, loopMemory, StampCounts } from './layout.js';
import { RawFrames } from './raw-frames.js';

const frame = (first: number, text: string): Buffer =>
  Buffer.concat([Buffer.of(first, text.length), Buffer.from(text)]);

const [stampNs, notBeforeNs, behind] = [7919, 7907, 17];

/** What the thread knows of raw bytes. */
interface Event {
  client?: number;
  cut?: number;
  flags?: number;
}

function eventsOf({ client = 3, cut = 0, flags = 0 }: Event): EventRing {
  const none = new Float64Array(1);
  const word = (value: number): Uint32Array => Uint32Array.of(value);
  return {
    ...{ a: Float64Array.of(notBeforeNs), b: Float64Array.of(stampNs), c: none, d: none, e: none },
    ...{ client: Int32Array.of(client), offset: word(0), length: word(0), cut: word(cut), generation: word(1) },
    ...{ behind: word(behind), kind: Uint8Array.of(0), flags: Uint8Array.of(flags) },
  };
}

describe('raw frames', () => {
  let raw: RawFrames;
  let told: unknown[];

  beforeEach(() => {
    told = [];
    raw = new RawFrames(new SequenceScan({ marker: '#n', sequenceOffset: 2, sequenceDigits: 3 }), {
      found: (candidate, bytes, start, end, isBinary) =>
        told.push([candidate, `${isBinary ? 'binary ' : ''}${bytes.toString('latin1', start, end)}`]),
      talk: (events, at, bytes) => told.push([events.client[at], Buffer.from(bytes).toString()]),
      replied: (_client, text) => text.length === 1,
      pinged: (client, payload) => told.push([client, 'ping', Buffer.from(payload).toString()]),
      ponged: (events, at, payload) => told.push([events.client[at], 'pong', Buffer.from(payload).toString()]),
      goodbye: (client, code, reason) => {
        told.push([client, code, reason]);
        raw.forget(client);
      },
      over: (client, mode, code, cause) => {
        told.push([client, mode, code, cause]);
        raw.forget(client);
      },
    });
  });

  const take = (bytes: Buffer, event: Event = {}): boolean =>
    raw.take(eventsOf(event), 0, Buffer.concat([Buffer.of(0), bytes, Buffer.of(0)]), 1, 1 + bytes.length);
  const found = (sequence: number, flags: number, isExact: boolean) => ({
    ...{ client: 3, sequence, flags, behind, receivedAtNs: stampNs },
    notBeforeNs: isExact ? stampNs : notBeforeNs,
  });

  it('are deliveries with the stamp of their bytes, exact only at the end of a read that drained the socket', () => {
    const two = Buffer.concat([frame(0x81, '#n007'), frame(0x81, '#n013')]);
    const { coalesced, unstamped } = deliveryFlag;
    expect([take(two, { flags: eventFlag.exact }), take(two), take(two, { flags: eventFlag.behind })]).toEqual(
      Array(3).fill(true),
    );
    take(frame(0x81, '#n007'), { flags: unstamped << deliveryShift });
    expect(told.map((each) => (each as [unknown])[0])).toEqual([
      found(7, 0, false),
      found(13, coalesced, true),
      found(7, 0, false),
      found(13, coalesced, false),
      found(7, coalesced, false),
      found(13, coalesced, false),
      found(7, unstamped, false),
    ]);
  });

  it('keep a part for the next bytes of the same client, and know what earlier reads brought', () => {
    const whole = frame(0x82, '#n007');
    expect(take(whole, { cut: 3, flags: eventFlag.exact })).toBe(true);
    expect(take(whole.subarray(0, 4))).toBe(false);
    expect(take(frame(0x81, 'other'), { client: 5 })).toBe(true);
    expect(take(whole.subarray(4), { flags: eventFlag.exact })).toBe(true);
    expect([take(frame(0x01, '#n')), take(frame(0x80, '007'), { flags: eventFlag.exact })]).toEqual([false, true]);
    const { fragmented } = deliveryFlag;
    expect(told).toEqual([
      [found(7, fragmented, true), 'binary #n007'],
      [5, 'other'],
      [found(7, fragmented, true), 'binary #n007'],
      [found(7, fragmented, true), '#n007'],
    ]);
  });

  it('end with a close frame or a violation, and nothing behind it is read', () => {
    const more = frame(0x81, 'more');
    expect(take(Buffer.concat([frame(0x88, ''), more]))).toBe(false);
    expect(take(Buffer.concat([Buffer.from('880503e9620a65', 'hex'), more]))).toBe(false);
    expect(take(Buffer.concat([frame(0x88, '\x03\x77'), more]))).toBe(false);
    expect(take(Buffer.concat([frame(0x81, 'x'), frame(0x80, 'x'), more]))).toBe(false);
    expect(take(Buffer.concat([more, frame(0x89, 'p')]))).toBe(true);
    expect(told).toEqual([
      [3, 1005, ''],
      [3, 1001, 'b e'],
      [3, dropMode.fail, 1002, 'protocol-error:bad close code'],
      [3, dropMode.fail, 1002, 'protocol-error:continuation of nothing'],
      [3, 'more'],
      [3, 'ping', 'p'],
    ]);
  });

  it('of a connection that ended are forgotten with it', () => {
    expect(take(frame(0x01, '#n'))).toBe(false);
    raw.forget(3);
    expect(take(frame(0x81, 'new'))).toBe(true);
    expect(told).toEqual([[3, 'new']]);
  });
});

/** Of a thread with 7 clients. */
const bytes = 72 + 2 * 8192 * 25 + 16_384 * 25 + 4096 * 66 + 4_194_304 + 7 * 24;

it('has one field behind the other, to the end of the memory', () => {
  const { accounts, arena, events, reports } = loopMemory(new ArrayBuffer(bytes), 7);
  expect([events.flags.length, reports.fate.length, arena.length]).toEqual([4096, 16_384, 4_194_304]);
  expect([accounts.words.length, accounts.doubles.length]).toEqual([42, 21]);
  expect(accounts.words.byteOffset).toBe(arena.byteOffset + arena.length);
});

it.each([bytes - 8, bytes + 8, 0])('refuses memory of %i bytes, as an addon of another version has', (length) =>
  expect(() => loopMemory(new ArrayBuffer(length), 7)).toThrow('another version'),
);

const delivery = fc.record({ isStamped: fc.boolean(), widthNs: fc.nat({ max: 2 }), isStepped: fc.boolean() });

it('counts each delivery once, by its flag and the width of its bracket', () =>
  law(fc.array(fc.array(delivery, { maxLength: 13 }), { maxLength: 7 }), (batches) => {
    const stamps = new StampCounts();
    for (const batch of batches) {
      stamps.count({
        count: batch.length,
        client: new Int32Array(batch.length),
        sequence: new Int32Array(batch.length),
        receivedAtNs: Float64Array.from(batch, () => 7919),
        notBeforeNs: Float64Array.from(batch, ({ widthNs }) => 7919 - widthNs),
        flags: Uint8Array.from(
          batch,
          ({ isStamped, isStepped }) =>
            (isStamped ? 0 : deliveryFlag.unstamped) | (isStepped ? deliveryFlag.clockStepped : 0),
        ),
      });
    }
    const all = batches.flat();
    const stamped = all.filter(({ isStamped }) => isStamped);
    const exact = stamped.filter(({ widthNs }) => widthNs === 0).length;
    expect({ ...stamps }).toEqual({
      exact,
      bracketed: stamped.length - exact,
      unstamped: all.length - stamped.length,
    });
  }));
