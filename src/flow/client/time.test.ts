import { expect, it } from 'vitest';
import type { Time } from '../api.js';
import { msOf } from './time.js';

it('reads numbers as milliseconds, and text with its unit', () => {
  const times: Time[] = [0, 7, 1.5, '250ms', '2s', '1.5s', '5m', '1h'];
  expect(times.map((time) => msOf(time, 'me.sleep'))).toEqual([0, 7, 1.5, 250, 2000, 1500, 300_000, 3_600_000]);
});

it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '7', '', '25d', '-2s', undefined, null, {}, '600h'])(
  'refuses %s, and names the place and what it received',
  (time) => {
    expect(() => msOf(time as Time, 'me.sleep')).toThrow(/^me\.sleep: expected a time such as .*, received /);
  },
);

it('keeps an error in one line without escape sequences', () => {
  expect(() => msOf(`${'\u001b[31m'}\n${'x'.repeat(999)}` as Time, 'every')).toThrow(/^every: [ -~…']{1,200}$/);
});
