import { expect, it } from 'vitest';
import { simulateNights } from '../../../scripts/bench/answers/model.js';
import { changePoints } from './change-points.js';

const level = (value: number, nights: number): number[] =>
  Array.from({ length: nights }, (_, night) => value + (night % 3));

it('finds each change, in the order of time', () => {
  expect(changePoints([...level(100, 7), ...level(150, 11), ...level(120, 13)])).toEqual([7, 18]);
});

it('finds none in a constant, in an outlier, and in fewer values than a test needs', () => {
  expect(changePoints([])).toEqual([]);
  expect(changePoints(Array(31).fill(0))).toEqual([]);
  expect(changePoints([...level(100, 9), 900, ...level(100, 9)])).toEqual([]);
  expect(changePoints([1, 2, 1, 9, 8, 9])).toEqual([]);
});

it('gives the same places for the same seed', () => {
  const values = Array.from({ length: 23 }, (_, night) => (night * 7919) % 101);
  expect(changePoints(values, 11)).toEqual(changePoints(values, 11));
});

it('finds nine of ten known changes, with at most one false alarm in twenty', () => {
  const simulated = Array.from({ length: 60 }, (_, seed) => simulateNights(seed));
  expect(simulated.filter(({ isFound }) => isFound).length).toBeGreaterThanOrEqual(54);
  expect(simulated.filter(({ isFalse }) => isFalse).length).toBeLessThanOrEqual(3);
});
