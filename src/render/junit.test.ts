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
import type { Declaration } from '../measure/declaration.js';
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

const side = (results: RunResult[]) => ({
  directory: 'results/one',
  rows: results.map((result) => ({ target: result.target.name, runs: [{ directory: '', result }] })),
});
const diffed = (before: RunResult[], after: RunResult[], forced = ''): string =>
  junitText(diffDocument(diffOf(latency, side(before), side(after), forced), latency));

it('says what runs and diffs found, in its golden file', async () => {
  const base = goldenRun('ws', 1, { thresholds: goldenThresholds });
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
  it('is XML, and says by its counts what its cases say', () => {
    const kept = goldenRun('ws', 1, { verdict: limited, thresholds: goldenThresholds });
    const xml = junitText({ suites: runSuites({ kept, scenario: latency }) });
    expect(XMLValidator.validate(xml)).toBe(true);
    const { testsuites } = parser.parse(xml) as { testsuites: Record<string, string> };
    expect(testsuites).toMatchObject({ '@_tests': '5', '@_failures': '3', '@_errors': '0', '@_skipped': '0' });
  });

  it('fails where the run was cut short, and not where the end was what it looked for', () => {
    const kept = goldenRun('ws', 1, { verdict: voided, stop: { code: 'refused', evidence: ['503 × 7'] } });
    const ended = (scenario: Declaration) => casesOf(junitText({ suites: runSuites({ kept, scenario }) }));
    expect(ended(latency)).toEqual([
      [rig, 'void'],
      [end, 'refused'],
    ]);
    expect(ended({ ...latency, isCapacity: true })[1]).toEqual([end, 'passed']);
  });
});

it('has no control character of what did not run', () => {
  const kept = goldenComparison([goldenRun('ws', 1), goldenRun('ws', 2)], [notAvailable, failed]);
  const xml = junitText({ suites: runSuites({ kept, scenario: latency }) });
  expect(XMLValidator.validate(xml)).toBe(true);
  expect(xml).toContain('&lt;on 3001&gt;\uFFFD');
});

describe('JUnit of a diff', () => {
  const good = goldenRun('ws', 1);
  const promising = goldenRun('ws', 1, { thresholds: goldenThresholds });
  const cut = goldenRun('ws', 1, { verdict: limited, stop: { code: 'refused', evidence: ['503 × 7'] } });

  it.each<[string, RunResult, RunResult, Record<string, string | undefined>]>([
    ['is worse', good, goldenRun('ws', 2), { 'delivery.p99': 'regression', lost: 'passed', 'delivery.max': undefined }],
    ['can’t be told from single runs', good, goldenRun('ws', 1.5), { 'delivery.p99': 'skipped', lost: 'passed' }],
    [
      'is void on one side',
      good,
      goldenRun('ws', 1, { verdict: voided }),
      { [`baseline: ${rig}`]: 'passed', [`candidate: ${rig}`]: 'void' },
    ],
    [
      'was cut short on one side, or may be the rig’s',
      good,
      cut,
      { [`candidate: ${rig}`]: 'skipped', [`candidate: ${end}`]: 'stopped', [`baseline: ${end}`]: 'passed' },
    ],
    [
      'breaks a threshold on both sides',
      promising,
      promising,
      { 'delivery.p99<200ms': 'passed', 'lost==0': 'threshold', 'connect.p99<1s': 'threshold' },
    ],
    ['has a threshold before alone', promising, good, { 'lost==0': 'skipped' }],
    ['has a threshold after alone', good, promising, { 'lost==0': 'threshold' }],
  ])('says what %s', (_name, before, after, expected) => {
    const cases = new Map(casesOf(diffed([before], [after])));
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, cases.get(name)]))).toEqual(expected);
  });

  it('fails for each target that ran on one side only, and says what was forced', () => {
    const [uws, socketio] = [goldenRun('uws', 1), goldenRun('socketio', 1)];
    const xml = diffed([good, uws], [good, socketio], 'payloadBytes: 200 and 211');
    expect(casesOf(xml).filter(([name, found]) => name === 'is on both sides' && found === 'unmatched')).toHaveLength(
      2,
    );
    expect(xml.match(/<property name="forced" value="payloadBytes: 200 and 211"\/>/g)).toHaveLength(3);
  });
});

it.each<[string, Partial<Made>, number, string, string]>([
  ['a pair that is apart', {}, 1, 'ws against uws', 'passed'],
  ['what limits a single run', {}, 2, rig, 'skipped'],
  ['an open pair', { times: { ws: 1.1, uws: 1 }, noise: 0.3 }, 1, 'ws against uws', 'skipped'],
  ['a control apart from its twin', { twinTimes: 3 }, 0, 'an order can be claimed', 'withheld'],
  ['too few starts', { starts: 2 }, 0, 'an order can be claimed', 'withheld'],
])('JUnit of a paired comparison has a case for %s', (_name, more, place, name, found) => {
  const made = pairedComparison({ times: { ws: 1.5, uws: 1 }, starts: 3, ...more });
  const runs = made.rows[0]?.runs.map((run) => ({ ...run, result: goldenRun('ws', 1, { verdict: limited }) })) ?? [];
  const rows = made.rows.map((row, index) => (index === 0 ? { ...row, runs } : row));
  const cases = casesOf(junitText({ suites: runSuites({ kept: { ...made, rows }, scenario: latency }) }));
  expect(cases[place]).toEqual([name, found]);
});
