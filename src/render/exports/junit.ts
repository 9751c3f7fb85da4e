import { stopReasons } from '../../contract/stop-reasons.js';
import type { Declaration } from '../../measure/declaration.js';
import {
  type Diff,
  type DiffPart,
  type DiffPromise,
  type DiffRow,
  type DiffSide,
  isDeciding,
  isVoid,
} from '../../results/diff.js';
import { isPlannedEnd } from '../../results/planned-end.js';
import type { RunResult } from '../../results/result.js';
import { changeInWords, doubt, inSide, isDoubtfulIn, promiseInWords } from '../diff.js';
import { promisedInWords } from '../words/values.js';
import { doubtedInWords } from '../words/verdict-words.js';
import { type JunitCase, type JunitSuite, renderSuites } from './junit-document.js';
import { type Judged, rowsOf } from './kept.js';

/**
 * JUnit XML: a suite for each run, in which the verdict of the rig, the stop reason and every promise is a test case; and one for each target of a diff, in
 * which verdict and end of either side, every figure of which noise is known and every promise are: skipped where the runs can't tell, and left out where
 * a figure became worse that decides nothing. A target that could not be started is skipped; one that failed, or ran on one side only, is at fault.
 */
export function renderJunit(judged: readonly Judged[], diffs: readonly Diff[] = []): string {
  return renderSuites([...judged.flatMap(runSuites), ...diffs.flatMap(diffSuites)]);
}

/** The test suites of what is kept: one of each run, and one of each target that did not run. */
export function runSuites({ kept, scenario }: Judged): JunitSuite[] {
  return rowsOf(kept).flatMap((row) => {
    const runs = row.runs.map(({ result }, index) => suiteOf(result, scenario, row, index));
    return row.state === 'ran' ? runs : [...runs, notRun(row, scenario, kept.startedAt)];
  });
}

function suiteOf(
  result: RunResult,
  scenario: Declaration,
  { target, runs }: { target: string; runs: readonly unknown[] },
  index: number,
): JunitSuite {
  const { job, fingerprint, tool, environment, startedAt } = result;
  return {
    name: `${scenario.name} ${target}${runs.length > 1 ? ` ${index + 1} of ${runs.length}` : ''}`,
    timestamp: startedAt,
    seconds: environment.elapsedMs / 1000,
    properties: { runId: job.runId, fingerprint, version: tool.version, seed: String(job.seed) },
    cases: [verdictCase(result), stopCase(result, scenario), ...promiseCases(result)],
  };
}

function notRun(
  { target, state, why }: { target: string; state: string; why: string },
  scenario: Declaration,
  timestamp: string,
): JunitSuite {
  const is = state === 'failed' ? 'error' : 'skipped';
  const fault = { is, type: state, message: why, text: '' } as const;
  return {
    name: `${scenario.name} ${target}`,
    timestamp,
    seconds: 0,
    properties: {},
    cases: [{ name: 'can be run', fault }],
  };
}

function diffSuites({ scenario, baseline, candidate, forced, parts, unmatched, tool }: Diff): JunitSuite[] {
  const common = {
    timestamp: '',
    seconds: 0,
    properties: { baseline, candidate, version: tool.version, ...(forced === '' ? {} : { forced }) },
  };
  const name = (target: string): string => `${scenario} ${target} against its baseline`;
  const held = parts.map((part) => ({ ...common, name: name(part.candidate.target), cases: diffCases(part) }));
  const alone = unmatched.map(({ target, on }): JunitSuite => {
    const message = `${target} ran on the side of the ${on} only`;
    const fault = { is: 'failure', type: 'unmatched', message, text: '' } as const;
    return { ...common, name: name(target), cases: [{ name: 'is on both sides', fault }] };
  });
  return [...held, ...alone];
}

function diffCases(part: DiffPart): JunitCase[] {
  const { baseline, candidate, rows, promises } = part;
  return [
    ...sideCases('baseline', baseline),
    ...sideCases('candidate', candidate),
    ...rows.flatMap((row) => rowCase(row, part)),
    ...promises.map(promiseCase),
  ];
}

/** What may be believed of one side. Beside runs that are limited something may still be the same: that neither passed nor failed. */
function sideCases(name: 'baseline' | 'candidate', side: DiffSide): JunitCase[] {
  const { verdicts, evidence, stops } = side;
  const { clean, limited, void: voided } = verdicts;
  const rig: JunitCase = { name: `${name}: ${names.verdict}` };
  if (limited + voided > 0) {
    const says = [
      ...(voided > 0 ? [`${voided} of ${clean + limited + voided} void: ${doubtedInWords.void}`] : []),
      ...(limited > 0 ? [`${limited} of ${clean + limited + voided} limited: ${doubtedInWords.limited}`] : []),
    ];
    const text = evidence.join('\n');
    const message = says.join('; ');
    rig.fault = { is: isVoid(side) ? 'failure' : 'skipped', type: voided > 0 ? 'void' : 'limited', message, text };
  }
  const end: JunitCase = { name: `${name}: ${names.stop}` };
  if (stops.length > 0) end.fault = { is: 'failure', type: 'stopped', message: stops.join(', '), text: '' };
  return [rig, end];
}

/** What became worse and decides nothing neither passed nor failed, nor did what single runs can't tell. */
function rowCase(row: DiffRow, part: DiffPart): JunitCase[] {
  const { name, judgement } = row;
  if (judgement === 'unknown' || (judgement === 'worse' && !isDeciding(row))) return [];
  const was = `${name} was ${inSide(row, row.baseline)}, is ${inSide(row, row.candidate)}: ${changeInWords(row)}`;
  const fault = { is: 'failure', type: 'regression', message: was, text: '' } as const;
  if (judgement === 'worse')
    return [{ name, fault: { ...fault, message: `${was}${isDoubtfulIn(part, row) ? `; ${doubt}` : ''}` } }];
  if (judgement === 'differs')
    return [
      { name, fault: { ...fault, is: 'skipped', type: judgement, message: `${was}; these runs can’t tell why` } },
    ];
  return [{ name }];
}

/** A promise that the candidate broke is broken, whether or not the baseline broke it, too. */
function promiseCase({ text: name, baseline, candidate, judgement }: DiffPromise): JunitCase {
  const message = `${name} was ${promiseInWords(baseline)}, is ${promiseInWords(candidate)}`;
  if (candidate === null) return { name, fault: { is: 'skipped', type: 'notGiven', message, text: '' } };
  if (candidate.kept === candidate.runs) return { name };
  const type = judgement === 'worse' ? 'regression' : 'threshold';
  return { name, fault: { is: 'failure', type, message, text: '' } };
}

const names = { verdict: 'the rig is not in these numbers', stop: 'went to its planned end' } as const;

function verdictCase({ verdict: { rig, evidence } }: RunResult): JunitCase {
  const name = names.verdict;
  if (rig === 'clean') return { name };
  const text = evidence.map((each) => `${each.rule}: ${each.text}`).join('\n');
  return { name, fault: { is: 'failure', type: rig, message: `${rig}: ${doubtedInWords[rig]}`, text } };
}

function stopCase({ stop }: RunResult, scenario: Declaration): JunitCase {
  const name = names.stop;
  if (isPlannedEnd(stop.code, scenario)) return { name };
  const { title, means } = stopReasons[stop.code];
  const text = [...stop.evidence, ...(stop.advice === undefined ? [] : [stop.advice])].join('\n');
  return { name, fault: { is: 'failure', type: stop.code, message: `${title}: ${means}`, text } };
}

function promiseCases({ thresholds, metrics }: RunResult): JunitCase[] {
  return thresholds.map((threshold) => {
    const { text, isKept } = threshold;
    if (isKept) return { name: text };
    const message = `${text} was promised, received ${promisedInWords(threshold, metrics)}`;
    return { name: text, fault: { is: 'failure', type: 'threshold', message, text: '' } };
  });
}
