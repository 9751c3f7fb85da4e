import { expect, it } from 'vitest';
import { measuredOn } from '../../../test/worlds/noisy-machine.js';
import { afterEffects } from './predecessors.js';
import { slotOrder } from './slots.js';

/** Slots that follow target 1 take `factor` times as long. */
function startsWith(factor: number) {
  const world = { seed: 7, truth: [0, 0.3, 0, 0], starts: 6, rounds: 40, betweenStarts: 0.04 };
  return measuredOn({ ...world, stalls: 0, episodesEveryS: 20 }).map((rounds, start) => {
    const order = slotOrder(start, 4, rounds.length);
    return {
      order,
      rounds: rounds.map((round, index) =>
        round.map((each, target) => {
          const before = order[index]![order[index]!.indexOf(target) - 1];
          return before === 1 ? each + Math.log(factor) : each;
        }),
      ),
    };
  });
}

it('finds the target whose slots slow down those that follow', () => {
  const found = afterEffects(startsWith(1.5));
  expect(found.map(({ after }) => after)).toEqual([0, 1, 2, 3]);
  expect(found[1]!.interval[0]).toBeGreaterThan(1.05);
  expect(found[1]!.ratio).toBeGreaterThan(1.2);
});

it('finds none where there is none', () => {
  for (const { interval } of afterEffects(startsWith(1))) {
    expect(interval[0]).toBeLessThan(1);
    expect(interval[1]).toBeGreaterThan(1);
  }
  expect(afterEffects(startsWith(1).slice(0, 2))).toEqual([]);
});
