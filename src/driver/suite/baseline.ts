import type { Comparison, ComparisonRow } from '../../contract/comparison.js';
import { type SuiteMemory, type SuiteOutcome, type SuiteRow, worseIn } from '../../contract/suite.js';
import { firstDifference } from '../fingerprint.js';
import { shapeOf } from '../plan.js';
import { fingerprintOf, type PlannedEntry } from './plan.js';

/** What an entry is held against; the rest as `suiteHeld` says. */
export interface Baseline extends SuiteMemory {
  comparison: Comparison;
  directory: string;
}

/** What an entry is held against, or why against nothing. */
export type Held = Baseline | { notHeld: string };

/** A baseline of which nothing is remembered. */
export function freshBaseline(comparison: Comparison, directory: string): Baseline {
  return { comparison, directory, isCarried: false, before: [], told: [], doubtful: [] };
}

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
 * and what was worse of it before; so does one that the rig may have written, unless its baseline is no better. Undefined where no target was ever measured.
 * Pure.
 */
export function baselineOf({
  outcome,
  comparison,
  baseline,
  isInterrupted,
}: Previous): Omit<Baseline, 'directory'> | undefined {
  const next = outcome.rows.map((row) => {
    const isBaselineClean = rowsOf(row.target, baseline).every(isClean);
    return { target: row.target, ...nextOf(row, outcome, { isBaselineClean, isInterrupted }) };
  });
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
  return {
    comparison: { ...comparison, startedAt, rows, pairs },
    isCarried: before.length > 0,
    before,
    told: next.flatMap((each) => each.told),
    doubtful: next.flatMap(({ target, isDoubtful }) => (isDoubtful ? target : [])),
  };
}

/** The row of a target, where it has runs. */
function rowsOf(name: string, board: Comparison | undefined): ComparisonRow[] {
  return board?.rows.filter(({ target, runs }) => target === name && runs.length > 0) ?? [];
}

function isClean({ runs }: ComparisonRow): boolean {
  return runs.every(({ result }) => result.verdict.rig === 'clean');
}

/** Of a target: whether what it gave is its next measure, and what is remembered where it is held against the same again. */
interface Next extends Pick<SuiteMemory, 'before' | 'told'> {
  isOwn: boolean;
  isDoubtful: boolean;
}

function nextOf(
  { target, verdicts, runs, isDoubtful, ...row }: SuiteRow,
  { baseline, again, repeat }: SuiteOutcome,
  { isBaselineClean, isInterrupted }: { isBaselineClean: boolean; isInterrupted: boolean },
): Next {
  const own = (names: readonly string[] = []): string[] => names.filter((name) => name.startsWith(`${target}  `));
  const wasDoubtful = baseline?.doubtful.includes(target) === true;
  const isMeasured = verdicts.clean + verdicts.limited > 0 && !(isInterrupted && runs < repeat);
  if (!isMeasured)
    return { isOwn: false, before: own(baseline?.before), told: own(baseline?.told), isDoubtful: wasDoubtful };
  const worse = worseIn({ target, changes: row.changes });
  const told = worse.filter((name) => again.includes(name) || baseline?.told.includes(name));
  // Clean runs that stay in doubt are so by what they are held against: its runs, or the speed of its cores.
  const isOtherwise = isDoubtful && wasDoubtful && verdicts.clean === runs;
  const isSettled = own(again).length > 0 || told.length === worse.length || isOtherwise;
  const isOwn = isSettled && (!isDoubtful || !isBaselineClean || isOtherwise);
  return isOwn ? { isOwn, before: [], told: [], isDoubtful: false } : { isOwn, before: worse, told, isDoubtful };
}

/** How the shape of a baseline differs from that of an entry; undefined where they are of one shape, or where nothing ran that could tell. Pure. */
export function baselineDifference(entry: PlannedEntry, comparison: Comparison): string | undefined {
  if (comparison.fingerprint === fingerprintOf(entry)) return undefined;
  const [run] = comparison.rows.flatMap(({ runs }) => runs);
  const [plan] = entry.plans;
  const difference = run && plan && firstDifference(run.result.shape, JSON.parse(JSON.stringify(shapeOf(plan))));
  return difference ?? `shape ${comparison.fingerprint} and ${fingerprintOf(entry)}`;
}
