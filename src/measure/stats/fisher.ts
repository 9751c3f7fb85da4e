/** How many runs passed a threshold. */
interface Kept {
  kept: number;
  runs: number;
}

/** The probability that chance gives the second side as few passes: Fisher's exact test, one-sided (1935). */
export function chanceOfFewer(one: Kept, other: Kept): number {
  const kept = one.kept + other.kept;
  const broken = one.runs + other.runs - kept;
  let ways = 0;
  for (let ofOther = Math.max(0, other.runs - broken); ofOther <= other.kept; ofOther++)
    ways += choose(kept, ofOther) * choose(broken, other.runs - ofOther);
  return ways / choose(kept + broken, other.runs);
}

/** The binomial coefficient. */
export function choose(all: number, taken: number): number {
  let ways = 1;
  for (let each = 1; each <= taken; each++) ways = (ways * (all - taken + each)) / each;
  return ways;
}
