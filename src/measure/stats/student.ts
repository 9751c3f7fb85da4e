import { bisect } from 'simple-statistics';

/** Returns the standard errors to either side that hold the truth with probability `level`. Freedom is rounded down. */
export function studentReach(level: number, freedom: number): number {
  const whole = Math.max(1, Math.floor(freedom + 1e-9));
  const angle = bisect((at) => heldWithin(at, whole) - level, 0, Math.PI / 2, 100, 1e-13);
  return Math.sqrt(whole) * Math.tan(angle);
}

/** P(|t| < √freedom · tan(angle)) for integer freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). */
function heldWithin(angle: number, freedom: number): number {
  const isOdd = freedom % 2 === 1;
  const cosine = Math.cos(angle);
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let step = isOdd ? 2 : 1; step < freedom; step += 2) {
    sum += term;
    term *= (cosine ** 2 * step) / (step + 1);
  }
  return isOdd ? (angle + Math.sin(angle) * sum) * (2 / Math.PI) : Math.sin(angle) * sum;
}

interface Kept {
  kept: number;
  runs: number;
}

/** Returns the probability that the second side has as few passes by chance: Fisher's exact test, one-sided (1935). */
export function chanceOfFewer(one: Kept, other: Kept): number {
  const kept = one.kept + other.kept;
  const broken = one.runs + other.runs - kept;
  let ways = 0;
  for (let ofOther = Math.max(0, other.runs - broken); ofOther <= other.kept; ofOther++)
    ways += choose(kept, ofOther) * choose(broken, other.runs - ofOther);
  return ways / choose(kept + broken, other.runs);
}

export function choose(all: number, taken: number): number {
  let ways = 1;
  for (let each = 1; each <= taken; each++) ways = (ways * (all - taken + each)) / each;
  return ways;
}
