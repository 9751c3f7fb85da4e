import type { HeadlineColumn, Scenario } from '../contract/catalog.js';
import type { Comparison } from '../contract/comparison.js';
import { directionOf } from '../contract/direction.js';

/**
 * Whether the target is better in that column than every other that has a figure there, each time by more than the noise. Nothing is best among runs of
 * different shapes, or among rigs.
 */
export function isBest(
  column: HeadlineColumn,
  target: string,
  { rows, pairs, forced, proof }: Comparison,
  scenario: Scenario,
): boolean {
  const direction = directionOf(column, scenario);
  const others = rows.filter(
    (row) => row.target !== target && row.figures.some((figure) => figure.column === column.title),
  );
  if (direction === 'neither' || others.length === 0 || forced !== '' || proof !== null) return false;
  return others.every((other) =>
    pairs.some(({ column: title, a, b, ratio, isBeyondNoise }) => {
      if (title !== column.title || !isBeyondNoise) return false;
      const [lower, higher] = ratio < 1 ? [a, b] : [b, a];
      return direction === 'lower'
        ? lower === target && higher === other.target
        : higher === target && lower === other.target;
    }),
  );
}
