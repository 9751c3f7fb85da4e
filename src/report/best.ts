import type { HeadlineColumn, Scenario } from '../contract/catalog.js';
import type { Comparison } from '../contract/comparison.js';
import { directionOf } from '../contract/direction.js';
import { minRuns } from '../measure/estimate.js';

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

/** In a line, that no target could be called best for want of runs, void ones left out; none where two targets have enough of them, or where there are no two. */
export function whyNothingIsBest({ rows }: Comparison): string[] {
  const runs = rows
    .filter(({ figures }) => figures.length > 0)
    .map((row) => row.runs.filter(({ result }) => result.verdict.rig !== 'void').length);
  if (runs.length < 2 || runs.filter((number) => number >= minRuns).length > 1) return [];
  const each = Math.max(...runs) === 1 ? 'one run each' : `fewer than ${minRuns} runs each`;
  return [`${each}: nothing is called best, --repeat ${minRuns} tells what changes between runs`];
}
