import { bisect, errorFunction } from 'simple-statistics';
import { minStarts } from './starts.js';

/** An error of one in twenty over all pairs and all looks together. */
export const wholeError = 0.05;
/** How the error grows with the share of the planned starts: early looks get little of it (Kim and DeMets 1987). */
const spendingPower = 3;

/** One look at the starts so far. */
export interface InterimTest {
  starts: number;
  planned: number;
  /** Whether no further start follows, whatever these say: then it has all that is left. */
  isLast: boolean;
}

/**
 * The two-sided error of one statement at this look, if `statements` of them may be wrong in one of twenty comparisons
 * together. Each look sees all starts before it again, so what the looks add to each other is little (Lan and DeMets
 * 1983); the sum of all starts is a walk with normal steps.
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

/** Beyond so many standard deviations nothing is left to share. */
const widest = 8;
const places = 161;

/** Where a walk may be before its next step: a place, with the probability that it is there. */
type Walk = readonly (readonly [place: number, probability: number])[];

/** All walks but for their last step before the first look. */
function firstWalk(steps: number): Walk {
  const spread = Math.sqrt(steps - 1);
  return gridOf(widest * spread).map((at, _, { length }) => {
    const width = (2 * widest * spread) / (length - 1);
    return [at, (density(at / spread) / spread) * width];
  });
}

/** The walks that one more step leaves within the wall. */
function nextWalk(walk: Walk, wall: number): Walk {
  const grid = gridOf(wall);
  const width = (2 * wall) / (grid.length - 1);
  return grid.map((at, place) => {
    const weight = place === 0 || place === grid.length - 1 ? width / 2 : width;
    return [at, weight * walk.reduce((sum, [from, probability]) => sum + probability * density(at - from), 0)];
  });
}

/** How many walks one more step brings beyond the wall, on either side. */
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
