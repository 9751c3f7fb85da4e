import type { Comparison, ComparisonRow } from '../../contract/comparison.js';
import { type SuiteOutcome, type SuiteRow, worseIn } from '../../contract/suite.js';
import { firstDifference } from '../fingerprint.js';
import { shapeOf } from '../plan.js';
import { fingerprintOf, type PlannedEntry } from './plan.js';

/** What an entry is held against; the rest as `suiteHeld` says. */
export interface Baseline {
  comparison: Comparison;
  directory: string;
  isCarried: boolean;
  before: string[];
}

/** What an entry is held against, or why against nothing. */
export type Held = Baseline | { notHeld: string };

/** An entry of the previous suite: what it came to, its scoreboard, and what it was held against, where it was. */
export interface Previous {
  outcome: SuiteOutcome;
  comparison: Comparison;
  baseline: Comparison | undefined;
  /** Whether its suite was cut short: runs of a target may then be missing for no fault of it. */
  isInterrupted: boolean;
}

/**
 * The baseline of the next suite, target by target. One that was worse for the first time is held once more against what it was held against: only so can
 * the next suite tell a lasting change from a bad night. What was worse twice is told, and is the new measure. One that was not measured keeps its baseline,
 * and what was worse of it before. Undefined where no target was ever measured. Pure.
 */
export function baselineOf({
  outcome,
  comparison,
  baseline,
  isInterrupted,
}: Previous): Omit<Baseline, 'directory'> | undefined {
  const next = outcome.rows.map((row) => ({ target: row.target, ...nextOf(row, outcome, isInterrupted) }));
  const isThere = (target: string): boolean => next.some((each) => each.target === target);
  const rows = [
    ...next.flatMap((each) => rowsOf(each.target, each.isOwn ? comparison : baseline)),
    ...(baseline?.rows.filter(({ target, runs }) => !isThere(target) && runs.length > 0) ?? []),
  ];
  const [startedAt] = rows.flatMap(({ runs }) => runs.map(({ result }) => result.startedAt)).sort();
  if (startedAt === undefined) return undefined;
  const isOwn = (name: string): boolean => next.some((each) => each.target === name && each.isOwn);
  const pairs = [
    ...comparison.pairs.filter(({ a, b }) => isOwn(a) && isOwn(b)),
    ...(baseline?.pairs.filter(({ a, b }) => !isOwn(a) && !isOwn(b)) ?? []),
  ];
  const before = next.flatMap((each) => each.before);
  return { comparison: { ...comparison, startedAt, rows, pairs }, isCarried: before.length > 0, before };
}

/** The row of a target, where it has runs. */
function rowsOf(name: string, board: Comparison | undefined): ComparisonRow[] {
  return board?.rows.filter(({ target, runs }) => target === name && runs.length > 0) ?? [];
}

/** Whether what a target gave is the next measure of it, and what was worse of it, where it is held against the same again. */
function nextOf(
  row: SuiteRow,
  { baseline, again, repeat }: SuiteOutcome,
  isInterrupted: boolean,
): { isOwn: boolean; before: string[] } {
  const { target, verdicts, runs } = row;
  const own = (names: readonly string[]): string[] => names.filter((name) => name.startsWith(`${target}  `));
  const isMeasured = verdicts.clean + verdicts.limited > 0 && !(isInterrupted && runs < repeat);
  if (!isMeasured) return { isOwn: false, before: own(baseline?.before ?? []) };
  const worse = worseIn(row);
  return worse.length === 0 || own(again).length > 0 ? { isOwn: true, before: [] } : { isOwn: false, before: worse };
}

/** How the shape of a baseline differs from that of an entry; undefined where they are of one shape, or where nothing ran that could tell. Pure. */
export function baselineDifference(entry: PlannedEntry, comparison: Comparison): string | undefined {
  if (comparison.fingerprint === fingerprintOf(entry)) return undefined;
  const [run] = comparison.rows.flatMap(({ runs }) => runs);
  const [plan] = entry.plans;
  const difference = run && plan && firstDifference(run.result.shape, JSON.parse(JSON.stringify(shapeOf(plan))));
  return difference ?? `shape ${comparison.fingerprint} and ${fingerprintOf(entry)}`;
}
