import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { firstDifference } from '../../results/fingerprint.js';
import { shapeOf } from '../../run/plan/plan.js';
import { doubtfulIn, type SuiteMemory, type SuiteOutcome, type SuiteRow, worseIn } from './book.js';
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
  return { comparison, directory, isCarried: false, before: [], told: [], doubtful: [], otherSpeed: [] };
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
 * and what was worse of it before; so does one of which fewer runs are clean than of its baseline, and one on cores of another speed for the first time.
 * Undefined where no target was ever measured. Pure.
 */
export function baselineOf({
  outcome,
  comparison,
  baseline,
  isInterrupted,
}: Previous): Omit<Baseline, 'directory'> | undefined {
  const next = outcome.rows.map((row) => {
    const baselineShare = cleanShare(verdictsOf(row.target, baseline));
    return { target: row.target, ...nextOf(row, outcome, { baselineShare, isInterrupted }) };
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
    doubtful: next.flatMap((each) => each.doubtful),
    otherSpeed: next.flatMap((each) => each.otherSpeed),
  };
}

/** The row of a target, where it has runs. */
function rowsOf(name: string, board: Comparison | undefined): ComparisonRow[] {
  return board?.rows.filter(({ target, runs }) => target === name && runs.length > 0) ?? [];
}

function verdictsOf(name: string, board: Comparison | undefined): Pick<SuiteRow['verdicts'], 'clean' | 'limited'> {
  const rigs = rowsOf(name, board).flatMap(({ runs }) => runs.map(({ result }) => result.verdict.rig));
  const of = (rig: 'clean' | 'limited'): number => rigs.filter((each) => each === rig).length;
  return { clean: of('clean'), limited: of('limited') };
}

/** How much of what gives figures is clean; void runs give none. */
function cleanShare({ clean, limited }: Pick<SuiteRow['verdicts'], 'clean' | 'limited'>): number {
  return clean === 0 ? 0 : clean / (clean + limited);
}

/** Of a target: whether what it gave is its next measure, and what is remembered where it is held against the same again. */
interface Next extends Omit<SuiteMemory, 'isCarried'> {
  isOwn: boolean;
}

const nothing: Omit<Next, 'isOwn'> = { before: [], told: [], doubtful: [], otherSpeed: [] };

function nextOf(
  row: SuiteRow,
  { baseline, again, repeat }: SuiteOutcome,
  { baselineShare, isInterrupted }: { baselineShare: number; isInterrupted: boolean },
): Next {
  const { target, verdicts, runs, isDoubtful, hasOtherSpeed } = row;
  const own = (names: readonly string[] = []): string[] =>
    names.filter((name) => name === target || name.startsWith(`${target}  `));
  const [doubtful, otherSpeed] = [own(baseline?.doubtful), own(baseline?.otherSpeed)];
  const isMeasured = verdicts.clean + verdicts.limited > 0 && !(isInterrupted && runs < repeat);
  if (!isMeasured)
    return { isOwn: false, before: own(baseline?.before), told: own(baseline?.told), doubtful, otherSpeed };
  const worse = worseIn(row);
  const told = worse.filter((name) => again.includes(name) || baseline?.told.includes(name));
  // Runs of which none is limited stay in doubt by what they are held against: the speed of its cores, or its runs.
  const wasSo = hasOtherSpeed ? otherSpeed.length > 0 : doubtful.includes(target);
  const isOtherwise = isDoubtful && verdicts.limited === 0 && wasSo;
  const isSettled = own(again).length > 0 || told.length === worse.length || isOtherwise;
  const isNoWorse = !hasOtherSpeed && cleanShare(verdicts) >= baselineShare;
  const isOwn = isSettled && (isNoWorse || isOtherwise);
  if (isOwn) return { isOwn, ...nothing };
  return { isOwn, before: worse, told, doubtful: doubtfulIn(row), otherSpeed: hasOtherSpeed ? [target] : [] };
}

/** How the shape of a baseline differs from that of an entry; undefined where they are of one shape, or where nothing ran that could tell. Pure. */
export function baselineDifference(entry: PlannedEntry, comparison: Comparison): string | undefined {
  if (comparison.fingerprint === fingerprintOf(entry)) return undefined;
  const [run] = comparison.rows.flatMap(({ runs }) => runs);
  const [plan] = entry.plans;
  const difference = run && plan && firstDifference(run.result.shape, JSON.parse(JSON.stringify(shapeOf(plan))));
  return difference ?? `shape ${comparison.fingerprint} and ${fingerprintOf(entry)}`;
}
