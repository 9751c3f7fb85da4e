import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import {
  failed,
  goldenComparison,
  goldenRun,
  latency,
  limited,
  notAvailable,
  promises,
  voided,
} from '../../../test/kept-golden.js';
import { diffOf } from '../../commands/diff/diff.js';
import type { RunResult } from '../../results/result.js';
import { renderJunit } from './junit.js';

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

const rig = 'the rig is not in these numbers';
const end = 'went to its planned end';

describe('JUnit of a run', () => {
  const kept = goldenRun('ws', 1, { verdict: limited, thresholds: promises });

  it('has verdict, stop reason and promises as test cases', () => {
    expect(renderJunit([{ kept, scenario: latency }])).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="ringside" tests="5" failures="3" errors="0" skipped="0" time="103.218">
        <testsuite name="latency ws" timestamp="2026-11-21T09:40:15.682Z" tests="5" failures="3" errors="0" skipped="0" time="103.218">
          <properties>
            <property name="runId" value="7b39ba6e"/>
            <property name="fingerprint" value="dc5a9d213400"/>
            <property name="version" value="0.1.0"/>
            <property name="seed" value="3593012614"/>
          </properties>
          <testcase classname="latency ws" name="the rig is not in these numbers" time="0">
            <failure type="limited" message="limited: the rig or its network may have written these numbers">gc-pause: shard 0 | worker 0 paused 23.1 ms</failure>
          </testcase>
          <testcase classname="latency ws" name="went to its planned end" time="0"/>
          <testcase classname="latency ws" name="delivery.p99&lt;200ms" time="0"/>
          <testcase classname="latency ws" name="lost==0" time="0">
            <failure type="threshold" message="lost==0 was promised, received 7"/>
          </testcase>
          <testcase classname="latency ws" name="connect.p99&lt;1s" time="0">
            <failure type="threshold" message="connect.p99&lt;1s was promised, received no figure: no samples"/>
          </testcase>
        </testsuite>
      </testsuites>
      "
    `);
  });

  it('is XML, and says by its counts what its cases say', () => {
    const xml = renderJunit([{ kept, scenario: latency }]);
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
    expect(casesOf(renderJunit([{ kept: cut, scenario: latency }]))).toEqual([
      [rig, 'void'],
      [end, 'refused'],
    ]);
    const looking = { ...latency, isCapacity: true as const };
    expect(casesOf(renderJunit([{ kept: cut, scenario: looking }]))[1]).toEqual([end, 'passed']);
  });
});

describe('JUnit of a comparison', () => {
  it('has a suite for each run, and says what did not run', () => {
    const kept = goldenComparison([goldenRun('ws', 1), goldenRun('ws', 2)], [notAvailable, failed]);
    const xml = renderJunit([{ kept, scenario: latency }]);
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
    expect(xml).toContain('it did not listen &lt;on 3001&gt;\uFFFD');
  });
});

it('has a suite for each target of a diff, with what became worse', () => {
  const side = (times: number) => ({
    directory: `results/${times}`,
    rows: [{ target: 'ws', runs: [{ directory: '', result: goldenRun('ws', times) }] }],
  });
  const xml = renderJunit([], [diffOf(latency, side(1), side(2), '')]);
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
    renderJunit([], [diffOf(latency, side(...before), side(...after), forced)]);
  const casesBetween = (before: RunResult, after: RunResult) => new Map(casesOf(diffed([before], [after])));
  const good = goldenRun('ws', 1);

  it('fails where there is nothing to believe, with the evidence', () => {
    const xml = diffed([good], [goldenRun('ws', 1, { verdict: voided })]);
    const cases = new Map(casesOf(xml));
    expect([cases.get(`baseline: ${rig}`), cases.get(`candidate: ${rig}`)]).toEqual(['passed', 'void']);
    expect(xml).toMatch(/<testsuites name="ringside" tests="\d+" failures="1"/);
    expect(xml).toContain('1 of 1 void: these numbers stand for nothing">cut-short: the run was cut short</failure>');
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
    const promising = goldenRun('ws', 1, { thresholds: promises });
    const both = casesBetween(promising, promising);
    expect(promises.map(({ text }) => both.get(text))).toEqual(['passed', 'threshold', 'threshold']);
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
    expect(xml).toContain('uws ran on the side of the baseline only');
    expect(xml).toContain('socketio ran on the side of the candidate only');
    expect(xml.match(/<property name="forced" value="payloadBytes: 200 and 211"\/>/g)).toHaveLength(3);
    expect(diffed([good], [good])).not.toContain('forced');
  });
});
