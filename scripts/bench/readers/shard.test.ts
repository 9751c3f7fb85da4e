import { expect, it } from 'vitest';
import { windowOf } from './shard.js';

const second = (atMs: number, received: number, cpuCores: number) => ({
  atMs,
  progress: { received },
  rig: { loopDelayMs: 0, cpuCores, rssBytes: null },
});
const seconds = [
  second(1000, 0, 7),
  second(2000, 70, 7),
  second(3000, 100, 7),
  second(4000, 300, 0.5),
  second(6000, 700, 0.25),
  second(7000, 900, 0.5),
  second(8000, 900, 7),
];

it('has what whole seconds behind the warm-up used, up to the first that has all', () => {
  expect(windowOf(seconds, 100, 900)).toEqual({ elapsedMs: 4000, deliveries: 800, cpuUs: 1_500_000 });
  expect(windowOf(seconds, 71, 700)).toEqual({ elapsedMs: 3000, deliveries: 600, cpuUs: 1_000_000 });
});

it('ends with the last second if none has all', () => {
  expect(windowOf(seconds.slice(0, -2), 100, 900)).toEqual({ elapsedMs: 3000, deliveries: 600, cpuUs: 1_000_000 });
});

it('needs a whole second', () => {
  expect(() => windowOf(seconds, 100, 100)).toThrow('whole second');
  expect(() => windowOf([], 0, 7)).toThrow('whole second');
});
