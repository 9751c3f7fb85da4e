import { bisect, errorFunction } from 'simple-statistics';
import { minStarts } from './starts.js';

/** An error of one in twenty, for all pairs and all interim tests together. */
export const wholeError = 0.05;
/** The error grows with this power of the share of planned starts, so early tests get little (Kim, DeMets 1987). */
const spendingPower = 3;

/** Describes one interim test of the starts so far. */
export interface InterimTest {
  starts: number;
  planned: number;
  /** Set if no further start follows, whatever the result. The test then has all the error that is left. */
  isLast: boolean;
}

/**
 * Returns the two-sided error of one statement at this interim test. All `statements` together may be wrong in one of
 * twenty comparisons. Each test uses all starts before it again, so the tests add little error to each other (Lan and
 * DeMets 1983). The sum of all starts is a walk with normal steps.
 */
export function errorAt(look: InterimTest, statements = 1): number {
  const key = `${look.starts} of ${look.planned} ${look.isLast} ${statements}`;
  const error = known.get(key) ?? findError(look, statements);
  known.set(key, error);
  return error;
}

const known = new Map<string, number>();

function findError({ starts, planned, isLast }: InterimTest, statements: number): number {
  if (starts < minStarts) return 0;
  const spent = (made: number): number => (wholeError / statements) * (made / planned) ** spendingPower;
  let walk = firstWalk(minStarts);
  for (let made = minStarts; ; made++) {
    const isHere = made === starts;
    const before = made === minStarts ? 0 : spent(made - 1);
    const share = (isHere && isLast ? wholeError / statements : spent(made)) - before;
    const wall = bisect((at) => beyond(walk, at) - share, 0, widest * Math.sqrt(made), 100, 1e-9);
    if (isHere) return 2 * tail(wall / Math.sqrt(made));
    walk = nextWalk(walk, wall);
  }
}

/** Beyond so many standard deviations no probability is left to distribute. */
const widest = 8;
const places = 161;

/** Holds the places of a walk before its next step, each with its probability. */
type Walk = readonly (readonly [place: number, probability: number])[];

/** Returns all walks before the first interim test, without their last step. */
function firstWalk(steps: number): Walk {
  const spread = Math.sqrt(steps - 1);
  return gridOf(widest * spread).map((at, _, { length }) => {
    const width = (2 * widest * spread) / (length - 1);
    return [at, (density(at / spread) / spread) * width];
  });
}

/** Returns the walks that stay within the wall after one more step. */
function nextWalk(walk: Walk, wall: number): Walk {
  const grid = gridOf(wall);
  const width = (2 * wall) / (grid.length - 1);
  return grid.map((at, place) => {
    const weight = place === 0 || place === grid.length - 1 ? width / 2 : width;
    return [at, weight * walk.reduce((sum, [from, probability]) => sum + probability * density(at - from), 0)];
  });
}

/** Returns the share of walks that one more step takes beyond the wall, on either side. */
function beyond(walk: Walk, wall: number): number {
  return walk.reduce((sum, [from, probability]) => sum + probability * (tail(wall - from) + tail(wall + from)), 0);
}

function gridOf(end: number): number[] {
  return Array.from({ length: places }, (_, place) => end * ((2 * place) / (places - 1) - 1));
}

function density(at: number): number {
  return Math.exp(-(at ** 2) / 2) / Math.sqrt(2 * Math.PI);
}

/** P(normal > at). */
function tail(at: number): number {
  return (1 - errorFunction(at / Math.SQRT2)) / 2;
}
