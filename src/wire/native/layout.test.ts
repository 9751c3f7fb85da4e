import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deliveryFlag } from '../wire.js';
import { loopMemory, StampCounts } from './layout.js';

/** Of a thread with 7 clients. */
const bytes = 64 + 2 * 8192 * 25 + 16_384 * 25 + 4096 * 66 + 4_194_304 + 7 * 24;

it('has one field behind the other, to the end of the memory', () => {
  const { accounts, arena, events, reports } = loopMemory(new ArrayBuffer(bytes), 7);
  expect([events.flags.length, reports.fate.length, arena.length]).toEqual([4096, 16_384, 4_194_304]);
  expect([accounts.words.length, accounts.doubles.length]).toEqual([42, 21]);
  expect(accounts.words.byteOffset).toBe(arena.byteOffset + arena.length);
});

it.each([bytes - 8, bytes + 8, 0])('refuses memory of %i bytes, as an addon of another version has', (length) => {
  expect(() => loopMemory(new ArrayBuffer(length), 7)).toThrow('another version');
});

const delivery = fc.record({ isStamped: fc.boolean(), widthNs: fc.nat({ max: 2 }), isStepped: fc.boolean() });

it('counts each delivery once, by its flag and the width of its bracket', () => {
  fc.assert(
    fc.property(fc.array(fc.array(delivery, { maxLength: 13 }), { maxLength: 7 }), (batches) => {
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
    }),
  );
});
