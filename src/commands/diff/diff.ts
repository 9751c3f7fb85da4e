import type { ExitName } from '../../contract/exit-codes.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import { chanceOfFewer } from '../../measure/stats/fisher.js';
import type { ComparisonRow } from '../../results/comparison.js';
import {
  type Diff,
  type DiffPart,
  type DiffPromise,
  type DiffSide,
  isDeciding,
  isVoid,
  regressionsIn,
} from '../../results/diff.js';
import { isPlannedEnd } from '../../results/planned-end.js';
import { type RunResult, resultVersion } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import type { KeptRun } from '../compare/assemble.js';
import { diffRows, level } from './diff-rows.js';
import { differences, hasOtherSpeed } from './differences.js';

/** One side: where it is kept, and its rows. */
export interface DiffInput {
  directory: string;
  rows: readonly (Pick<ComparisonRow, 'target' | 'runs'> & {
    /** Other kept runs of the shape, target, versions and machine of a single run. */
    beside?: readonly KeptRun[];
  })[];
}

/** A candidate held against a baseline, target by target; where neither side has another, a target is held against the other's whatever it is called. `forced` says how their shapes differ, where they do. Pure. */
export function diffOf(scenario: Scenario, baseline: DiffInput, candidate: DiffInput, forced: string): Diff {
  const [ofBaseline, ofCandidate] = [ran(baseline), ran(candidate)];
  const isSingle = [baseline, candidate].every(({ rows }) => rows.length === 1);
  const counterpart = (target: string): Row | undefined =>
    isSingle ? ofCandidate[0] : ofCandidate.find((row) => row.target === target);
  const parts = ofBaseline.flatMap((row) => {
    const other = counterpart(row.target);
    return other ? [partOf(scenario, row, other)] : [];
  });
  const alone = (rows: readonly Row[], others: readonly Row[]): Row[] =>
    isSingle ? [] : rows.filter(({ target }) => others.every((other) => other.target !== target));
  return {
    schema: resultVersion,
    tool: thisTool,
    scenario: scenario.name,
    baseline: baseline.directory,
    candidate: candidate.directory,
    forced,
    parts,
    unmatched: [
      ...alone(ofBaseline, ofCandidate).map(({ target }) => ({ target, on: 'baseline' as const })),
      ...alone(ofCandidate, ofBaseline).map(({ target }) => ({ target, on: 'candidate' as const })),
    ],
    regressions: parts.flatMap((part) => regressionsIn(part).map(({ name }) => `${part.candidate.target}  ${name}`)),
    otherwiseWorse: parts.flatMap(({ candidate: { target }, rows }) =>
      rows.flatMap((row) => (row.judgement === 'worse' && !isDeciding(row) ? [`${target}  ${row.name}`] : [])),
    ),
  };
}

/** How a part ends by itself: by the rig where a side has no run of which a number could be believed, else by what became worse. */
export function partExit(part: DiffPart): ExitName {
  return isVoid(part.baseline) || isVoid(part.candidate) ? 'rig' : regressionExit(part);
}

/** How what became worse in a part ends it: by the rig where that may have written all of it. */
export function regressionExit(part: DiffPart): ExitName {
  const found = regressionsIn(part);
  if (found.length === 0) return 'clean';
  return found.every(({ isDoubtful }) => isDoubtful) ? 'rig' : 'threshold';
}

type Row = DiffInput['rows'][number];

function ran({ rows }: DiffInput): Row[] {
  return rows.filter(({ runs }) => runs.length > 0);
}

function partOf(scenario: Scenario, baseline: Row, candidate: Row): DiffPart {
  const [before, after] = [resultsOf(baseline), resultsOf(candidate)];
  return {
    baseline: sideOf(scenario, baseline),
    candidate: sideOf(scenario, candidate),
    differs: differences(before, after),
    hasOtherSpeed: hasOtherSpeed(before, after),
    rows: diffRows(
      scenario,
      before,
      after,
      (baseline.beside ?? []).map(({ result }) => result),
    ),
    promises: promisesOf(before, after),
  };
}

function resultsOf({ runs }: Row): RunResult[] {
  return runs.map(({ result }) => result);
}

function sideOf(scenario: Scenario, row: Row): DiffSide {
  const results = resultsOf(row);
  const of = (rig: RunResult['verdict']['rig']): number => results.filter(({ verdict }) => verdict.rig === rig).length;
  const evidence = results.flatMap(({ verdict }) => verdict.evidence.map(({ rule, text }) => `${rule}: ${text}`));
  const stops = results.filter(({ stop }) => !isPlannedEnd(stop.code, scenario));
  return {
    target: row.target,
    directories: row.runs.map(({ directory }) => directory),
    verdicts: { clean: of('clean'), limited: of('limited'), void: of('void') },
    evidence: [...new Set(evidence)],
    beside: (row.beside ?? []).map(({ directory }) => directory),
    stops: [...new Set(stops.map(({ stop }) => stopReasons[stop.code].title))],
  };
}

function promisesOf(before: readonly RunResult[], after: readonly RunResult[]): DiffPromise[] {
  const texts = new Set([...before, ...after].flatMap(({ thresholds }) => thresholds.map(({ text }) => text)));
  return [...texts].map((text) => {
    const [baseline, candidate] = [keptOf(text, before), keptOf(text, after)];
    return { text, baseline, candidate, judgement: judge(baseline, candidate) };
  });
}

function keptOf(text: string, results: readonly RunResult[]): DiffPromise['baseline'] {
  const given = results.flatMap(({ thresholds }) => thresholds.filter((each) => each.text === text));
  return given.length === 0 ? null : { kept: given.filter(({ isKept }) => isKept).length, runs: given.length };
}

/** A promise that every run kept is worse as soon as one breaks it, as a fault is that there was none of; one that some broke, where chance seldom lets so few keep it. */
function judge(baseline: DiffPromise['baseline'], candidate: DiffPromise['candidate']): DiffPromise['judgement'] {
  if (!baseline || !candidate) return 'unknown';
  if (baseline.kept * candidate.runs === candidate.kept * baseline.runs) return 'same';
  if (baseline.kept === baseline.runs || chanceOfFewer(baseline, candidate) <= level) return 'worse';
  return chanceOfFewer(candidate, baseline) <= level ? 'better' : 'unknown';
}
