import type { HeadlineColumn } from '../measure/declaration.js';
import { countUnitOf, partsIn } from '../measure/ledger.js';
import { wholeError } from '../measure/paired/compare-starts.js';
import { concludePairs } from '../measure/paired/conclude.js';
import {
  allowedSpread,
  type Estimate,
  estimate,
  estimateOfProcesses,
  interval95,
  intervalAt,
  isOfRuns,
  lowerMedian,
  minRuns,
  normal95,
  ratioOf,
} from '../measure/stats/estimate.js';
import type { HeadlineFigure, Pair } from '../results/comparison.js';
import { headlineValue } from '../results/figures.js';
import type { RunResult } from '../results/result.js';
import type { Scenario } from '../scenarios/scenario.js';

export interface ComparedRuns {
  target: string;
  runs: readonly RunResult[];
}

/** Holds one column of the scoreboard for the runs of a target. */
export interface Judged {
  figure: HeadlineFigure;
  estimate: Estimate | undefined;
}

/** Returns the figures of each target, and how pairs with enough runs differ. In rounds, shared effects cancel out. */
export function significance(
  { headline }: Scenario,
  contenders: readonly ComparedRuns[],
  isInRounds: boolean,
): { figures: HeadlineFigure[][]; pairs: Pair[] } {
  const judged = contenders.map(({ target, runs }) => ({
    target,
    columns: headline.flatMap((column) => judge(column, runs) ?? []),
  }));
  const unpaired = twos(judged).flatMap(([a, b]) => pairsOf(a, b).map(asKept));
  const byRounds = (column: HeadlineColumn): Pair[] =>
    isOfEvents(column)
      ? unpaired.filter((pair) => pair.column === column.title)
      : pairsByRounds(column, contenders).map(asKept);
  const pairs = isInRounds ? headline.flatMap(byRounds) : unpaired;
  return { figures: judged.map(({ columns }) => columns.map(({ figure }) => figure)), pairs };
}

type Interval = readonly [low: number, high: number];

/** Returns each two of them, in order. */
function twos<T>(all: readonly T[]): [T, T][] {
  return all.flatMap((one, index) => all.slice(index + 1).map((other): [T, T] => [one, other]));
}

/** Holds a pair with the interval that decides it. */
export interface JudgedPair extends Pair {
  joint: [low: number, high: number];
}

/** Returns the pairs of one column alone, judged as in `significance`. `error` is that of all pairs together. */
export function pairsIn(column: HeadlineColumn, contenders: readonly ComparedRuns[], error: number): JudgedPair[] {
  if (!isOfEvents(column)) return pairsByRounds(column, contenders, error);
  const judged = contenders.map(({ target, runs }) => ({ target, columns: [judge(column, runs) ?? []].flat() }));
  return twos(judged).flatMap(([a, b]) => pairsOf(a, b, 1 - error / twos(contenders).length));
}

/** Returns the pairs of one column by the blocks within few runs. `error` is that of all pairs together. */
export function pairsOfProcesses(
  column: HeadlineColumn,
  contenders: readonly ComparedRuns[],
  error: number,
): JudgedPair[] {
  const level = 1 - error / twos(contenders).length;
  const found = contenders.flatMap(({ target, runs }) => {
    const measured = measuredIn(column, runs);
    const values = measured.map(({ value }) => value);
    const within = measured.map((each) => each.within ?? each.byStarts);
    const known = estimateOfProcesses(values, within, column.kind === 'figure' ? allowedSpread : 0);
    return known ? [{ target, known }] : [];
  });
  return twos(found).map(([a, b]) => judgedPair(column.title, [a.target, b.target], ratioOf(a.known, b.known), level));
}

interface MeasuredRun {
  value: number;
  within: Interval | undefined;
  /** Interval by which chance moves a count of this many events; undefined for anything that is no count of events. */
  byChance: Interval | undefined;
  /** The same, if the events also vary between starts by `allowedSpread`. */
  byStarts: Interval | undefined;
}

/** Returns the value of a column in each run that is not void, with its interval within the run. */
export function measuredIn(column: HeadlineColumn, runs: readonly RunResult[]): MeasuredRun[] {
  return runs.flatMap((run) => {
    const value = run.verdict.rig === 'void' ? null : headlineValue(column, run);
    const within = column.kind === 'figure' ? run.metrics[column.metric]?.intervals[column.figure] : undefined;
    const [byChance, byStarts] = [0, allowedSpread].map((spread) => chanceOf(column, value ?? 0, run, spread));
    return value === null ? [] : [{ value, within, byChance, byStarts }];
  });
}

/** Returns true for counts and shares of events, which vary by chance even where all rounds agree. */
function isOfEvents(column: HeadlineColumn): boolean {
  return column.kind === 'share' || (column.kind === 'count' && countUnitOf(column.entry) === 'count');
}

function chanceOf(column: HeadlineColumn, value: number, { ledger }: RunResult, spread: number): Interval | undefined {
  const errorOf = (events: number): number => Math.hypot(1 / Math.sqrt(events), spread);
  if (column.kind === 'count' && countUnitOf(column.entry) === 'count') return around(value, errorOf(value));
  const parts = column.kind === 'share' ? partsIn(ledger, column.part, column.whole) : undefined;
  if (!parts) return undefined;
  const rarer = Math.max(1, Math.min(parts.part, parts.whole - parts.part));
  return around(value, (errorOf(rarer) * rarer) / parts.part);
}

function around(value: number, relativeError: number): Interval {
  const reach = Math.exp(normal95 * relativeError);
  return [value / reach, value * reach];
}

/** Returns undefined if no run has a value. */
export function judge(column: HeadlineColumn, runs: readonly RunResult[]): Judged | undefined {
  const measured = measuredIn(column, runs);
  if (measured.length === 0) return undefined;
  const values = measured.map(({ value }) => value);
  // Counts that are equal in all runs still vary by chance.
  const isFlat = values.length >= minRuns && values.every((value) => value === values[0]);
  const within = measured.map((each) => each.within ?? (isFlat ? each.byChance : undefined));
  const found = estimate(values, within);
  const isShown = measured.every((each) => each.within !== undefined) || !isFlat;
  const figure = {
    column: column.title,
    median: lowerMedian(values),
    least: Math.min(...values),
    most: Math.max(...values),
    interval: found && isShown ? interval95(found) : null,
  };
  return { figure, estimate: found };
}

/** Returns the ratio of two estimates, whatever their noise comes from; undefined if one is missing. */
export function ratioBetween(
  one: Judged,
  other: Judged,
): Pick<Pair, 'ratio' | 'interval' | 'isBeyondNoise'> | undefined {
  if (!one.estimate || !other.estimate) return undefined;
  const ratio = ratioOf(one.estimate, other.estimate);
  const interval = interval95(ratio);
  return { ratio: Math.exp(ratio.centre), interval, isBeyondNoise: interval[0] > 1 || interval[1] < 1 };
}

interface JudgedTarget {
  target: string;
  columns: readonly Judged[];
}

/** Returns all pairs of one column by the rounds with every target. The noise intervals hold together. */
function pairsByRounds(column: HeadlineColumn, all: readonly ComparedRuns[], error = wholeError): JudgedPair[] {
  const contenders = all.filter(({ runs }) => runs.length >= minRuns);
  if (contenders.length < 2) return [];
  const rounds = Math.min(...contenders.map(({ runs }) => runs.length));
  const logs = Array.from({ length: rounds }, (_, round) =>
    contenders.map(({ runs }) => Math.log(measuredIn(column, runs.slice(round, round + 1))[0]?.value ?? 0)),
  );
  const whole = logs.filter((round) => round.every(Number.isFinite)).map((round) => [round]);
  const found = concludePairs(whole, { error: (statements) => error / statements, equalWithin: 0 }) ?? [];
  return found.flatMap(({ a, b, ratio, interval, joint, holds }) => {
    if (ratio === null || !interval || !joint) return [];
    const names = { a: contenders[a]!.target, b: contenders[b]!.target };
    return [{ column: column.title, ...names, ratio, interval, joint, isBeyondNoise: holds === 'yes' }];
  });
}

function pairsOf(a: JudgedTarget, b: JudgedTarget, level = 0.95): JudgedPair[] {
  return a.columns.flatMap((one) => {
    const { column } = one.figure;
    const other = b.columns.find(({ figure }) => figure.column === column);
    if (!one.estimate || !other?.estimate || !isOfRuns(one.estimate) || !isOfRuns(other.estimate)) return [];
    return [judgedPair(column, [a.target, b.target], ratioOf(one.estimate, other.estimate), level)];
  });
}

function judgedPair(
  column: string,
  [a, b]: readonly [a: string, b: string],
  ratio: ReturnType<typeof ratioOf>,
  level: number,
): JudgedPair {
  const joint = intervalAt(level, ratio);
  const isBeyondNoise = joint[0] > 1 || joint[1] < 1;
  return { column, a, b, ratio: Math.exp(ratio.centre), interval: interval95(ratio), joint, isBeyondNoise };
}

function asKept({ joint: _joint, ...pair }: JudgedPair): Pair {
  return pair;
}
