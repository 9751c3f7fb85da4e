import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { lossier, missing, slower, suiteBook, suiteRow } from '../../../test/suite-book.js';
import { markdownText } from '../../render/document/markdown.js';
import { terminalText } from '../../render/document/terminal.js';
import { junitText } from '../../render/junit.js';
import type { SuiteRow } from '../../results/experiment.js';
import type { SuiteBook } from './conclude.js';
import { endInWords, suiteDocument, toneOfChanges } from './print.js';

const longer = { ...slower, name: 'delivery.max', isOpen: true };
const doubtful = { ...lossier, isOpen: true };
const broken = { given: 3, kept: 1, broken: ['lost==0'] };
const { suite } = suiteBook(
  [
    suiteRow('ws', { changes: [longer, lossier], thresholds: broken }),
    suiteRow('uws', { changes: [lossier], isOpen: true, verdicts: { clean: 0, limited: 1, void: 0 } }),
    suiteRow('socketio', { untold: 2, stops: ['target process gone'], verdicts: { clean: 0, limited: 0, void: 1 } }),
    suiteRow('metronome', { state: 'failed', why: 'it did not listen', runs: 0, changes: null }),
    missing,
  ],
  { isRequired: true, notHeld: 'older/wide: no valid run' },
);

const book = { suite, boards: [] };

describe('a suite is printed', () => {
  it('for the terminal', async () => {
    await expectGolden('suite.txt', {
      'one of each row': terminalText(suiteDocument(book), { isColored: false, columns: 200 }),
    });
  });

  it('as Markdown', async () => {
    await expectGolden('suite-markdown.txt', { 'one of each row': markdownText(suiteDocument(book)) });
  });

  it('as JUnit XML', async () => {
    await expectGolden('suite-junit.txt', { 'one of each row': junitText(suiteDocument(book)) });
  });
});

it.each([
  ['plain', { changes: [] }],
  ['plain', { changes: null }],
  ['plain', { changes: [{ ...lossier, relation: 'better' as const }] }],
  ['plain', { changes: [slower, longer] }],
  ['bad', { changes: [lossier, doubtful] }],
  ['doubtful', { changes: [doubtful] }],
  ['doubtful', { changes: [lossier], isOpen: true }],
])('marks changes as %s: %j', (tone, more) => {
  expect(toneOfChanges(suiteRow('ws', more))).toBe(tone);
});

it('says that runs are missing, and of void runs that they are void', () => {
  const ends = (row: SuiteRow, isComplete: boolean) =>
    endInWords(suiteBook([row], {}, { exit: 'rig', isComplete }).suite).text;
  const voided = suiteRow('ws', { verdicts: { clean: 0, limited: 0, void: 1 } });
  expect(ends(voided, true)).toContain('void');
  expect(ends(suiteRow('ws'), true)).not.toContain('void');
  expect(ends(voided, false)).toMatch(/missing$/);
});

interface Counted {
  '@_tests': string;
  '@_failures': string;
  '@_errors': string;
  '@_skipped': string;
}

interface Read extends Counted {
  testsuite: (Counted & { '@_name': string; testcase: Record<string, unknown>[] })[];
}

function read(book: SuiteBook): Read {
  const xml = junitText(suiteDocument(book));
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'testcase' });
  return (parser.parse(xml) as { testsuites: Read }).testsuites;
}

/** The cases of the suite's own test suite, each with its fault. */
function casesOf(book: SuiteBook): [string, ...string[]][] {
  const own = read(book).testsuite.find((suite) => suite['@_name'] === 'suite nights');
  return (own?.testcase ?? []).map((node) => [
    String(node['@_name']),
    ...['failure', 'error', 'skipped'].filter((is) => node[is] !== undefined),
  ]);
}

describe('a suite in JUnit', () => {
  it('has cases for required targets, missing runs and changes, and counts them', () => {
    const whole = suiteBook([suiteRow('ws', { changes: [slower, lossier] }), missing], { isRequired: true });
    expect(casesOf(whole)).toEqual([
      ['wide ws can run'],
      ['wide ws made every run'],
      ['wide ws is not worse', 'failure'],
      ['wide anycable can run', 'failure'],
    ]);
    const { testsuite, ...all } = read(whole);
    expect(testsuite.at(-1)).toMatchObject({ '@_tests': '4', '@_failures': '2' });
    for (const name of ['@_tests', '@_failures', '@_errors', '@_skipped'] as const)
      expect(Number(all[name])).toBe(testsuite.reduce((total, suite) => total + Number(suite[name]), 0));
  });

  it('fails for a required target that failed', () => {
    const failed = suiteRow('ws', { state: 'failed', why: 'it did not listen', runs: 0, changes: null });
    expect(casesOf(suiteBook([failed], { isRequired: true }))).toEqual([
      ['wide ws can run', 'failure'],
      ['wide ws made every run', 'error'],
    ]);
  });

  it('is not green if runs are missing, and skips a target that was not tried', () => {
    const some = [suiteRow('ws', { runs: 1, changes: null }), suiteRow('uws', { runs: 0, changes: null })];
    const cut = suiteBook(some, { repeat: 2, isRequired: true }, { exit: 'interrupted', isComplete: false });
    expect(casesOf(cut)).toEqual([
      ['wide ws can run'],
      ['wide ws made every run', 'error'],
      ['wide uws can run', 'skipped'],
      ['wide uws made every run', 'error'],
    ]);
  });

  it('replaces characters that XML does not have', () => {
    const why = '\u001B[31mno\u0000 binary\uD800';
    const odd = { ...lossier, name: 'lost\u0007' };
    const rows = [suiteRow('w\u0001s', { changes: [odd] }), suiteRow('uws', { state: 'failed', why, runs: 0 })];
    const xml = junitText(suiteDocument(suiteBook(rows, { isRequired: true })));
    expect(xml).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
    expect(xml).toContain('\uFFFD[31mno\uFFFD binary\uFFFD');
    expect(xml).toContain('name="wide w\uFFFDs can run"');
  });
});
