import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { crowdFigure, fullGates, waitedGates } from './crowd-gates.js';

const all = crowdFigure('all', { share: 1 });

it('a gate is full when all clients that are there wait', () => {
  expect([6, 7].map((waiting) => fullGates({ there: 7, [all]: waiting }))).toEqual([[], ['together:all']]);
  expect(fullGates({ there: 0, [all]: 0 })).toEqual([]);
  expect(waitedGates({ there: 7, [all]: 1, 'together:none:6': 0, received: 3 })).toEqual(['together:all']);
});

it('a gate is full when the asked number or share waits', () => {
  const full = (size: Parameters<typeof crowdFigure>[1], waiting: number, there = 200) =>
    fullGates({ there, [crowdFigure('a.b-c', size)]: waiting }).length;
  expect([full({ clients: 6 }, 5), full({ clients: 6 }, 6)]).toEqual([0, 1]);
  expect([full({ share: 0.5 }, 99), full({ share: 0.5 }, 100)]).toEqual([0, 1]);
  expect([full({ share: 0.9 }, 180), full({ share: 1e-9 }, 1)]).toEqual([1, 1]);
});

it('the largest size that clients ask for wins, and all that wait count', () => {
  const [few, half] = [crowdFigure('a', { clients: 2 }), crowdFigure('a', { share: 0.5 })];
  expect(fullGates({ there: 20, [few]: 5, [half]: 4 })).toEqual([]);
  expect(fullGates({ there: 20, [few]: 5, [half]: 5 })).toEqual(['together:a']);
});

it('without a figure of those that are there, only numbers count', () => {
  expect(fullGates({ [all]: 1000, [crowdFigure('a', { clients: 2 })]: 2 })).toEqual(['together:a']);
});

it('workers and shards add up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      (came, workers) => {
        const figures = Array.from({ length: workers }, (_, worker) => {
          const own = came.filter((_, client) => client % workers === worker);
          return { there: own.length, [all]: own.filter(Boolean).length };
        });
        expect(fullGates(sumCounts(figures)).length).toBe(came.every(Boolean) ? 1 : 0);
      },
    ),
  );
});
