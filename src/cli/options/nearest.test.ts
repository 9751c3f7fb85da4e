import { expect, it } from 'vitest';
import { nearestName } from './variables.js';

const names = ['RATE', 'RAMP_RATE', 'SUBSCRIBERS', 'BROADCASTS'];

it.each([
  ['SUBSCRIBER', 'SUBSCRIBERS'],
  ['SUBSRCIBERS', 'SUBSCRIBERS'],
  ['BROADCATS', 'BROADCASTS'],
  ['RAMPRATE', 'RAMP_RATE'],
  ['RATES', 'RATE'],
  ['SUBS', undefined],
  ['', undefined],
])('%s is meant for %s', (name, meant) => {
  expect(nearestName(name, names)).toBe(meant);
});
