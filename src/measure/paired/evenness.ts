import { cumulativeStdNormalProbability, mean } from 'simple-statistics';

/**
 * The probability that rounds of equal targets are left out as unevenly as these `counts` out of `rounds` each:
 * Pearson's χ² with the cube root of Wilson and Hilferty (1931). Undefined if none or all are left out.
 */
export function evenness(counts: readonly number[], rounds: number): number | undefined {
  const freedom = counts.length - 1;
  const expected = counts.length === 0 ? 0 : mean([...counts]);
  if (freedom < 1 || expected <= 0 || expected >= rounds) return undefined;
  const square = counts.reduce((sum, count) => sum + (count - expected) ** 2, 0);
  const chiSquared = square / expected + square / (rounds - expected);
  const spread = 2 / (9 * freedom);
  return 1 - cumulativeStdNormalProbability((Math.cbrt(chiSquared / freedom) - 1 + spread) / Math.sqrt(spread));
}
