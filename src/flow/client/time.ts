import { inspect } from 'node:util';
import { outsideText } from '../../units/text.js';
import { duration, longestMs } from '../../units/unit.js';
import type { Time } from '../api.js';

/** Returns a time in milliseconds. Throws a `RangeError` that begins with `what`, such as `me.sleep`. */
export function msOf(time: Time, what: string): number {
  const ms = typeof time === 'string' ? duration.parse(time) : time;
  if (typeof ms === 'number' && ms >= 0 && ms <= longestMs) return ms;
  const expected = 'a time such as 250ms, 2s or 5m, or a number of milliseconds, at most 24 days';
  throw new RangeError(`${what}: expected ${expected}, received ${outsideText(inspect(time), 60)}`);
}
