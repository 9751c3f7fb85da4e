/** How many of so many runs kept a promise. */
interface Kept {
  kept: number;
  runs: number;
}

/**
 * How likely runs of one kind, dealt to two sides by chance, would leave the second with so few of those that kept a promise, or fewer: Fisher's exact
 * test, one side, which sums the hypergeometric distribution (R. A. Fisher, _The Logic of Inductive Inference_, 1935).
 */
export function chanceOfFewer(one: Kept, other: Kept): number {
  const kept = one.kept + other.kept;
  const broken = one.runs + other.runs - kept;
  let ways = 0;
  for (let ofOther = Math.max(0, other.runs - broken); ofOther <= other.kept; ofOther++)
    ways += choose(kept, ofOther) * choose(broken, other.runs - ofOther);
  return ways / choose(kept + broken, other.runs);
}

/** In how many ways so many can be taken out of all. */
export function choose(all: number, taken: number): number {
  let ways = 1;
  for (let each = 1; each <= taken; each++) ways = (ways * (all - taken + each)) / each;
  return ways;
}
