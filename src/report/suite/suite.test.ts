import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../contract/golden-result.js';
import type { SuiteOutcome, SuiteResult, SuiteRow } from '../../contract/suite.js';
import { assemble } from '../../driver/assemble.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { SuiteBook } from './book.js';
import { changesInWords } from './change.js';
import { renderSuiteJunit } from './junit.js';
import { renderSuiteIssue, renderSuiteMarkdown } from './markdown.js';
import { renderSuite } from './terminal.js';

const latency = scenarioByName('latency') as Scenario;
const plain = { isColored: false, columns: 200 };

const row = (target: string, more: Partial<SuiteRow> = {}): SuiteRow => ({
  target,
  state: 'ran',
  why: '',
  runs: 1,
  verdicts: { clean: 1, limited: 0, void: 0 },
  promises: { given: 1, kept: 1, broken: [] },
  stops: [],
  changes: [],
  untold: 0,
  ...more,
});

const slower = { name: 'delivery.p99', kind: 'figure', baseline: 5003, candidate: 10_006, judgement: 'worse' } as const;
const missing = row('anycable', { state: 'notAvailable', why: 'no <binary>', runs: 0, changes: null });
const none = { given: 1, kept: 0, broken: ['lost==0'] };

function book(rows: SuiteRow[], more: Partial<SuiteOutcome> = {}, ends: Partial<SuiteResult> = {}): SuiteBook {
  const entry: SuiteOutcome = {
    name: 'wide',
    scenario: 'latency',
    fingerprint: 'dc5a9d213400',
    repeat: 1,
    isRequired: false,
    rows,
    baseline: { directory: 'before', startedAt: '2026-11-20T09:40:15.682Z', isCarried: false, before: [] },
    notHeld: '',
    differs: ['machine: cpu: A and B'],
    again: [],
    ...more,
  };
  const suite: SuiteResult = {
    schema: 1,
    tool: { name: 'ringside-bench', version: '0.1.0' },
    name: 'nights',
    hash: 'aa',
    seed: 7,
    startedAt: '2026-11-21T09:40:15.682Z',
    endedAt: '2026-11-21T09:50:15.682Z',
    isComplete: true,
    exit: 'threshold',
    entries: [entry],
    ...ends,
  };
  const comparison = assemble(latency, [{ directory: 'there', result: goldenResult() }], '');
  return { suite, boards: [{ name: 'wide', comparison, scenario: latency }] };
}

const whole = book([row('ws', { changes: [slower], promises: none }), missing], { isRequired: true });

describe('a suite for the terminal', () => {
  const lines = renderSuite(whole, plain).split('\n');

  it('has the scoreboard of each entry, then a line for each target', () => {
    expect(lines[0]).toBe('wide (latency)  1 run of each target');
    const summary = lines.slice(lines.indexOf('suite nights'));
    expect(summary).toEqual([
      'suite nights',
      'entry  target    promises         ended  change                                       verdict',
      'wide   ws        broken: lost==0  –      worse: delivery.p99 5.00 → 10.0 ms (+100 %)  clean',
      'wide   anycable  1 of 1           –      –                                            not available: no <binary>',
      '',
      'wide: held against before of 2026-11-20T09:40:15.682Z',
      'wide: differs beside: machine: cpu: A and B',
      '',
      'a promise was broken, or something is worse than in the baseline',
    ]);
  });

  it('says that runs are missing', () => {
    const some = book([row('ws')], {}, { exit: 'interrupted', isComplete: false });
    expect(renderSuite(some, plain)).toMatch(/interrupted; what is missing can still be run$/);
  });
});

describe('a suite in Markdown', () => {
  it('has how it ended, a row for each target, and the scoreboards', () => {
    const text = renderSuiteMarkdown(whole);
    expect(text).toContain('❌ **a promise was broken, or something is worse than in the baseline**');
    expect(text).toContain(
      '| wide | ws | ❌ broken: lost==0 | – | ❌ worse: delivery.p99 5.00 → 10.0 ms (+100 %) | ✅ clean |',
    );
    expect(text).toContain('not available: no &#60;binary&#62;');
    expect(text).toContain('<details><summary>wide</summary>\n\n### latency');
  });
});

describe('the text of an issue', () => {
  it('is there only where something was worse twice in a row', () => {
    expect(renderSuiteIssue(whole)).toBeUndefined();
    const twice = book([row('ws', { changes: [slower, { ...slower, name: 'delivery.max' }] })], {
      again: ['ws  delivery.p99'],
    });
    const text = renderSuiteIssue(twice);
    expect(text).toContain('for the second time in a row');
    expect(text).toContain('- **ws** delivery.p99 5.00 → 10.0 ms (+100 %)');
    expect(text).toContain('- (first time) **ws** delivery.max');
    expect(text).toContain('held against the runs of 2026-11-20T09:40:15.682Z');
    expect(text).toContain('machine: cpu: A and B');
  });
});

describe('a suite in JUnit', () => {
  it('has a test suite of its own for what is required and what is worse, and counts it', () => {
    const xml = renderSuiteJunit(whole);
    expect(XMLValidator.validate(xml)).toBe(true);
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(xml) as {
      testsuites: { '@_tests': string; '@_failures': string; testsuite: Record<string, unknown>[] };
    };
    const suites = testsuites.testsuite;
    expect(suites.at(-1)).toMatchObject({
      '@_name': 'suite nights',
      '@_tests': '3',
      '@_failures': '2',
      testcase: [
        { '@_name': 'wide ws can be run' },
        {
          '@_name': 'wide ws is not worse than the baseline',
          failure: { '@_message': 'delivery.p99 5.00 → 10.0 ms (+100 %)' },
        },
        { '@_name': 'wide anycable can be run', failure: { '@_message': 'no <binary>' } },
      ],
    });
    const sum = (name: string): number => suites.reduce((total, suite) => total + Number(suite[name]), 0);
    expect(Number(testsuites['@_tests'])).toBe(sum('@_tests'));
    expect(Number(testsuites['@_failures'])).toBe(sum('@_failures'));
  });
});

it('fails in JUnit a required target that could not be run, whyever', () => {
  const failed = row('ws', { state: 'failed', why: 'it did not listen', runs: 0, changes: null });
  expect(renderSuiteJunit(book([failed], { isRequired: true }))).toMatch(
    /name="wide ws can be run"[^>]*>\s*<failure [^>]*message="it did not listen"/,
  );
});

it('says of a row of which too few runs tell that it is not the same', () => {
  const words = (untold: number, changes: SuiteRow['changes'] = []) => changesInWords(row('ws', { changes, untold }));
  expect([words(0), words(1), words(2)]).toEqual([
    'same',
    '1 figure of which too few runs tell',
    '2 figures of which too few runs tell',
  ]);
  expect(words(1, [slower])).toMatch(/^worse: .*; 1 figure of which too few runs tell$/);
  expect(words(0, null)).toBe('–');
  expect(changesInWords(row('ws', { verdicts: { clean: 0, limited: 0, void: 1 } }))).toBe('–');
});
