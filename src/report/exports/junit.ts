import { create } from 'xmlbuilder2';
import type { Scenario } from '../../contract/catalog.js';
import {
  type Diff,
  type DiffPart,
  type DiffPromise,
  type DiffRow,
  type DiffSide,
  isDeciding,
  isDoubtful,
  isVoid,
} from '../../contract/diff.js';
import { isPlannedEnd } from '../../contract/planned-end.js';
import type { RunResult } from '../../contract/result.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { changeInWords, inSide, promiseInWords } from '../diff.js';
import { promisedInWords } from '../values.js';
import { type Judged, rowsOf } from './kept.js';

/** A test case: what was to hold, and what speaks against it; nothing does where it passed. */
interface Case {
  name: string;
  /** Of the attributes of a failure: what kind it is, and one line. */
  fault?: { is: 'failure' | 'error' | 'skipped'; type: string; message: string; text: string };
}

interface Suite {
  name: string;
  /** Empty where there is none. */
  timestamp: string;
  seconds: number;
  properties: Readonly<Record<string, string>>;
  cases: readonly Case[];
}

/**
 * JUnit XML: a suite for each run, in which the verdict of the rig, the stop reason and every promise is a test case; and one for each target of a diff, in
 * which verdict and end of either side, every figure of which noise is known and every promise are: skipped where the runs can't tell, and left out where
 * a figure became worse that decides nothing. A target that could not be started is skipped; one that failed, or ran on one side only, is at fault.
 */
export function renderJunit(judged: readonly Judged[], diffs: readonly Diff[] = []): string {
  const ofRuns = judged.flatMap(({ kept, scenario }) =>
    rowsOf(kept).flatMap((row) => {
      const runs = row.runs.map(({ result }, index) => suiteOf(result, scenario, row, index));
      return row.state === 'ran' ? runs : [...runs, notRun(row, scenario, kept.startedAt)];
    }),
  );
  const suites = [...ofRuns, ...diffs.flatMap(diffSuites)];
  const all = attributes(
    suites.flatMap(({ cases }) => cases),
    suites.reduce((sum, suite) => sum + suite.seconds, 0),
  );
  const testsuites = { '@name': 'ringside', ...all, testsuite: suites.map(suiteNode) };
  return `${create({ version: '1.0', encoding: 'UTF-8' }, { testsuites }).end({ prettyPrint: true })}\n`;
}

function suiteOf(
  result: RunResult,
  scenario: Scenario,
  { target, runs }: { target: string; runs: readonly unknown[] },
  index: number,
): Suite {
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
  scenario: Scenario,
  timestamp: string,
): Suite {
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

function diffSuites({ scenario, baseline, candidate, forced, parts, unmatched, tool }: Diff): Suite[] {
  const common = {
    timestamp: '',
    seconds: 0,
    properties: { baseline, candidate, version: tool.version, ...(forced === '' ? {} : { forced }) },
  };
  const name = (target: string): string => `${scenario} ${target} against its baseline`;
  const held = parts.map((part) => ({ ...common, name: name(part.candidate.target), cases: diffCases(part) }));
  const alone = unmatched.map(({ target, on }): Suite => {
    const message = `${target} ran on the side of the ${on} only`;
    const fault = { is: 'failure', type: 'unmatched', message, text: '' } as const;
    return { ...common, name: name(target), cases: [{ name: 'is on both sides', fault }] };
  });
  return [...held, ...alone];
}

function diffCases(part: DiffPart): Case[] {
  const { baseline, candidate, rows, promises } = part;
  return [
    ...sideCases('baseline', baseline),
    ...sideCases('candidate', candidate),
    ...rows.flatMap((row) => rowCase(row, part)),
    ...promises.map(promiseCase),
  ];
}

/** What may be believed of one side. Beside runs that are limited something may still be the same: that neither passed nor failed. */
function sideCases(name: 'baseline' | 'candidate', side: DiffSide): Case[] {
  const { verdicts, evidence, stops } = side;
  const { clean, limited, void: voided } = verdicts;
  const rig: Case = { name: `${name}: ${names.verdict}` };
  if (limited + voided > 0) {
    const says = [
      ...(voided > 0 ? [`${voided} of ${clean + limited + voided} void: ${meanings.void}`] : []),
      ...(limited > 0 ? [`${limited} of ${clean + limited + voided} limited: ${meanings.limited}`] : []),
    ];
    const text = evidence.join('\n');
    const message = says.join('; ');
    rig.fault = { is: isVoid(side) ? 'failure' : 'skipped', type: voided > 0 ? 'void' : 'limited', message, text };
  }
  const end: Case = { name: `${name}: ${names.stop}` };
  if (stops.length > 0) end.fault = { is: 'failure', type: 'stopped', message: stops.join(', '), text: '' };
  return [rig, end];
}

/** What became worse and decides nothing neither passed nor failed, nor did what single runs can't tell. */
function rowCase(row: DiffRow, part: DiffPart): Case[] {
  const { name, judgement } = row;
  if (judgement === 'unknown' || (judgement === 'worse' && !isDeciding(row))) return [];
  const was = `${name} was ${inSide(row, row.baseline)}, is ${inSide(row, row.candidate)}: ${changeInWords(row)}`;
  const fault = { is: 'failure', type: 'regression', message: was, text: '' } as const;
  if (judgement === 'worse')
    return [{ name, fault: { ...fault, message: `${was}${isDoubtful(part) ? '; the rig may have written it' : ''}` } }];
  if (judgement === 'differs')
    return [
      { name, fault: { ...fault, is: 'skipped', type: judgement, message: `${was}; these runs can’t tell why` } },
    ];
  return [{ name }];
}

/** A promise that the candidate broke is broken, whether or not the baseline broke it, too. */
function promiseCase({ text: name, baseline, candidate, judgement }: DiffPromise): Case {
  const message = `${name} was ${promiseInWords(baseline)}, is ${promiseInWords(candidate)}`;
  if (candidate === null) return { name, fault: { is: 'skipped', type: 'notGiven', message, text: '' } };
  if (candidate.kept === candidate.runs) return { name };
  const type = judgement === 'worse' ? 'regression' : 'threshold';
  return { name, fault: { is: 'failure', type, message, text: '' } };
}

const names = { verdict: 'the rig is not in these numbers', stop: 'went to its planned end' } as const;
const meanings = {
  limited: 'the rig may have written these numbers',
  void: 'these numbers stand for nothing',
} as const;

function verdictCase({ verdict: { rig, evidence } }: RunResult): Case {
  const name = names.verdict;
  if (rig === 'clean') return { name };
  const text = evidence.map((each) => `${each.rule}: ${each.text}`).join('\n');
  return { name, fault: { is: 'failure', type: rig, message: `${rig}: ${meanings[rig]}`, text } };
}

function stopCase({ stop }: RunResult, scenario: Scenario): Case {
  const name = names.stop;
  if (isPlannedEnd(stop.code, scenario)) return { name };
  const { title, means } = stopReasons[stop.code];
  const text = stop.evidence.join('\n');
  return { name, fault: { is: 'failure', type: stop.code, message: `${title}: ${means}`, text } };
}

function promiseCases({ thresholds }: RunResult): Case[] {
  return thresholds.map(({ text, kind, value, isKept }) => {
    if (isKept) return { name: text };
    const message = `${text} was promised, received ${promisedInWords(kind, value)}`;
    return { name: text, fault: { is: 'failure', type: 'threshold', message, text: '' } };
  });
}

function suiteNode({ name, timestamp, seconds, properties, cases }: Suite): object {
  const property = Object.entries(properties).map(([key, value]) => ({ '@name': key, '@value': value }));
  return {
    '@name': name,
    ...(timestamp === '' ? {} : { '@timestamp': timestamp }),
    ...attributes(cases, seconds),
    ...(property.length > 0 ? { properties: { property } } : {}),
    testcase: cases.map((each) => caseNode(name, each)),
  };
}

function caseNode(classname: string, { name, fault }: Case): object {
  const node = { '@classname': classname, '@name': name, '@time': '0' };
  if (!fault) return node;
  const { is, type, message, text } = fault;
  return { ...node, [is]: { '@type': type, '@message': legal(message), ...(text === '' ? {} : { '#': legal(text) }) } };
}

function attributes(cases: readonly Case[], seconds: number): object {
  const of = (is: string): number => cases.filter(({ fault }) => fault?.is === is).length;
  return {
    '@tests': cases.length,
    '@failures': of('failure'),
    '@errors': of('error'),
    '@skipped': of('skipped'),
    '@time': seconds.toFixed(3),
  };
}

/** XML 1.0 has no place for most control characters, not even escaped; what targets and kernels say may hold some. */
function legal(text: string): string {
  return text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}
