import type { Declaration, HeadlineColumn } from '../measure/declaration.js';
import { minRuns } from '../measure/stats/estimate.js';
import type { Comparison } from '../results/comparison.js';
import { directionOf } from '../results/direction.js';
import { isDoubtedCell } from './words/doubts.js';

/**
 * Whether the target is better in that column than every other that has a figure there, each time by more than the noise. Nothing is best among runs of
 * different shapes, among rigs, or among figures of which the rig may have written a part of one.
 */
export function isBest(
  column: HeadlineColumn,
  target: string,
  { rows, pairs, forced, proof }: Comparison,
  scenario: Declaration,
): boolean {
  const direction = directionOf(column, scenario);
  const there = rows.filter((row) => row.figures.some((figure) => figure.column === column.title));
  const others = there.filter((row) => row.target !== target);
  if (direction === 'neither' || others.length === 0 || forced !== '' || proof !== null) return false;
  if (there.some((row) => isDoubtedCell(column, row))) return false;
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

/** In a line, beside which targets nothing could be called best for want of runs, void ones left out; none where each has enough of them, or where there are no two. */
export function whyNothingIsBest({ rows, repeat }: Comparison): string[] {
  const there = rows
    .filter(({ figures }) => figures.length > 0)
    .map(({ target, runs }) => ({
      target,
      runs: runs.filter(({ result }) => result.verdict.rig !== 'void').length,
    }));
  const short = there.filter(({ runs }) => runs < minRuns);
  if (there.length < 2 || short.length === 0) return [];
  const advice = repeat < minRuns ? `; --repeat ${minRuns} tells what changes between runs` : '';
  if (there.every(({ runs }) => runs === 1)) return [`one run each: nothing is called best${advice}`];
  const names = short.map(({ target, runs }) => `${target} (${runs})`).join(', ');
  return [`nothing is called best beside fewer than ${minRuns} runs that are not void: ${names}${advice}`];
}
