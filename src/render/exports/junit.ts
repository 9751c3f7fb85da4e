import { create } from 'xmlbuilder2';
import { stopReasons } from '../../contract/stop-reasons.js';
import type { Declaration } from '../../measure/declaration.js';
import { type Comparison, comparisonRows, isComparison } from '../../results/comparison.js';
import type { Paired } from '../../results/paired.js';
import { holdsOf, isPlannedEnd, type RunResult } from '../../results/result.js';
import { answerOf } from '../paired/answer.js';
import { ratioInWords, withheldInWords } from '../paired/words.js';
import { judgedInWords } from '../ratio-thresholds.js';
import { statementWords } from '../words/statement.js';
import { thresholdInWords } from '../words/values.js';
import { doubtedInWords } from '../words/verdict-words.js';
import type { JudgedSource } from './markdown-parts.js';

type FaultKind = 'failure' | 'error' | 'skipped';

/** Describes a test case. Without a fault, it passed. */
export interface JunitCase {
  name: string;
  fault?: { is: FaultKind; type: string; message: string; text: string };
}

export interface JunitSuite {
  name: string;
  /** Can be empty. */
  timestamp: string;
  seconds: number;
  properties: Readonly<Record<string, string>>;
  cases: readonly JunitCase[];
}

// XML 1.0 allows few control characters, even if they are escaped.
const form = { version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' } as const;

export function renderSuites(suites: readonly JunitSuite[]): string {
  const seconds = suites.reduce((sum, suite) => sum + suite.seconds, 0);
  const all = attributes(
    suites.flatMap(({ cases }) => cases),
    seconds,
  );
  const testsuites = { '@name': 'ringside', ...all, testsuite: suites.map(suiteNode) };
  return `${create(form, { testsuites }).end({ prettyPrint: true })}\n`;
}

function suiteNode({ name, timestamp, seconds, properties, cases }: JunitSuite): object {
  const property = Object.entries(properties).map(([key, value]) => ({ '@name': key, '@value': value }));
  return {
    '@name': name,
    ...(timestamp === '' ? {} : { '@timestamp': timestamp }),
    ...attributes(cases, seconds),
    ...(property.length > 0 ? { properties: { property } } : {}),
    testcase: cases.map((each) => caseNode(name, each)),
  };
}

function caseNode(classname: string, { name, fault }: JunitCase): object {
  const node = { '@classname': classname, '@name': name, '@time': '0' };
  if (!fault) return node;
  const { is, type, message, text } = fault;
  return { ...node, [is]: { '@type': type, '@message': message, ...(text === '' ? {} : { '#': text }) } };
}

function attributes(cases: readonly JunitCase[], seconds: number): object {
  const of = (is: string): number => cases.filter(({ fault }) => fault?.is === is).length;
  return {
    '@tests': cases.length,
    '@failures': of('failure'),
    '@errors': of('error'),
    '@skipped': of('skipped'),
    '@time': seconds.toFixed(3),
  };
}

export function faulty(name: string, is: FaultKind, type: string, message: string, text = ''): JunitCase {
  return { name, fault: { is, type, message, text } };
}

/**
 * Returns a suite for each run (verdict, stop reason, thresholds) and for each target that did not run. A paired
 * comparison adds a suite of its pairs. There, a limit that concerns only one of its single runs is not a failure.
 */
export function runSuites({ kept, scenario }: JudgedSource): JunitSuite[] {
  const paired = isComparison(kept) ? kept.paired : undefined;
  const ofRuns = suitesOfRuns({ kept, scenario }, paired !== undefined);
  const ofRatios = isComparison(kept) ? ratioSuites(kept, scenario.name) : [];
  const ofPairs = isComparison(kept) && paired ? [pairedSuite(kept, paired, scenario)] : [];
  return [...ofRatios, ...ofPairs, ...ofRuns];
}

function ratioSuites({ ratioThresholds = [], startedAt, fingerprint, tool }: Comparison, name: string): JunitSuite[] {
  if (ratioThresholds.length === 0) return [];
  const properties = { fingerprint, version: tool.version };
  const cases = ratioThresholds.map((each): JunitCase => {
    if (each.holds === 'yes') return { name: each.text };
    const message = `expected ${each.text}, received ${judgedInWords(each)}`;
    return faulty(each.text, each.holds === 'no' ? 'failure' : 'error', statementWords.meets[each.holds], message);
  });
  return [{ name: `${name} ratios`, timestamp: startedAt, seconds: 0, properties, cases }];
}

/** Returns a test case for the control and one for each pair. Open pairs are skipped, because they state nothing. */
function pairedSuite({ fingerprint, tool, startedAt }: Comparison, paired: Paired, scenario: Declaration): JunitSuite {
  const { pairs, withheld, seed, tookMs } = paired;
  const control: JunitCase =
    withheld.length === 0
      ? { name: names.order }
      : faulty(names.order, 'failure', 'withheld', withheldInWords(paired), answerOf(paired, scenario).join('\n'));
  const named = pairs.map((pair) => ({ ...pair, name: `${pair.a} against ${pair.b}` }));
  const inWords = (pair: Paired['pairs'][number]): string =>
    `${ratioInWords(pair)}, ${statementWords.differs[pair.holds]}`;
  const ofPairs = named.map(
    ({ name, ...pair }): JunitCase =>
      pair.holds === 'open' ? faulty(name, 'skipped', pair.holds, inWords(pair)) : { name },
  );
  const ratios = Object.fromEntries(named.map(({ name, ...pair }) => [name, inWords(pair)]));
  return {
    name: `${scenario.name} paired`,
    timestamp: startedAt,
    seconds: tookMs / 1000,
    properties: { fingerprint, version: tool.version, seed: String(seed), ...ratios },
    cases: [control, ...ofPairs],
  };
}

function suitesOfRuns({ kept, scenario }: JudgedSource, isPaired: boolean): JunitSuite[] {
  return comparisonRows(kept).flatMap(({ target, state, why, runs }) => {
    const suites = runs.map(({ result }, index): JunitSuite => {
      const { job, fingerprint, tool, environment, startedAt } = result;
      return {
        name: `${scenario.name} ${target}${runs.length > 1 ? ` ${index + 1} of ${runs.length}` : ''}`,
        timestamp: startedAt,
        seconds: environment.elapsedMs / 1000,
        properties: { runId: job.runId, fingerprint, version: tool.version, seed: String(job.seed) },
        cases: [verdictCase(result, isPaired), stopCase(result, scenario), ...thresholdCases(result)],
      };
    });
    if (state === 'ran') return suites;
    const cases = [faulty('can be run', state === 'failed' ? 'error' : 'skipped', state, why)];
    const name = `${scenario.name} ${target}`;
    return [...suites, { name, timestamp: kept.startedAt, seconds: 0, properties: {}, cases }];
  });
}

export const names = {
  verdict: 'the rig did not limit the figures',
  stop: 'went to its planned end',
  order: 'an order can be claimed',
} as const;

function verdictCase({ verdict: { rig, evidence } }: RunResult, isPaired: boolean): JunitCase {
  if (rig === 'clean') return { name: names.verdict };
  const text = evidence.map((each) => `${each.rule}: ${each.text}`).join('\n');
  const kind = isPaired && rig === 'limited' ? 'skipped' : 'failure';
  return faulty(names.verdict, kind, rig, `${rig}: ${doubtedInWords[rig]}`, text);
}

function stopCase({ stop }: RunResult, scenario: Declaration): JunitCase {
  if (isPlannedEnd(stop.code, scenario)) return { name: names.stop };
  const { title, means } = stopReasons[stop.code];
  const text = [...stop.evidence, ...(stop.advice === undefined ? [] : [stop.advice])].join('\n');
  return faulty(names.stop, 'failure', stop.code, `${title}: ${means}`, text);
}

function thresholdCases({ thresholds, metrics }: RunResult): JunitCase[] {
  return thresholds.map((threshold) => {
    const { text } = threshold;
    const state = holdsOf(threshold);
    if (state === 'yes') return { name: text };
    return faulty(
      text,
      'failure',
      state === 'no' ? 'threshold' : statementWords.meets[state],
      `expected ${text}, received ${thresholdInWords(threshold, metrics)}`,
    );
  });
}
