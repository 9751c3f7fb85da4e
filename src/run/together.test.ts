import { expect, it } from 'vitest';
import { startTogether } from './together.js';

it('runs that go through gates together start at one instant once all stand at the gate', () => {
  let nowMs = 1009;
  const told: [string, number][] = [];
  const [one, other, third] = startTogether(
    3,
    (gate, atMs) => told.push([gate, atMs]),
    () => nowMs,
  );
  expect(one!.standsAt('start')).toBeUndefined();
  expect(one!.standsAt('start')).toBeUndefined();
  expect(other!.standsAt('start')).toBeUndefined();
  nowMs = 2003;
  const startMs = third!.standsAt('start');
  expect(startMs).toBeGreaterThan(2003);
  nowMs = 2039;
  expect([one, other, third].map((each) => each!.standsAt('start'))).toEqual([startMs, startMs, startMs]);
  expect(told).toEqual([['start', startMs]]);
  expect(one!.waitedMs()).toBe(startMs! - 1009);
  expect(third!.waitedMs()).toBe(startMs! - 2003);
});

it('runs that go through gates together pause until the last of them arrives', async () => {
  const [one, other] = startTogether(2);
  one!.standsAt('start');
  const paused = one!.pause(600_000);
  other!.standsAt('start');
  await paused;
  expect(one!.standsAt('start')).toBe(other!.standsAt('start'));
});

it('runs that go through gates together do not pause when the last arrived before', async () => {
  const [one, other] = startTogether(2);
  one!.standsAt('start');
  other!.standsAt('start');
  await one!.pause(600_000);
  const left = startTogether(2);
  left[0]!.standsAt('start');
  left[1]!.leave();
  await left[0]!.pause(600_000);
});

it('runs that go through gates together do not wait for one that left', () => {
  const [one, other] = startTogether(2, undefined, () => 7);
  expect(one!.standsAt('start')).toBeUndefined();
  other!.leave();
  expect(one!.standsAt('start')).toBeGreaterThan(7);
});
