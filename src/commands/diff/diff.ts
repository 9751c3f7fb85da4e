import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.js';
import { ProblemError } from '../../contract/problems.js';
import { isPart, stopReasons } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import { lowerMedian } from '../../measure/stats/estimate.js';
import { chanceOfFewer } from '../../measure/stats/trend.js';
import type { ComparisonRow, KeptRun } from '../../results/comparison.js';
import {
  type Change,
  type Diff,
  type DiffPart,
  type DiffSide,
  isDeciding,
  isVoid,
  regressionsIn,
  rigRemarkOf,
  type ThresholdChange,
} from '../../results/diff.js';
import { canonicalJson, machineFacts } from '../../results/likeness.js';
import { holdsOf, isPlannedEnd, type RunResult, resultVersion } from '../../results/result.js';
import { nameWithin, stampOf, unlessMissing } from '../../results/store.js';
import { readKeptRun } from '../../run/kept.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { diffRows, level } from './diff-rows.js';

/** Holds one side of a diff: its directory and rows. */
export interface DiffInput {
  directory: string;
  rows: readonly (Pick<ComparisonRow, 'target' | 'runs'> & {
    /** Other kept runs with the shape, target, versions and machine of a single run. */
    beside?: readonly KeptRun[];
  })[];
}

type Row = DiffInput['rows'][number];

/** Compares a candidate with a baseline, by target. `forced` says how the shapes differ, or is empty. Pure. */
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

/** Returns the exit of one part: `rig` if a side has only void runs, otherwise by what became worse. */
export function partExit(part: DiffPart): ExitName {
  return isVoid(part.baseline) || isVoid(part.candidate) ? 'rig' : regressionExit(part);
}

/** Returns the exit by what became worse in a part: `rig` if all of it is undecided. */
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

/** Returns the titles of the unplanned stop reasons of runs, each once. */
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
    rows: diffRows(scenario, before, after, { beside: results(baseline.beside), doubt: rigRemarkOf(part) }),
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

/** Judges a change of a threshold. One broken run is worse only if every run of the baseline kept it. */
function changeOf(baseline: ThresholdChange['baseline'], candidate: ThresholdChange['candidate']): Change {
  if (!baseline || !candidate) return openChange;
  if (baseline.kept * candidate.runs === candidate.kept * baseline.runs) return { relation: 'changed', holds: 'no' };
  if (baseline.kept === baseline.runs || chanceOfFewer(baseline, candidate) <= level)
    return { relation: 'worse', holds: 'yes' };
  return chanceOfFewer(candidate, baseline) <= level ? { relation: 'better', holds: 'yes' } : openChange;
}

/** Core speeds whose ratio exceeds this come from different machines. Readings of one core vary by a tenth. */
const speedApart = 1.3;

/** Returns what else differs between runs of one shape, by the first run of each side. Empty if a side has no runs. */
export function differences(before: readonly RunResult[], after: readonly RunResult[]): string[] {
  const [first, otherFirst] = [before[0], after[0]];
  if (!first || !otherFirst) return [];
  const [one, other] = [circumstances(first), circumstances(otherFirst)];
  const named = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((place) => canonicalJson(one[place]) !== canonicalJson(other[place]))
    .map((place) => `${place}: ${inWords(one[place])} and ${inWords(other[place])}`);
  if (!hasOtherSpeed(before, after)) return named;
  return [...named, `speed of a core: ${speedOf(before).toFixed(0)} and ${speedOf(after).toFixed(0)} steps/µs`];
}

/** Returns true if core speeds differ so much that this alone may explain a change. */
export function hasOtherSpeed(before: readonly RunResult[], after: readonly RunResult[]): boolean {
  const [one, other] = [speedOf(before), speedOf(after)];
  return Number.isFinite(one + other) && Math.max(one, other) > speedApart * Math.min(one, other);
}

/** Returns the median over runs of their slowest core, before or after the load; infinite if all shards were lost. */
function speedOf(runs: readonly RunResult[]): number {
  const slowest = runs
    .map(({ shards }) => Math.min(...shards.flatMap(({ result }) => result?.rig.shard.coreSpeed ?? [])))
    .filter(Number.isFinite);
  return slowest.length > 0 ? lowerMedian(slowest) : Number.POSITIVE_INFINITY;
}

function circumstances({ target, tool, environment, job, shards }: RunResult): Record<string, unknown> {
  const engines = new Set(shards.flatMap(({ result }) => (result?.rig.engines ?? []).map(({ name }) => name)));
  const prefixed = (prefix: string, entries: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(entries).map(([name, value]) => [`${prefix}${name}`, value]));
  return {
    target: target.name,
    ringside: tool.version,
    ...prefixed('version of ', target.versions),
    ...prefixed('setting ', target.settings),
    ...machineFacts({ shards, environment }),
    shards: job.shards,
    workers: job.load.workers,
    engine: engines.size === 0 ? undefined : [...engines].sort().join(' + '),
  };
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

/** This many runs show the noise between runs well enough, and take half a second to read. */
const most = 12;

/** Resolves with the newest earlier runs beside a run that are alike, whole and not void, except those of `but`. */
export async function runsBeside({ directory, result }: KeptRun, but: readonly string[]): Promise<KeptRun[]> {
  if (Object.keys(result.target.versions).length === 0) return [];
  const place = dirname(resolve(directory));
  const left = new Set([directory, ...but].map((each) => resolve(each)));
  const found: KeptRun[] = [];
  const last = stampOf(result.startedAt);
  // Names say scenario, target and time.
  const within = nameWithin(result.scenario, result.target.name);
  const names = (await unlessMissing(readdir(place))) ?? [];
  const earlier = names.filter((name) => name.includes(within) && name.slice(0, last.length) <= last).sort();
  for (const name of earlier.reverse().slice(0, 3 * most)) {
    if (found.length === most) break;
    if (left.has(join(place, name))) continue;
    const own = join(dirname(directory), name);
    const other = await readKeptRun(own).catch((error: unknown) => {
      if (error instanceof ProblemError) return undefined;
      throw error;
    });
    if (other && isAlike(result, other)) found.push({ directory: own, result: other });
  }
  return found;
}

function isAlike(one: RunResult, other: RunResult): boolean {
  const isEarlier = Date.parse(other.startedAt) <= Date.parse(one.startedAt);
  const isSame = one.fingerprint === other.fingerprint && differences([one], [other]).length === 0;
  return isEarlier && isSame && other.verdict.rig !== 'void' && !isPart(other.stop.code);
}
