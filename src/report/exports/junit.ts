import { create } from 'xmlbuilder2';
import type { Scenario } from '../../contract/catalog.js';
import { type Diff, isDeciding } from '../../contract/diff.js';
import { isPlannedEnd } from '../../contract/planned-end.js';
import type { RunResult } from '../../contract/result.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { changeInWords, inSide, isDoubtful, promiseInWords } from '../diff.js';
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
 * which every figure of which noise is known is one. A target that could not be started is skipped; one that failed is an error.
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

function diffSuites({ scenario, baseline, candidate, parts, tool }: Diff): Suite[] {
  return parts.map((part) => {
    const { rows, promises } = part;
    const changed = (name: string, isWorse: boolean, message: string): Case =>
      isWorse ? { name, fault: { is: 'failure', type: 'regression', message, text: '' } } : { name };
    // What became worse and decides nothing neither passed nor failed.
    const known = rows.filter((row) => row.judgement !== 'unknown' && (row.judgement !== 'worse' || isDeciding(row)));
    const given = promises.filter(({ judgement }) => judgement !== 'unknown');
    return {
      name: `${scenario} ${part.candidate.target} against its baseline`,
      timestamp: '',
      seconds: 0,
      properties: { baseline, candidate, version: tool.version },
      cases: [
        ...known.map((row) =>
          changed(
            row.name,
            row.judgement === 'worse',
            `${row.name} was ${inSide(row, row.baseline)}, is ${inSide(row, row.candidate)}: ${changeInWords(row)}${isDoubtful(part) ? '; the rig may have written it' : ''}`,
          ),
        ),
        ...given.map((each) =>
          changed(
            each.text,
            each.judgement === 'worse',
            `${each.text} was ${promiseInWords(each.baseline)}, is ${promiseInWords(each.candidate)}`,
          ),
        ),
      ],
    };
  });
}

function verdictCase({ verdict: { rig, evidence } }: RunResult): Case {
  const name = 'the rig is not in these numbers';
  if (rig === 'clean') return { name };
  const says = { limited: 'the rig may have written these numbers', void: 'these numbers stand for nothing' }[rig];
  const text = evidence.map((each) => `${each.rule}: ${each.text}`).join('\n');
  return { name, fault: { is: 'failure', type: rig, message: `${rig}: ${says}`, text } };
}

function stopCase({ stop }: RunResult, scenario: Scenario): Case {
  const name = 'went to its planned end';
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
