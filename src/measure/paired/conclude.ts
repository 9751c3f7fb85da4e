import type { Holds, OpenReason } from '../statement.js';
import {
  changeWithin,
  ofTheseProcesses,
  type PairOverStarts,
  pairOverStarts,
  type Reach,
  type Rounds,
  reachAt,
  shrunkPairs,
} from './starts.js';

/** Compares two targets by their places in the rounds. Ratios are of `a` to `b`. */
export interface PairedRatio {
  a: number;
  b: number;
  ratio: number | null;
  /** 95 % interval over starts, for fresh processes of both targets. */
  interval: [low: number, high: number] | null;
  /**
   * `holds` follows from it. For pairs that are not shown to differ, it holds for all pairs and interim tests together.
   * For others, its width depends on the pairs already shown to differ (see `conclude`).
   */
  joint: [low: number, high: number] | null;
  /** 95 % interval for these very processes: the mean of their starts. Null with too few rounds. */
  theseProcesses: [low: number, high: number] | null;
  /** Ratio of the medians over all rounds. Null if one did not arrive. */
  ofMedians: number | null;
  family: number;
  /** Factor by which the ratio changes within a start. Null if it does not change beyond chance. */
  change: number | null;
  missing: 'a' | 'b' | 'both' | null;
  /** `yes` if they differ, `no` if they are equal within the margin. */
  holds: Holds;
  because: OpenReason | null;
}

export interface PairedQuestion {
  /** Returns the two-sided error of one statement at this interim test, if so many statements may be wrong. */
  error(statements: number): number;
  equalWithin: number;
  without?: readonly (readonly [number, number])[];
}

/**
 * Compares every pair, except those in `without`. Undefined while the starts do not show the noise between them. The
 * clearest pairs come first. Each pair that differs reduces the number of others that can be equal (Shaffer 1986), so
 * the next one needs less evidence. After the first pair that does not differ, no later one does.
 */
export function concludePairs(starts: readonly Rounds[], question: PairedQuestion): PairedRatio[] | undefined {
  const targets = starts[0]?.[0]?.length ?? 0;
  const pairs = pairsAmong(targets).filter(
    ([a, b]) => !question.without?.some(([one, other]) => one === a && other === b),
  );
  const over = pairs.map(([a, b]) => pairOverStarts(starts, a, b));
  if (over.length === 0 || over.includes(undefined)) return undefined;
  const shrunk = shrunkPairs(over as PairOverStarts[]);
  const known = pairs.map(([a, b], at) => judged(starts, { a, b, over: shrunk[at]! }, pairs.length, question));
  const counts = equalCounts(new Set(pairs.flat()).size);
  let hasFailed = false;
  const found = known
    .sort((one, other) => other.clarity - one.clarity)
    .map((pair, before): PairedRatio => {
      const left = pairs.length - before;
      const next = pair.at(Math.max(...counts.filter((equal) => equal <= left)));
      hasFailed ||= next.holds !== 'yes';
      return hasFailed ? pair.at(pairs.length) : next;
    });
  return found.sort((one, other) => one.a - other.a || one.b - other.b);
}

export function pairsAmong(targets: number): [a: number, b: number][] {
  const places = Array.from({ length: targets }, (_, place) => place);
  return places.flatMap((a) => places.slice(a + 1).map((b): [number, number] => [a, b]));
}

/** Returns the possible numbers of equal pairs among so many targets. Equal targets form groups. */
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

interface JudgedPair {
  /** Distance from equality in reaches of its interval. The clearest pair has the largest. */
  clarity: number;
  /** Returns the pair if so many statements share the error. */
  at(family: number): PairedRatio;
}

const trendError = 0.01;

interface Pair {
  a: number;
  b: number;
  over: PairOverStarts;
}

function judged(starts: readonly Rounds[], pair: Pair, pairs: number, question: PairedQuestion): JudgedPair {
  const { a, b, over } = pair;
  const medians = [usual(starts, a), usual(starts, b)] as const;
  const missing = missingOf(medians, over);
  if (missing) return lostPair(pair, missing, question);
  const margin = Math.log1p(question.equalWithin);
  const change = changeWithin(over, trendError / pairs, margin);
  const widened = (level: number): Reach => {
    const { low, high, isByRounds } = reachAt(level, over);
    return { low: low - Math.abs(change) / 2, high: high + Math.abs(change) / 2, isByRounds };
  };
  const shown = widened(0.95);
  const ofMedians = medians[0] - medians[1];
  const agrees = ofMedians >= shown.low - margin && ofMedians <= shown.high + margin;
  const of = {
    ...{ a, b, ratio: Math.exp(over.centre), theseProcesses: ofTheseProcesses(over), missing: null },
    ofMedians: Math.exp(ofMedians),
    change: change === 0 ? null : Math.exp(change),
  };
  const near = over.centre > 0 ? over.centre - shown.low : shown.high - over.centre;
  return {
    clarity: Math.abs(over.centre) / Math.max(Number.MIN_VALUE, near),
    at(family): PairedRatio {
      const joint = widened(1 - question.error(family));
      const holds = agrees ? differAt(joint, margin) : 'open';
      const because = whyOpen({
        agrees,
        change,
        isLost: isLosing(starts, a, b),
        hasLevels: over.hasLevels || (joint.isByRounds && over.isSplit),
      });
      return {
        ...of,
        interval: exp(shown),
        joint: exp(joint),
        family,
        holds,
        because: holds === 'open' ? because : null,
      };
    },
  };
}

function whyOpen(of: { agrees: boolean; change: number; isLost: boolean; hasLevels: boolean }): OpenReason {
  if (of.isLost) return 'lost';
  if (!of.agrees) return 'levels';
  if (of.change !== 0) return 'trend';
  return of.hasLevels ? 'levels' : 'chance';
}

function exp({ low, high }: Reach): [number, number] {
  return [Math.exp(low), Math.min(Number.MAX_VALUE, Math.exp(high))];
}

function isApart({ low, high }: Reach): boolean {
  return low > 0 || high < 0;
}

function differAt(joint: Reach, margin: number): Holds {
  if (isApart(joint)) return 'yes';
  return joint.low >= -margin && joint.high <= margin ? 'no' : 'open';
}

/** Returns the quantile of the logarithms over all rounds of all starts, by nearest rank. Lost rounds rank last. */
function quantile(starts: readonly Rounds[], target: number, share: number): number {
  const all = starts
    .flatMap((rounds) => rounds.map((round) => round[target]!))
    .filter((each) => !Number.isNaN(each))
    .sort((one, other) => one - other);
  return all[Math.ceil(all.length * share) - 1] ?? Number.NaN;
}

const usual = (starts: readonly Rounds[], target: number): number => quantile(starts, target, 0.5);

/** If more than a tenth of the medians did not arrive, the others mean little. */
const lostFrom = 0.9;

function isLosing(starts: readonly Rounds[], ...targets: number[]): boolean {
  return targets.some((target) => quantile(starts, target, lostFrom) === Number.POSITIVE_INFINITY);
}

function missingOf([ofA, ofB]: readonly [number, number], { centre }: PairOverStarts): PairedRatio['missing'] {
  if (ofA === Number.POSITIVE_INFINITY) return ofB === Number.POSITIVE_INFINITY ? 'both' : 'a';
  if (ofB === Number.POSITIVE_INFINITY) return 'b';
  if (Number.isFinite(centre)) return null;
  return centre === Number.POSITIVE_INFINITY ? 'a' : centre === Number.NEGATIVE_INFINITY ? 'b' : 'both';
}

/**
 * Decides a pair with a median that did not arrive. Only the order can be known: in each start the same side lacked it.
 * If two targets lose alike, a start shows that with a probability of at most one in four.
 */
function lostPair(
  { a, b, over }: Pair,
  missing: NonNullable<PairedRatio['missing']>,
  question: PairedQuestion,
): JudgedPair {
  const last = { a: Number.POSITIVE_INFINITY, b: Number.NEGATIVE_INFINITY, both: Number.NaN }[missing];
  const isAlways = over.ofStarts.every((each) => each === last);
  const chance = 2 * 0.25 ** over.ofStarts.length;
  return {
    clarity: isAlways ? Number.MAX_VALUE : 0,
    at: (family) => {
      const isTold = isAlways && chance <= question.error(family);
      const none = { ratio: null, interval: null, joint: null, theseProcesses: null, ofMedians: null, change: null };
      return { a, b, ...none, family, missing, holds: isTold ? 'yes' : 'open', because: isTold ? null : 'lost' };
    },
  };
}
