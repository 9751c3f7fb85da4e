import { expect, it } from 'vitest';
import { Freezes } from './pacer.js';

it('stands still for the time ordered, counted from the first broadcast of each stream', () => {
  const freezes = new Freezes({ atMs: 2, forMs: 3 });
  const until = () => [0, 1, 3, 5.9, 6, 8, 9].map((ms) => freezes.untilNs(ms * 1e6) / 1e6);
  expect(until()).toEqual([0, 1, 3, 5.9, 6, 8, 9]);
  freezes.begin(1e6);
  expect(until()).toEqual([0, 1, 6, 6, 6, 8, 9]);
  freezes.begin(3e6);
  expect(until()).toEqual([0, 1, 6, 8, 8, 8, 9]);
});

it('tells the end of the last freeze that is over', () => {
  const freezes = new Freezes({ atMs: 2, forMs: 3 });
  freezes.begin(1e6);
  freezes.begin(11e6);
  expect([5, 6, 13, 16, 101].map((ms) => freezes.thawedNs(ms * 1e6) / 1e6)).toEqual([-Infinity, 6, 6, 16, 16]);
});

it('never stands still where none is ordered', () => {
  const freezes = new Freezes(undefined);
  freezes.begin(7);
  expect([freezes.untilNs(11), freezes.thawedNs(11)]).toEqual([11, Number.NEGATIVE_INFINITY]);
});
