import { mean } from 'simple-statistics';
import { signedRank } from './location.js';
import { distances, fitStarts, minStarts, type Rounds, ratioOverStarts } from './starts.js';

/** An error of one in twenty over all pairs and all looks together. */
export const wholeError = 0.05;
/** How the error grows with the share of the planned starts: early looks get little of it (Kim and DeMets 1987). */
const spendingPower = 3;

/** What a comparison of two targets says: `apart` (by the ratio), `equal` within the margin, or neither. */
export type Conclusion = 'apart' | 'equal' | 'open';

/** Two targets, by their place in the rounds. Ratios are of `a` to `b`. */
export interface PairedRatio {
  a: number;
  b: number;
  ratio: number;
  /** 95 % over starts: what fresh processes of both would show. */
  interval: [low: number, high: number];
  /** The interval at the level that holds for all pairs and looks at once; the conclusion is drawn from it. */
  joint: [low: number, high: number];
  /** 95 % for these very processes, the mean of their starts; null with too few rounds. */
  theseProcesses: [low: number, high: number] | null;
  conclusion: Conclusion;
}

/** What is asked of a comparison. */
export interface Question {
  /** How often all pairs together may claim what is not so, at this look. */
  error: number;
  /** The share within which two targets count as equal, 0.05 for 5 %. */
  equalWithin: number;
  /** Pairs left out, as nobody asks for them: a target and its twin. */
  without?: readonly (readonly [number, number])[];
}

/** Every pair that is asked for; undefined as long as the starts say nothing of the noise between them. */
export function conclude(starts: readonly Rounds[], question: Question): PairedRatio[] | undefined {
  const fit = fitStarts(starts);
  if (!fit) return undefined;
  const targets = fit.effects[0]?.length ?? 0;
  const pairs: [number, number][] = [];
  for (let a = 0; a < targets; a++)
    for (let b = a + 1; b < targets; b++)
      if (!question.without?.some(([one, other]) => one === a && other === b)) pairs.push([a, b]);
  const level = 1 - question.error / pairs.length;
  return pairs.map(([a, b]) => {
    const at = ratioOverStarts(fit, a, b, 0.95);
    const joint = ratioOverStarts(fit, a, b, level);
    return {
      a,
      b,
      ratio: Math.exp(at.centre),
      interval: [Math.exp(at.low), Math.exp(at.high)],
      joint: [Math.exp(joint.low), Math.exp(joint.high)],
      theseProcesses: ofTheseProcesses(starts, a, b),
      conclusion: conclusionOf(joint, Math.log1p(question.equalWithin)),
    };
  });
}

/**
 * The error of the look after so many of the planned starts. All looks have 5 % together: the last one, whenever the
 * time makes it the last, has what the earlier ones left.
 */
export function errorAt(starts: number, planned: number, isLast: boolean): number {
  const spent = (made: number): number => (made < minStarts ? 0 : wholeError * (made / planned) ** spendingPower);
  return (isLast ? wholeError : spent(starts)) - spent(starts - 1);
}

function conclusionOf({ low, high }: { low: number; high: number }, margin: number): Conclusion {
  if (low > 0 || high < 0) return 'apart';
  return low >= -margin && high <= margin ? 'equal' : 'open';
}

/** The intervals of the single starts as one: errors of independent starts add up in squares. */
function ofTheseProcesses(starts: readonly Rounds[], a: number, b: number): [number, number] | null {
  const found = starts.map((rounds) => signedRank(distances(rounds, a, b), 0.95));
  if (found.some((each) => each === undefined)) return null;
  const known = found as NonNullable<(typeof found)[number]>[];
  const centre = mean(known.map((each) => each.centre));
  const reach = Math.sqrt(known.reduce((sum, { low, high }) => sum + ((high - low) / 2) ** 2, 0)) / known.length;
  return [Math.exp(centre - reach), Math.exp(centre + reach)];
}
