import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { expectVariants } from '../../test/golden.js';
import {
  failed,
  goldenComparison,
  goldenRun,
  goldenThresholds,
  latency,
  limited,
  notAvailable,
  voided,
} from '../../test/kept-golden.js';
import { type Made, pairedComparison } from '../../test/paired-golden.js';
import { diffOf } from '../commands/diff/diff.js';
import { diffDocument } from '../commands/diff/print.js';
import type { RunResult } from '../results/result.js';
import { junitText, runSuites } from './junit.js';

const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => ['testsuite', 'testcase'].includes(name) });

interface Fault {
  '@_type'?: string;
  '@_message': string;
}

interface Node {
  '@_name': string;
  failure?: Fault;
  error?: Fault;
  skipped?: Fault;
}

/** Every test case by name, with the type of its fault, or `passed`. */
function casesOf(xml: string): [string, string][] {
  const { testsuites } = parser.parse(xml) as { testsuites: { testsuite: { testcase: Node[] }[] } };
  return testsuites.testsuite.flatMap(({ testcase }) =>
    testcase.map(({ '@_name': name, failure, error, skipped }): [string, string] => [
      name,
      skipped ? 'skipped' : ((failure ?? error)?.['@_type'] ?? 'passed'),
    ]),
  );
}

const rig = 'the load generator did not limit the figures';
const end = 'went to its planned end';

it('says what runs and diffs found, in its golden file', async () => {
  const side = (...results: RunResult[]) => ({
    directory: 'results/one',
    rows: results.map((result) => ({ target: result.target.name, runs: [{ directory: '', result }] })),
  });
  const base = goldenRun('ws', 1, { thresholds: goldenThresholds });
  const diffed = (before: RunResult[], after: RunResult[]): string =>
    junitText(diffDocument(diffOf(latency, side(...before), side(...after), ''), latency));
  await expectVariants('junit.txt', {
    'a run': junitText({
      suites: runSuites({
        kept: goldenRun('ws', 1, { verdict: limited, thresholds: goldenThresholds }),
        scenario: latency,
      }),
    }),
    'a comparison': junitText({
      suites: runSuites({ kept: goldenComparison([base], [notAvailable, failed]), scenario: latency }),
    }),
    'a paired comparison': junitText({
      suites: runSuites({ kept: pairedComparison({ times: { ws: 1.5, uws: 1 }, starts: 3 }), scenario: latency }),
    }),
    'a diff': diffed([base, goldenRun('uws', 1)], [goldenRun('ws', 2.5, { verdict: limited })]),
    'a diff of single runs': diffed([base], [goldenRun('ws', 1.5, { thresholds: goldenThresholds })]),
    'a diff with a void side': diffed([base], [goldenRun('ws', 1, { verdict: voided })]),
  });
});

describe('JUnit of a run', () => {
  const kept = goldenRun('ws', 1, { verdict: limited, thresholds: goldenThresholds });

  it('is XML, and says by its counts what its cases say', () => {
    const xml = junitText({ suites: runSuites({ kept, scenario: latency }) });
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(casesOf(xml)).toEqual([
      [rig, 'limited'],
      [end, 'passed'],
      ['delivery.p99<200ms', 'passed'],
      ['lost==0', 'threshold'],
      ['connect.p99<1s', 'threshold'],
    ]);
    const { testsuites } = parser.parse(xml) as { testsuites: Record<string, string> };
    expect(testsuites).toMatchObject({ '@_tests': '5', '@_failures': '3', '@_errors': '0', '@_skipped': '0' });
  });

  it('fails where the run was cut short, and not where the end was what it looked for', () => {
    const cut = goldenRun('ws', 1, { verdict: voided, stop: { code: 'refused', evidence: ['503 × 7'] } });
    expect(casesOf(junitText({ suites: runSuites({ kept: cut, scenario: latency }) }))).toEqual([
      [rig, 'void'],
      [end, 'refused'],
    ]);
    const looking = { ...latency, isCapacity: true as const };
    expect(casesOf(junitText({ suites: runSuites({ kept: cut, scenario: looking }) }))[1]).toEqual([end, 'passed']);
  });
});

describe('JUnit of a comparison', () => {
  it('has a suite for each run, and says what did not run', () => {
    const kept = goldenComparison([goldenRun('ws', 1), goldenRun('ws', 2)], [notAvailable, failed]);
    const xml = junitText({ suites: runSuites({ kept, scenario: latency }) });
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(xml.match(/<testsuite name="[^"]+"/g)).toEqual([
      '<testsuite name="latency ws 1 of 2"',
      '<testsuite name="latency ws 2 of 2"',
      '<testsuite name="latency anycable"',
      '<testsuite name="latency socketio"',
    ]);
    expect(casesOf(xml).slice(-2)).toEqual([
      ['can be run', 'skipped'],
      ['can be run', 'failed'],
    ]);
    expect(xml).toContain('&lt;on 3001&gt;\uFFFD');
  });
});

it('has a suite for each target of a diff, with what became worse', () => {
  const side = (times: number) => ({
    directory: `results/${times}`,
    rows: [{ target: 'ws', runs: [{ directory: '', result: goldenRun('ws', times) }] }],
  });
  const xml = junitText(diffDocument(diffOf(latency, side(1), side(2), ''), latency));
  expect(XMLValidator.validate(xml)).toBe(true);
  const cases = new Map(casesOf(xml));
  expect(cases.get('delivery.p99')).toBe('regression');
  expect(cases.get('lost')).toBe('passed');
  expect(cases.has('delivery.max')).toBe(false);
});

describe('JUnit of a diff', () => {
  const side = (...runs: RunResult[]) => ({
    directory: 'results/one',
    rows: runs.map((result) => ({ target: result.target.name, runs: [{ directory: '', result }] })),
  });
  const diffed = (before: RunResult[], after: RunResult[], forced = ''): string =>
    junitText(diffDocument(diffOf(latency, side(...before), side(...after), forced), latency));
  const casesBetween = (before: RunResult, after: RunResult) => new Map(casesOf(diffed([before], [after])));
  const good = goldenRun('ws', 1);

  it('fails where there is nothing to believe, with the evidence', () => {
    const xml = diffed([good], [goldenRun('ws', 1, { verdict: voided })]);
    const cases = new Map(casesOf(xml));
    expect([cases.get(`baseline: ${rig}`), cases.get(`candidate: ${rig}`)]).toEqual(['passed', 'void']);
    expect(xml).toMatch(/<testsuites name="ringside" tests="\d+" failures="1"/);
  });

  it('fails where a side was cut short, and skips what may be the rig’s', () => {
    const cut = goldenRun('ws', 1, { verdict: limited, stop: { code: 'refused', evidence: ['503 × 7'] } });
    const cases = casesBetween(good, cut);
    expect([cases.get(`candidate: ${rig}`), cases.get(`candidate: ${end}`)]).toEqual(['skipped', 'stopped']);
    expect(cases.get(`baseline: ${end}`)).toBe('passed');
  });

  it('skips what differs: single runs can’t tell', () => {
    const cases = casesBetween(good, goldenRun('ws', 1.5));
    expect(cases.get('delivery.p99')).toBe('skipped');
    expect(cases.get('lost')).toBe('passed');
  });

  it('fails for a promise that both sides broke, and skips one that the candidate was not given', () => {
    const promising = goldenRun('ws', 1, { thresholds: goldenThresholds });
    const both = casesBetween(promising, promising);
    expect(goldenThresholds.map(({ text }) => both.get(text))).toEqual(['passed', 'threshold', 'threshold']);
    expect(casesBetween(promising, good).get('lost==0')).toBe('skipped');
    expect(casesBetween(good, promising).get('lost==0')).toBe('threshold');
  });

  it('fails for each target that ran on one side only, and says what was forced', () => {
    const [uws, socketio] = [goldenRun('uws', 1), goldenRun('socketio', 1)];
    const xml = diffed([good, uws], [good, socketio], 'payloadBytes: 200 and 211');
    expect(casesOf(xml).filter(([name]) => name === 'is on both sides')).toEqual([
      ['is on both sides', 'unmatched'],
      ['is on both sides', 'unmatched'],
    ]);
    expect(xml.match(/<property name="forced" value="payloadBytes: 200 and 211"\/>/g)).toHaveLength(3);
    expect(diffed([good], [good])).not.toContain('forced');
  });
});

describe('JUnit of a paired comparison', () => {
  const casesIn = (more: Partial<Made>) => {
    const made = pairedComparison({ times: { ws: 1.5, uws: 1 }, starts: 3, ...more });
    const runs = made.rows[0]?.runs.map((run) => ({ ...run, result: goldenRun('ws', 1, { verdict: limited }) })) ?? [];
    const rows = made.rows.map((row, index) => (index === 0 ? { ...row, runs } : row));
    return casesOf(junitText({ suites: runSuites({ kept: { ...made, rows }, scenario: latency }) }));
  };
  const order = 'an order can be claimed';

  it('has a case for each pair, and skips what limits a single run', () => {
    expect(casesIn({}).slice(0, 4)).toEqual([
      [order, 'passed'],
      ['ws against uws', 'passed'],
      [rig, 'skipped'],
      [end, 'passed'],
    ]);
  });

  it('skips an open pair, and fails where no order is claimed', () => {
    expect(casesIn({ times: { ws: 1.1, uws: 1 }, noise: 0.3 })[1]).toEqual(['ws against uws', 'skipped']);
    expect(casesIn({ twinTimes: 3 })[0]).toEqual([order, 'withheld']);
    expect(casesIn({ starts: 2 })[0]).toEqual([order, 'withheld']);
  });
});
