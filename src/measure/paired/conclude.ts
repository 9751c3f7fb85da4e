import { mean } from 'simple-statistics';
import { signedRank } from './location.js';
import { distances, fitStarts, type Rounds, ratioOverStarts } from './starts.js';

/** What a comparison of two targets says: `apart` (by the ratio), `equal` within the margin, or neither. */
export type Conclusion = 'apart' | 'equal' | 'open';

/** Two targets, by their place in the rounds. Ratios are of `a` to `b`. */
export interface PairedRatio {
  a: number;
  b: number;
  ratio: number;
  /** 95 % over starts: what fresh processes of both would show. */
  interval: [low: number, high: number];
  /**
   * What the conclusion is drawn from. Of pairs that are not told apart, it holds for all pairs and looks at once. Of
   * others, it is as wide as what is already told apart leaves (see `conclude`).
   */
  joint: [low: number, high: number];
  /** 95 % for these very processes, the mean of their starts; null with too few rounds. */
  theseProcesses: [low: number, high: number] | null;
  conclusion: Conclusion;
}

/** What is asked of a comparison. */
export interface Question {
  /** The two-sided error of one statement at this look, if so many may be wrong. */
  error(statements: number): number;
  /** The share within which two targets count as equal, 0.05 for 5 %. */
  equalWithin: number;
  /** Pairs left out, as nobody asks for them: a target and its twin. */
  without?: readonly (readonly [number, number])[];
}

/**
 * Every pair that is asked for; undefined as long as the starts say nothing of the noise between them. The pairs are
 * told apart from the clearest on. Each one that is leaves fewer of the others that can be equal (Shaffer 1986), so the
 * next one needs less. The first that fails ends it: no later one is told apart.
 */
export function conclude(starts: readonly Rounds[], question: Question): PairedRatio[] | undefined {
  const fit = fitStarts(starts);
  if (!fit) return undefined;
  const targets = fit.effects[0]?.length ?? 0;
  const pairs: [number, number][] = [];
  for (let a = 0; a < targets; a++)
    for (let b = a + 1; b < targets; b++)
      if (!question.without?.some(([one, other]) => one === a && other === b)) pairs.push([a, b]);
  const counts = equalCounts(new Set(pairs.flat()).size);
  const clearestFirst = pairs
    .map(([a, b]) => ({ a, b, at: ratioOverStarts(fit, a, b, 0.95) }))
    .sort((one, other) => Math.abs(other.at.centre) - Math.abs(one.at.centre));
  let hasFailed = false;
  const found = clearestFirst.map(({ a, b, at }, told): PairedRatio => {
    const jointFor = (statements: number) => ratioOverStarts(fit, a, b, 1 - question.error(statements));
    const left = pairs.length - told;
    const next = jointFor(Math.max(...counts.filter((equal) => equal <= left)));
    hasFailed ||= !isApart(next);
    const joint = hasFailed ? jointFor(pairs.length) : next;
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
  return found.sort((one, other) => one.a - other.a || one.b - other.b);
}

/** How many pairs of so many targets can be equal at once: equal ones form groups. */
function equalCounts(targets: number): number[] {
  const ofFewer = [new Set([0])];
  for (let size = 1; size <= targets; size++) {
    const counts = new Set<number>();
    for (let group = 1; group <= size; group++)
      for (const rest of ofFewer[size - group]!) counts.add((group * (group - 1)) / 2 + rest);
    ofFewer.push(counts);
  }
  return [...ofFewer[targets]!];
}

function isApart({ low, high }: { low: number; high: number }): boolean {
  return low > 0 || high < 0;
}

function conclusionOf(joint: { low: number; high: number }, margin: number): Conclusion {
  if (isApart(joint)) return 'apart';
  return joint.low >= -margin && joint.high <= margin ? 'equal' : 'open';
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
