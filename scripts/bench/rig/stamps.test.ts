import { expect, it } from 'vitest';
import { stampErrors } from './stamps.js';

/** Calls of 20 us, a millisecond apart. */
const sendNs = [0, 1, 2, 3].flatMap((sequence) => [sequence * 1e6, sequence * 1e6 + 20_000]);
const stamp = (sequence: number, from: number, to = from) => ({
  sequence,
  notBeforeNs: sequence * 1e6 + from,
  receivedAtNs: sequence * 1e6 + to,
});

it('an exact stamp within the call has no error', () => {
  expect(stampErrors([stamp(0, 7000), stamp(3, 20_000), stamp(1, 0)], sendNs)).toEqual({
    ...{ p50Ms: 0, p99Ms: 0, maxMs: 0 },
    ...{ exact: 3, of: 3, missed: 0 },
  });
});

it('an exact stamp beside the call is off by the way to it', () => {
  const errors = stampErrors([stamp(0, 7000), stamp(1, 7000), stamp(2, 3_020_000)], sendNs);
  expect(errors).toMatchObject({ p50Ms: 0, maxMs: 3, exact: 3, missed: 1 });
});

it('intervals count as exact only if they are none', () => {
  const errors = stampErrors([stamp(0, 7000), stamp(1, -500, 9e6), stamp(2, 21_500, 9e6)], sendNs);
  expect(errors).toMatchObject({ maxMs: 0, exact: 1, of: 3, missed: 1 });
});

it('without exact stamps, the error is that of all', () => {
  expect(stampErrors([stamp(1, -500, 7_020_000)], sendNs)).toMatchObject({ maxMs: 7, exact: 0, missed: 0 });
});

it('has no figure without stamps', () => {
  expect(stampErrors([], sendNs)).toMatchObject({ p99Ms: Number.NaN, of: 0 });
});
