import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { lossier, missing, slower, suiteBook, suiteRow } from '../../../test/suite-book.js';
import { junitText } from '../../render/junit.js';
import type { SuiteBook } from './book.js';
import { suiteDocument } from './print.js';

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

  it('passes whatever a latency was in another night', () => {
    expect(casesOf(suiteBook([suiteRow('ws', { changes: [slower] })]))).toContainEqual(['wide ws is not worse']);
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
