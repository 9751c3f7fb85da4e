import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deliveryFlag } from '../wire.js';
import { StampCounts } from './stamp-counts.js';

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
