import { z } from 'zod';
import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { outsideSentence } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { comparisonExit } from '../../experiment/compare.js';
import { countUnitOf } from '../../measure/ledger.js';
import type { Holds } from '../../measure/statement.js';
import { type Comparison, type ComparisonRow, comparison } from '../../results/comparison.js';
import { type Diff, type DiffPart, isBoundedRow, isDeciding, rigRemarkOf, valueOfSide } from '../../results/diff.js';
import type { SuiteChange, SuiteOutcome, SuiteResult, SuiteRow } from '../../results/experiment.js';
import { holdsOf, resultVersion } from '../../results/result.js';
import { runExit } from '../../run/judge/assess.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { diffOf, regressionExit, unplannedStops, verdictsOf } from '../diff/diff.js';
import type { PlannedEntry, SuitePlan } from './plan.js';

/** Returns true for a change of a count. Times, rates and memory of another night also depend on its machine. */
export function isCounted({ kind, name }: Pick<SuiteChange, 'kind' | 'name'>): boolean {
  return kind === 'share' || kind === 'threshold' || (kind === 'count' && countUnitOf(name) === 'count');
}

/** Returns true if a change fails a suite. */
export function isRegression(change: SuiteChange): boolean {
  return change.relation === 'worse' && isCounted(change);
}

/** Holds a suite with the scoreboards of its entries, in their order. */
export interface SuiteBook {
  suite: SuiteResult;
  boards: readonly { name: string; comparison: Comparison; scenario: Scenario }[];
}

/** Returns true if at worst some runs of a suite are limited: no broken threshold, no void run. */
export function isLimitedAtMost({ exit, entries }: SuiteResult): boolean {
  const isVoid = entries.some(({ rows }) => rows.some(({ verdicts }) => verdicts.void > 0));
  return exit === 'clean' || (exit === 'rig' && !isVoid);
}

/** Holds the baseline of an entry, or the reason why it has none. */
export const heldBaseline = z.union([
  z.strictObject({ comparison, directory: z.string() }),
  z.strictObject({ notHeld: outsideSentence }),
]);

export type HeldBaseline = z.output<typeof heldBaseline>;

/** Holds an entry with the scoreboard of its runs and, if one was asked for, its baseline. */
export interface Concluding {
  entry: PlannedEntry;
  comparison: Comparison;
  held: HeldBaseline | undefined;
}

type Span = Pick<SuiteResult, 'startedAt' | 'endedAt'> & { isInterrupted: boolean };

/** Returns the result of a suite. Pure. */
export function concludeSuite(
  { name, hash, seed }: SuitePlan,
  concluding: readonly Concluding[],
  span: Span,
): SuiteResult {
  const { isInterrupted, ...ran } = span;
  const compared = concluding.map((each) => {
    const diff = diffWithBaseline(each);
    return { ends: endsOf(each, diff), outcome: outcomeOf(each, diff) };
  });
  const rows = concluding.flatMap(({ comparison: { rows: own, repeat } }) => own.map((row) => ({ ...row, repeat })));
  const ends = compared.flatMap((each) => each.ends);
  if (rows.every(({ runs }) => runs.length === 0)) ends.push('input');
  return {
    schema: resultVersion,
    tool: thisTool,
    kind: 'suite',
    name,
    hash,
    seed,
    ...ran,
    isComplete:
      rows.every(({ state, runs, repeat }) => state !== 'ran' || runs.length === repeat) &&
      concluding.every(({ comparison }) => comparison.paired?.ended !== 'interrupted'),
    exit: isInterrupted ? 'interrupted' : worstOfRuns(ends),
    entries: compared.map(({ outcome }) => outcome),
  };
}

/** Compares an entry with its baseline. Targets are matched by name. A target that ran only on one side is left out. */
function diffWithBaseline({ entry: { scenario }, comparison, held }: Concluding): Diff | undefined {
  if (!held || 'notHeld' in held) return undefined;
  const inBoth = ({ target }: ComparisonRow): boolean =>
    [comparison, held.comparison].every(({ rows }) => rows.some((row) => row.target === target && row.runs.length > 0));
  const baseline = { directory: held.directory, rows: held.comparison.rows.filter(inBoth) };
  return diffOf(scenario, baseline, { directory: '', rows: comparison.rows.filter(inBoth) }, '');
}

/** Returns an exit for each run, row and change of a count. A change in limited runs does not break a baseline. */
function endsOf({ entry, comparison }: Concluding, diff: Diff | undefined): ExitName[] {
  const { isStrict } = entry.plans[0].fleet;
  return [
    ...(comparison.paired ? [comparisonExit(comparison, entry.scenario, isStrict)] : []),
    ...comparison.rows.flatMap(({ state, runs }): ExitName[] => [
      ...(comparison.paired ? [] : runs.map(({ result }) => runExit(result, entry.scenario, isStrict))),
      ...(state === 'failed' || (state === 'notAvailable' && entry.isRequired) ? (['input'] as const) : []),
    ]),
    ...(diff?.parts.map((part) => regressionExit({ ...part, rows: part.rows.filter(isCounted) })) ?? []),
  ];
}

function outcomeOf({ entry, comparison, held }: Concluding, diff: Diff | undefined): SuiteOutcome {
  const { fingerprint, repeat, rows } = comparison;
  const base = { name: entry.name, scenario: entry.scenario.name, fingerprint, repeat, isRequired: entry.isRequired };
  const baseline = held && 'comparison' in held ? held : undefined;
  return {
    ...base,
    rows: rows.map((row) => rowOf(row, entry.scenario, diff)),
    baseline: baseline ? { directory: baseline.directory, startedAt: baseline.comparison.startedAt } : null,
    notHeld: held && 'notHeld' in held ? held.notHeld : '',
    differs: [...new Set(diff?.parts.flatMap(({ differs }) => differs))],
  };
}

function rowOf({ target, state, why, runs }: ComparisonRow, scenario: Scenario, diff: Diff | undefined): SuiteRow {
  const results = runs.map(({ result }) => result);
  const thresholds = results.flatMap((result) => result.thresholds);
  const inState = (asked: Holds) => thresholds.filter((each) => holdsOf(each) === asked);
  const undecided = inState('open').length;
  const part = diff?.parts.find(({ candidate }) => candidate.target === target);
  return {
    target,
    state,
    why,
    runs: runs.length,
    verdicts: verdictsOf(results),
    thresholds: {
      given: thresholds.length,
      kept: inState('yes').length,
      broken: [...new Set(inState('no').map(({ text }) => text))],
      ...(undecided > 0 && { undecided }),
    },
    stops: unplannedStops(results, scenario),
    changes: part ? changesOf(part) : null,
    isOpen: part !== undefined && rigRemarkOf(part) !== '',
    untold: part ? part.rows.filter(isUntold).length : 0,
  };
}

function isUntold({ isHeadline, relation, holds, change }: DiffPart['rows'][number]): boolean {
  return isHeadline && change !== null && relation === 'changed' && holds === 'open';
}

/** Returns only changes that decide. A suite has very many figures, and chance makes one in forty worse every night. */
function changesOf({ rows, thresholds }: DiffPart): SuiteChange[] {
  const kept = (side: DiffPart['thresholds'][number]['baseline']): number | null => side && side.kept / side.runs;
  const figures = rows.filter(isDeciding).map((row) => ({
    name: row.name,
    kind: row.kind,
    baseline: valueOfSide(row.baseline, row),
    candidate: valueOfSide(row.candidate, row),
    relation: row.relation,
    isOpen: isBoundedRow(row),
  }));
  const passed = thresholds.map(({ text, relation, baseline, candidate }) => ({
    name: text,
    kind: 'threshold' as const,
    baseline: kept(baseline),
    candidate: kept(candidate),
    relation,
    isOpen: false,
  }));
  return [...figures, ...passed].flatMap(({ relation, ...change }) =>
    relation === 'changed' ? [] : [{ ...change, relation }],
  );
}
