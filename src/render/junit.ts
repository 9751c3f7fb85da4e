import { createRequire } from 'node:module';
import { stopReasons } from '../contract/stop-reasons.js';
import type { Declaration } from '../measure/declaration.js';
import { type Comparison, comparisonRows, isComparison, type RunOrComparison } from '../results/comparison.js';
import type { Paired } from '../results/paired.js';
import { holdsOf, isPlannedEnd, type RunResult } from '../results/result.js';
import { type Check, type Document, faulty, type Suite } from './document/document.js';
import { answerOf } from './paired/answer.js';
import { ratioInWords, withheldInWords } from './paired/claims.js';
import { judgedInWords, statementWords } from './words/statement.js';
import { thresholdInWords } from './words/values.js';
import { failedInWords } from './words/verdict-words.js';

interface JudgedSource {
  kept: RunOrComparison;
  scenario: Declaration;
}

/**
 * Returns a suite for each run (verdict, stop reason, thresholds) and for each target that did not run. A paired
 * comparison adds a suite of its pairs. There, a limit that concerns only one of its single runs is not a failure.
 */
export function runSuites({ kept, scenario }: JudgedSource): Suite[] {
  if (!isComparison(kept)) return suitesOfRuns({ kept, scenario }, false);
  const { paired } = kept;
  const ofPairs = paired ? [pairedSuite(kept, paired, scenario)] : [];
  return [...ratioSuites(kept, scenario.name), ...ofPairs, ...suitesOfRuns({ kept, scenario }, paired !== undefined)];
}

function ratioSuites({ ratioThresholds = [], startedAt, fingerprint, tool }: Comparison, name: string): Suite[] {
  if (ratioThresholds.length === 0) return [];
  const properties = { fingerprint, version: tool.version };
  const checks = ratioThresholds.map((each): Check => {
    if (each.holds === 'yes') return { name: each.text };
    const message = `expected ${each.text}, received ${judgedInWords(each)}`;
    return faulty(each.text, each.holds === 'no' ? 'failure' : 'error', statementWords.meets[each.holds], message);
  });
  return [{ name: `${name} ratios`, timestamp: startedAt, seconds: 0, properties, checks }];
}

/** Returns a test case for the control and one for each pair. Open pairs are skipped, because they state nothing. */
function pairedSuite({ fingerprint, tool, startedAt }: Comparison, paired: Paired, scenario: Declaration): Suite {
  const { pairs, withheld, seed, tookMs } = paired;
  const control: Check =
    withheld.length === 0
      ? { name: checkNames.order }
      : faulty(checkNames.order, 'failure', 'withheld', withheldInWords(paired), answerOf(paired, scenario).join('\n'));
  const named = pairs.map((pair) => ({ ...pair, name: `${pair.a} against ${pair.b}` }));
  const inWords = (pair: Paired['pairs'][number]): string =>
    `${ratioInWords(pair)}, ${statementWords.differs[pair.holds]}`;
  const ofPairs = named.map(
    ({ name, ...pair }): Check =>
      pair.holds === 'open' ? faulty(name, 'skipped', pair.holds, inWords(pair)) : { name },
  );
  const ratios = Object.fromEntries(named.map(({ name, ...pair }) => [name, inWords(pair)]));
  return {
    name: `${scenario.name} paired`,
    timestamp: startedAt,
    seconds: tookMs / 1000,
    properties: { fingerprint, version: tool.version, seed: String(seed), ...ratios },
    checks: [control, ...ofPairs],
  };
}

function suitesOfRuns({ kept, scenario }: JudgedSource, isPaired: boolean): Suite[] {
  return comparisonRows(kept).flatMap(({ target, state, why, runs }) => {
    const suites = runs.map(({ result }, index): Suite => {
      const { job, fingerprint, tool, environment, startedAt } = result;
      return {
        name: `${scenario.name} ${target}${runs.length > 1 ? ` ${index + 1} of ${runs.length}` : ''}`,
        timestamp: startedAt,
        seconds: environment.elapsedMs / 1000,
        properties: { runId: job.runId, fingerprint, version: tool.version, seed: String(job.seed) },
        checks: [verdictCase(result, isPaired), stopCase(result, scenario), ...thresholdCases(result)],
      };
    });
    if (state === 'ran') return suites;
    const checks = [faulty('can be run', state === 'failed' ? 'error' : 'skipped', state, why)];
    const name = `${scenario.name} ${target}`;
    return [...suites, { name, timestamp: kept.startedAt, seconds: 0, properties: {}, checks }];
  });
}

export const checkNames = {
  verdict: 'the load generator did not limit the figures',
  stop: 'went to its planned end',
  order: 'an order can be claimed',
} as const;

function verdictCase({ verdict: { rig, evidence } }: RunResult, isPaired: boolean): Check {
  if (rig === 'clean') return { name: checkNames.verdict };
  const text = evidence.map((each) => `${each.rule}: ${each.text}`).join('\n');
  const kind = isPaired && rig === 'limited' ? 'skipped' : 'failure';
  return faulty(checkNames.verdict, kind, rig, `${rig}: ${failedInWords[rig]}`, text);
}

function stopCase({ stop }: RunResult, scenario: Declaration): Check {
  if (isPlannedEnd(stop.code, scenario)) return { name: checkNames.stop };
  const { title, means } = stopReasons[stop.code];
  const text = [...stop.evidence, ...(stop.advice === undefined ? [] : [stop.advice])].join('\n');
  return faulty(checkNames.stop, 'failure', stop.code, `${title}: ${means}`, text);
}

function thresholdCases({ thresholds, metrics }: RunResult): Check[] {
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

// XML 1.0 allows few control characters, even if they are escaped.
const form = { version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' } as const;

const load = createRequire(import.meta.url);

export function junitText({ suites }: Pick<Document, 'suites'>): string {
  const seconds = suites.reduce((sum, suite) => sum + suite.seconds, 0);
  const all = attributes(
    suites.flatMap(({ checks }) => checks),
    seconds,
  );
  // Loads here, as few commands write XML, and the library costs every start 60 ms of CPU.
  const { create } = load('xmlbuilder2') as typeof import('xmlbuilder2');
  const testsuites = { '@name': 'ringside', ...all, testsuite: suites.map(suiteNode) };
  return `${create(form, { testsuites }).end({ prettyPrint: true })}\n`;
}

function suiteNode({ name, timestamp, seconds, properties, checks }: Suite): object {
  const property = Object.entries(properties).map(([key, value]) => ({ '@name': key, '@value': value }));
  return {
    '@name': name,
    ...(timestamp === '' ? {} : { '@timestamp': timestamp }),
    ...attributes(checks, seconds),
    ...(property.length > 0 ? { properties: { property } } : {}),
    testcase: checks.map((each) => caseNode(name, each)),
  };
}

function caseNode(classname: string, { name, fault }: Check): object {
  const node = { '@classname': classname, '@name': name, '@time': '0' };
  if (!fault) return node;
  const { is, type, message, text } = fault;
  return { ...node, [is]: { '@type': type, '@message': message, ...(text === '' ? {} : { '#': text }) } };
}

function attributes(checks: readonly Check[], seconds: number): object {
  const of = (is: string): number => checks.filter(({ fault }) => fault?.is === is).length;
  return {
    '@tests': checks.length,
    '@failures': of('failure'),
    '@errors': of('error'),
    '@skipped': of('skipped'),
    '@time': seconds.toFixed(3),
  };
}
