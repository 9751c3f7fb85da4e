import { expect, it } from 'vitest';
import { LinkStalls } from './shard-self.js';

/** Looks four times a second at what had arrived by then, and at the timers that had run out. */
function shareOf(received: readonly number[], timeouts: readonly number[]): number {
  const stalls = new LinkStalls(0);
  for (const [n, count] of received.entries()) stalls.look((n + 1) * 250, count, timeouts[n] ?? 0);
  return stalls.share(received.length * 250);
}

it('a link that stands still counts from the last arrival to the next', () => {
  expect(shareOf([1, 2, 2, 2, 2, 9, 10, 11], [0, 0, 1, 1, 3, 3, 3, 3])).toBe(4 / 8);
});

it('a pause without timers is that of the target or the schedule', () => {
  expect(shareOf([1, 2, 2, 2, 2, 9], [4, 4, 4, 4, 4, 4])).toBe(0);
});

it('a pause of a slow schedule is none of the link, whatever else the timers are of', () => {
  const [received, timeouts] = [
    [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5],
    [0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3],
  ];
  expect(shareOf(received, timeouts)).toBe(0);
  // The same, and then a cut.
  const cut = Array.from({ length: 14 }, (_, n) => [n < 13 ? 5 : 6, 3 + n] as const);
  const shares = shareOf(
    [...received, ...cut.map(([count]) => count)],
    [...timeouts, ...cut.map(([, times]) => times)],
  );
  expect(shares).toBe(14 / 31);
});

it('timers that run out while deliveries arrive stop nothing', () => {
  expect(shareOf([1, 2, 3, 4, 5], [0, 1, 2, 3, 4])).toBe(0);
});

it('behind the last delivery nothing is due', () => {
  expect(shareOf([1, 2, 3, 3, 3, 3, 3], [0, 0, 0, 1, 2, 3, 4])).toBe(0);
});
