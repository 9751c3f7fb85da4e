import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { type Diff, type DiffPart, isDeciding, isDoubtedRow, isDoubtful, toldValue } from '../../results/diff.js';
import { isPlannedEnd } from '../../results/planned-end.js';
import { resultVersion } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import { exitOf } from '../../run/judge/assess.js';
import { diffOf, regressionExit } from '../diff/diff.js';
import type { Baseline, Held } from './baseline.js';
import { doubtfulIn, type SuiteChange, type SuiteOutcome, type SuiteResult, type SuiteRow, worseIn } from './book.js';
import type { PlannedEntry, SuitePlan } from './plan.js';

/** An entry with the scoreboard of its runs, and what it is held against. */
export interface Concluding {
  entry: PlannedEntry;
  comparison: Comparison;
  /** Undefined where it is to be held against nothing. */
  held: Held | undefined;
}

/** When a suite began and ended, and whether it was interrupted. */
export interface Span {
  startedAt: string;
  endedAt: string;
  isInterrupted: boolean;
}

/** What a suite comes to. Pure. */
export function conclude({ name, hash, seed }: SuitePlan, concluding: readonly Concluding[], span: Span): SuiteResult {
  const told = concluding.map((each) => ({ ...each, diff: diffWithBaseline(each) }));
  const isComplete = concluding.every(({ comparison: { rows, repeat } }) =>
    rows.every(({ state, runs }) => state !== 'ran' || runs.length === repeat),
  );
  const ends = told.flatMap(endsOf);
  const nothingRan = concluding.every(({ comparison }) => comparison.rows.every(({ runs }) => runs.length === 0));
  if (nothingRan) ends.push('input');
  return {
    schema: resultVersion,
    tool: thisTool,
    name,
    hash,
    seed,
    startedAt: span.startedAt,
    endedAt: span.endedAt,
    isComplete,
    exit: span.isInterrupted ? 'interrupted' : worstOfRuns(ends),
    entries: told.map(outcomeOf),
  };
}

/** An entry with what became of its baseline; undefined where it has none. */
interface Told extends Concluding {
  diff: Diff | undefined;
}

function diffWithBaseline({ entry: { scenario }, comparison, held }: Concluding): Diff | undefined {
  return held && 'comparison' in held ? diffAgainst(scenario, comparison, held.comparison, held.directory) : undefined;
}

/** Each run, row and change by itself: a change of runs in which the rig may be is no broken baseline. */
function endsOf({ entry, comparison, diff }: Told): ExitName[] {
  return [
    ...comparison.rows.flatMap(({ state, runs }): ExitName[] => [
      ...runs.map(({ result }) => exitOf(result, entry.scenario)),
      ...(state === 'failed' || (state === 'notAvailable' && entry.isRequired) ? (['input'] as const) : []),
    ]),
    ...(diff?.parts.map(regressionExit) ?? []),
  ];
}

function outcomeOf({ entry, comparison, held, diff }: Told): SuiteOutcome {
  const { name, scenario, isRequired } = entry;
  const baseline = held && 'comparison' in held ? held : undefined;
  const rows = comparison.rows.map((row) => rowOf(row, scenario, diff));
  return {
    name,
    scenario: scenario.name,
    fingerprint: comparison.fingerprint,
    repeat: comparison.repeat,
    isRequired,
    rows,
    baseline: baseline ? keptOf(baseline) : null,
    notHeld: held && 'notHeld' in held ? held.notHeld : '',
    differs: [...new Set(diff?.parts.flatMap(({ differs }) => differs))],
    again: baseline ? rows.flatMap((row) => worseAgain(row, baseline)) : [],
  };
}

function keptOf({ comparison: { startedAt }, ...baseline }: Baseline): SuiteOutcome['baseline'] {
  return { ...baseline, startedAt };
}

/** What became worse in a row for the second time, is not told yet, and is not the rig's both times. */
function worseAgain(row: SuiteRow, { before, told, doubtful }: Baseline): string[] {
  const isIn = (names: readonly string[], name: string): boolean => names.includes(row.target) || names.includes(name);
  const isRigs = (name: string): boolean => [doubtful, doubtfulIn(row)].every((names) => isIn(names, name));
  return worseIn(row).filter((name) => before.includes(name) && !told.includes(name) && !isRigs(name));
}

/** Target by target, also where there is one a side: in a suite they are told apart by name alone. What ran on one side only is held against nothing. */
function diffAgainst(scenario: Scenario, comparison: Comparison, baseline: Comparison, directory: string): Diff {
  const inBoth = ({ target }: ComparisonRow): boolean =>
    [comparison, baseline].every(({ rows }) => rows.some((row) => row.target === target && row.runs.length > 0));
  const [before, after] = [baseline, comparison].map(({ rows }) => rows.filter(inBoth));
  return diffOf(scenario, { directory, rows: before ?? [] }, { directory: '', rows: after ?? [] }, '');
}

function rowOf({ target, state, why, runs }: ComparisonRow, scenario: Scenario, diff: Diff | undefined): SuiteRow {
  const results = runs.map(({ result }) => result);
  const of = (rig: 'clean' | 'limited' | 'void'): number => results.filter(({ verdict }) => verdict.rig === rig).length;
  const promises = results.flatMap(({ thresholds }) => thresholds);
  const broken = promises.filter(({ isKept }) => !isKept);
  const stops = results.filter(({ stop }) => !isPlannedEnd(stop.code, scenario));
  const part = diff?.parts.find(({ candidate }) => candidate.target === target);
  return {
    target,
    state,
    why,
    runs: runs.length,
    verdicts: { clean: of('clean'), limited: of('limited'), void: of('void') },
    promises: {
      given: promises.length,
      kept: promises.length - broken.length,
      broken: [...new Set(broken.map(({ text }) => text))],
    },
    stops: [...new Set(stops.map(({ stop }) => stopReasons[stop.code].title))],
    changes: part ? changesOf(part) : null,
    isDoubtful: part !== undefined && isDoubtful(part),
    hasOtherSpeed: part?.hasOtherSpeed === true,
    untold: part ? part.rows.filter(isUntold).length : 0,
  };
}

function isUntold({ isHeadline, judgement, change }: DiffPart['rows'][number]): boolean {
  return isHeadline && change !== null && (judgement === 'unknown' || judgement === 'differs');
}

/** Of figures those alone that decide: of the hundreds that a suite has, one in forty is worse by chance every night. */
function changesOf({ rows, promises }: DiffPart): SuiteChange[] {
  const figures = rows.filter(isDeciding).flatMap((row): SuiteChange[] => {
    const { name, kind, judgement } = row;
    const [baseline = null, candidate = null] = [row.baseline, row.candidate].map((side) => toldValue(side, row));
    if (judgement !== 'better' && judgement !== 'worse') return [];
    return [{ name, kind, baseline, candidate, judgement, isDoubtful: isDoubtedRow(row) }];
  });
  const kept = (side: DiffPart['promises'][number]['baseline']): number | null => side && side.kept / side.runs;
  const broken = promises.flatMap(({ text: name, judgement, ...sides }): SuiteChange[] => {
    if (judgement !== 'better' && judgement !== 'worse') return [];
    const [baseline, candidate] = [kept(sides.baseline), kept(sides.candidate)];
    return [{ name, kind: 'promise', baseline, candidate, judgement, isDoubtful: false }];
  });
  return [...figures, ...broken];
}
