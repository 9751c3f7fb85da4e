import type { Scenario } from '../../contract/catalog.js';
import type { Comparison, ComparisonRow } from '../../contract/comparison.js';
import type { Diff, DiffPart } from '../../contract/diff.js';
import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import { isPlannedEnd } from '../../contract/planned-end.js';
import { resultVersion } from '../../contract/result.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { type SuiteChange, type SuiteOutcome, type SuiteResult, type SuiteRow, worseIn } from '../../contract/suite.js';
import { version } from '../../contract/version.js';
import { exitOf } from '../assess.js';
import { diffOf } from '../diff.js';
import type { Held } from './baseline.js';
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
  const entries = concluding.map(outcomeOf);
  const isComplete = concluding.every(({ comparison: { rows, repeat } }) =>
    rows.every(({ state, runs }) => state !== 'ran' || runs.length === repeat),
  );
  const ends = concluding.flatMap((each, index) => endsOf(each, entries[index] as SuiteOutcome));
  const nothingRan = concluding.every(({ comparison }) => comparison.rows.every(({ runs }) => runs.length === 0));
  if (nothingRan) ends.push('input');
  return {
    schema: resultVersion,
    tool: { name: 'ringside-bench', version },
    name,
    hash,
    seed,
    startedAt: span.startedAt,
    endedAt: span.endedAt,
    isComplete,
    exit: span.isInterrupted ? 'interrupted' : worstExit(ends),
    entries,
  };
}

function endsOf({ entry, comparison }: Concluding, { rows }: SuiteOutcome): ExitName[] {
  return [
    ...comparison.rows.flatMap(({ state, runs }): ExitName[] => [
      ...runs.map(({ result }) => exitOf(result, entry.scenario)),
      ...(state === 'failed' || (state === 'notAvailable' && entry.isRequired) ? (['input'] as const) : []),
    ]),
    ...(rows.flatMap(worseIn).length > 0 ? (['threshold'] as const) : []),
  ];
}

function outcomeOf({ entry, comparison, held }: Concluding): SuiteOutcome {
  const { name, scenario, isRequired } = entry;
  const baseline = held && 'comparison' in held ? held : undefined;
  const diff = baseline && diffAgainst(scenario, comparison, baseline.comparison, baseline.directory);
  const rows = comparison.rows.map((row) => rowOf(row, scenario, diff));
  const before = new Set(baseline?.before);
  return {
    name,
    scenario: scenario.name,
    fingerprint: comparison.fingerprint,
    repeat: comparison.repeat,
    isRequired,
    rows,
    baseline: baseline
      ? {
          directory: baseline.directory,
          startedAt: baseline.comparison.startedAt,
          isCarried: baseline.isCarried,
        }
      : null,
    notHeld: held && 'notHeld' in held ? held.notHeld : '',
    differs: [...new Set(diff?.parts.flatMap(({ differs }) => differs))],
    again: rows.flatMap(worseIn).filter((each) => before.has(each)),
  };
}

/** Target by target, also where there is one a side: in a suite they are told apart by name alone. */
function diffAgainst(scenario: Scenario, comparison: Comparison, baseline: Comparison, directory: string): Diff {
  const names = new Set(comparison.rows.map(({ target }) => target));
  const rows = baseline.rows.filter(({ target }) => names.has(target));
  const own = comparison.rows.filter(({ target }) => rows.some((row) => row.target === target));
  return diffOf(scenario, { directory, rows }, { directory: '', rows: own }, '');
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
    untold: part ? part.rows.filter(isUntold).length : 0,
  };
}

function isUntold({ isHeadline, judgement, change }: DiffPart['rows'][number]): boolean {
  return isHeadline && change !== null && (judgement === 'unknown' || judgement === 'differs');
}

/** Of figures those of the headline alone: of the hundreds that a suite has, one in forty is worse by chance every night. */
function changesOf({ rows, promises }: DiffPart): SuiteChange[] {
  const figures = rows
    .filter(({ isHeadline }) => isHeadline)
    .flatMap(({ name, kind, baseline, candidate, judgement }): SuiteChange[] =>
      judgement === 'better' || judgement === 'worse'
        ? [{ name, kind, baseline: baseline?.median ?? null, candidate: candidate?.median ?? null, judgement }]
        : [],
    );
  const kept = (side: DiffPart['promises'][number]['baseline']): number | null => side && side.kept / side.runs;
  const broken = promises.flatMap(({ text, baseline, candidate, judgement }): SuiteChange[] =>
    judgement === 'better' || judgement === 'worse'
      ? [{ name: text, kind: 'promise', baseline: kept(baseline), candidate: kept(candidate), judgement }]
      : [],
  );
  return [...figures, ...broken];
}
