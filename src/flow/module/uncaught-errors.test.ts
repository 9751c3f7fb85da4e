import { expect, it } from 'vitest';
import { UncaughtErrors } from './uncaught-errors.js';

it('counts each error, and stops the run from a hundred in a second', () => {
  let nowNs = 0;
  const [caught, stopped]: [unknown[], string[]] = [[], []];
  const errors = new UncaughtErrors(
    () => nowNs,
    (error) => caught.push(error),
    (evidence) => stopped.push(evidence),
  );
  for (let n = 0; n < 99; n++) errors.take(n);
  nowNs = 1e9;
  for (let n = 0; n < 99; n++) errors.take(n);
  expect([caught.length, stopped]).toEqual([198, []]);
  for (let n = 0; n < 7; n++) errors.take(new TypeError('no field'));
  expect([caught.length, stopped]).toEqual([205, [expect.stringContaining('in a package: TypeError: no field')]]);
});
