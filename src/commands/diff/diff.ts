import type { ExitName } from '../../contract/exit-codes.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import { chanceOfFewer } from '../../measure/stats/fisher.js';
import type { ComparisonRow, KeptRun } from '../../results/comparison.js';
import {
  type Change,
  type Diff,
  type DiffPart,
  type DiffSide,
  doubtOf,
  isDeciding,
  isVoid,
  regressionsIn,
  type ThresholdChange,
} from '../../results/diff.js';
import { holdsOf, isPlannedEnd, type RunResult, resultVersion } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import { diffRows, level } from './diff-rows.js';
import { differences, hasOtherSpeed } from './differences.js';

/** One side of a diff: its directory and rows. */
export interface DiffInput {
  directory: string;
  rows: readonly (Pick<ComparisonRow, 'target' | 'runs'> & {
    /** Other kept runs of the same shape, target, versions and machine as a single run. */
    beside?: readonly KeptRun[];
  })[];
}

type Row = DiffInput['rows'][number];

/** A candidate compared with a baseline, by target. `forced` says how the shapes differ, or is empty. Pure. */
export function diffOf(scenario: Scenario, baseline: DiffInput, candidate: DiffInput, forced: string): Diff {
  const [before, after] = [baseline, candidate].map(({ rows }) => rows.filter(({ runs }) => runs.length > 0)) as [
    Row[],
    Row[],
  ];
  const isSingle = baseline.rows.length === 1 && candidate.rows.length === 1;
  const counterpart = (row: Row, rows: readonly Row[]): Row | undefined =>
    isSingle ? rows[0] : rows.find(({ target }) => target === row.target);
  const parts = before.flatMap((row) => {
    const other = counterpart(row, after);
    return other ? [partOf(scenario, row, other)] : [];
  });
  const worse = parts.flatMap((part) =>
    regressionsIn(part).map(({ name, because }) => ({ name: `${part.candidate.target}  ${name}`, because })),
  );
  const alone = (on: 'baseline' | 'candidate', rows: readonly Row[], others: readonly Row[]): Diff['unmatched'] =>
    isSingle ? [] : rows.filter((row) => !counterpart(row, others)).map(({ target }) => ({ target, on }));
  return {
    schema: resultVersion,
    tool: thisTool,
    scenario: scenario.name,
    baseline: baseline.directory,
    candidate: candidate.directory,
    forced,
    parts,
    unmatched: [...alone('baseline', before, after), ...alone('candidate', after, before)],
    regressions: worse.filter(({ because }) => because === '').map(({ name }) => name),
    undecided: worse.filter(({ because }) => because !== ''),
    otherwiseWorse: parts.flatMap(({ candidate: { target }, rows }) =>
      rows.flatMap((row) =>
        row.relation === 'worse' && row.holds === 'yes' && !isDeciding(row) ? [`${target}  ${row.name}`] : [],
      ),
    ),
  };
}

/** The end of one part: the rig if a side has only void runs, otherwise what became worse. */
export function partExit(part: DiffPart): ExitName {
  return isVoid(part.baseline) || isVoid(part.candidate) ? 'rig' : regressionExit(part);
}

/** The end of what became worse in a part: the rig if all of it is undecided. */
export function regressionExit(part: DiffPart): ExitName {
  const found = regressionsIn(part);
  if (found.length === 0) return 'clean';
  return found.every(({ because }) => because !== '') ? 'rig' : 'threshold';
}

export function verdictsOf(runs: readonly RunResult[]): DiffSide['verdicts'] {
  const verdicts = { clean: 0, limited: 0, void: 0 };
  for (const { verdict } of runs) verdicts[verdict.rig] += 1;
  return verdicts;
}

/** Titles of the unplanned stop reasons of runs, each once. */
export function unplannedStops(runs: readonly RunResult[], scenario: Scenario): string[] {
  const stops = runs.filter(({ stop }) => !isPlannedEnd(stop.code, scenario));
  return [...new Set(stops.map(({ stop }) => stopReasons[stop.code].title))];
}

function partOf(scenario: Scenario, baseline: Row, candidate: Row): DiffPart {
  const results = (runs: readonly KeptRun[] = []): RunResult[] => runs.map(({ result }) => result);
  const [before, after] = [results(baseline.runs), results(candidate.runs)];
  const part = {
    baseline: sideOf(scenario, baseline, before),
    candidate: sideOf(scenario, candidate, after),
    differs: differences(before, after),
    hasOtherSpeed: hasOtherSpeed(before, after),
  };
  return {
    ...part,
    rows: diffRows(scenario, before, after, { beside: results(baseline.beside), doubt: doubtOf(part) }),
    thresholds: thresholdsOf(before, after),
  };
}

function sideOf(scenario: Scenario, { target, runs, beside = [] }: Row, results: readonly RunResult[]): DiffSide {
  const evidence = results.flatMap(({ verdict }) => verdict.evidence.map(({ rule, text }) => `${rule}: ${text}`));
  return {
    target,
    directories: runs.map(({ directory }) => directory),
    verdicts: verdictsOf(results),
    evidence: [...new Set(evidence)],
    beside: beside.map(({ directory }) => directory),
    stops: unplannedStops(results, scenario),
  };
}

function thresholdsOf(before: readonly RunResult[], after: readonly RunResult[]): ThresholdChange[] {
  const texts = new Set([...before, ...after].flatMap(({ thresholds }) => thresholds.map(({ text }) => text)));
  return [...texts].map((text) => {
    const [baseline, candidate] = [keptOf(text, before), keptOf(text, after)];
    return { text, baseline, candidate, ...changeOf(baseline, candidate) };
  });
}

function keptOf(text: string, results: readonly RunResult[]): ThresholdChange['baseline'] {
  const states = results.flatMap(({ thresholds }) => thresholds.filter((each) => each.text === text).map(holdsOf));
  const decided = states.filter((state) => state !== 'open');
  const kept = decided.filter((state) => state === 'yes').length;
  return decided.length === 0 ? null : { kept, runs: decided.length };
}

const openChange: Change = { relation: 'changed', holds: 'open', because: 'chance' };

/** A threshold that every run kept is worse once a run breaks it; otherwise chance must rarely explain the change. */
function changeOf(baseline: ThresholdChange['baseline'], candidate: ThresholdChange['candidate']): Change {
  if (!baseline || !candidate) return openChange;
  if (baseline.kept * candidate.runs === candidate.kept * baseline.runs) return { relation: 'changed', holds: 'no' };
  if (baseline.kept === baseline.runs || chanceOfFewer(baseline, candidate) <= level)
    return { relation: 'worse', holds: 'yes' };
  return chanceOfFewer(candidate, baseline) <= level ? { relation: 'better', holds: 'yes' } : openChange;
}
