import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { missing, slower, suiteBook, suiteRow } from '../../../../test/suite-book.js';
import { doubt } from '../../../render/diff.js';
import type { SuiteBook } from './book.js';
import { renderSuiteJunit } from './junit.js';

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
  const xml = renderSuiteJunit(book);
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'testcase' });
  return (parser.parse(xml) as { testsuites: Read }).testsuites;
}

/** Of the test suite of the suite itself: each case with what is said against it, and how. */
function casesOf(book: SuiteBook): [string, ...string[]][] {
  const own = read(book).testsuite.find((suite) => suite['@_name'] === 'suite nights');
  return (own?.testcase ?? []).map((node) => [
    String(node['@_name']),
    ...['failure', 'error', 'skipped'].flatMap((is) =>
      node[is] === undefined ? [] : `${is}: ${(node[is] as Record<string, string>)['@_message']}`,
    ),
  ]);
}

describe('a suite in JUnit', () => {
  it('has a test suite of its own for what is required, what was made and what is worse, and counts it', () => {
    const whole = suiteBook([suiteRow('ws', { changes: [slower] }), missing], { isRequired: true });
    expect(casesOf(whole)).toEqual([
      ['wide ws can be run'],
      ['wide ws every run was made'],
      ['wide ws is not worse than the baseline', 'failure: delivery.p99 5.00 → 10.0 ms (+100 %)'],
      ['wide anycable can be run', 'failure: no <binary>'],
    ]);
    const { testsuite, ...all } = read(whole);
    expect(testsuite.at(-1)).toMatchObject({ '@_tests': '4', '@_failures': '2' });
    for (const name of ['@_tests', '@_failures', '@_errors', '@_skipped'] as const)
      expect(Number(all[name])).toBe(testsuite.reduce((total, suite) => total + Number(suite[name]), 0));
  });

  it('fails for a required target that could not be run, whyever', () => {
    const failed = suiteRow('ws', { state: 'failed', why: 'it did not listen', runs: 0, changes: null });
    expect(casesOf(suiteBook([failed], { isRequired: true }))).toEqual([
      ['wide ws can be run', 'failure: it did not listen'],
      ['wide ws every run was made', 'error: 0 of 1 runs'],
    ]);
  });

  it('is not green where runs are missing, and says of a target that was not tried neither', () => {
    const some = [suiteRow('ws', { runs: 1, changes: null }), suiteRow('uws', { runs: 0, changes: null })];
    const cut = suiteBook(some, { repeat: 2, isRequired: true }, { exit: 'interrupted', isComplete: false });
    expect(casesOf(cut)).toEqual([
      ['wide ws can be run'],
      ['wide ws every run was made', 'error: 1 of 2 runs'],
      ['wide uws can be run', 'skipped: it was not tried'],
      ['wide uws every run was made', 'error: 0 of 2 runs'],
    ]);
  });

  it('says of what is worse that the rig may have written it', () => {
    const doubtful = suiteRow('ws', { changes: [slower], isDoubtful: true });
    expect(casesOf(suiteBook([doubtful]))).toContainEqual([
      'wide ws is not worse than the baseline',
      `failure: delivery.p99 5.00 → 10.0 ms (+100 %); ${doubt}`,
    ]);
  });

  it('has no character that XML has not, whatever a target or a threshold says', () => {
    const why = '\u001B[31mno\u0000 binary\uD800';
    const odd = { ...slower, name: 'delivery\u0007.p99' };
    const xml = renderSuiteJunit(
      suiteBook([suiteRow('w\u0001s', { changes: [odd] }), suiteRow('uws', { state: 'failed', why, runs: 0 })], {
        isRequired: true,
      }),
    );
    expect(xml).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
    expect(xml).toContain('\uFFFD[31mno\uFFFD binary\uFFFD');
    expect(xml).toContain('name="wide w\uFFFDs can be run"');
  });
});
