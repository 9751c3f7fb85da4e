import { create } from 'xmlbuilder2';
import type { SuiteOutcome, SuiteRow } from '../../contract/suite.js';
import { renderJunit } from '../exports/junit.js';
import type { SuiteBook } from './book.js';
import { changeInWords } from './change.js';

interface Case {
  name: string;
  /** Empty where it passed. */
  failure: string;
}

/** JUnit XML: the test suites of every run, and one of what the suite asks beside: that what is required could run, and that nothing is worse than in the baseline. */
export function renderSuiteJunit({ suite, boards }: SuiteBook): string {
  const document = create(renderJunit(boards.map(({ comparison, scenario }) => ({ kept: comparison, scenario }))));
  const cases = suite.entries.flatMap((entry) => entry.rows.flatMap((row) => casesOf(entry, row)));
  if (cases.length === 0) return `${document.end({ prettyPrint: true })}\n`;
  const failures = cases.filter(({ failure }) => failure !== '').length;
  const root = document.root();
  const all = root.toObject() as unknown as { testsuites: Record<string, string> };
  const counted = (name: string): number => Number(all.testsuites[`@${name}`]);
  root.att({ tests: String(counted('tests') + cases.length), failures: String(counted('failures') + failures) });
  const own = root.ele('testsuite', {
    name: `suite ${suite.name}`,
    timestamp: suite.startedAt,
    tests: String(cases.length),
    failures: String(failures),
    errors: '0',
    skipped: '0',
    time: '0',
  });
  for (const { name, failure } of cases) {
    const node = own.ele('testcase', { classname: `suite ${suite.name}`, name, time: '0' });
    if (failure !== '') node.ele('failure', { type: 'suite', message: failure });
  }
  return `${document.end({ prettyPrint: true })}\n`;
}

function casesOf({ name, isRequired }: SuiteOutcome, { target, state, why, changes }: SuiteRow): Case[] {
  const required = { name: `${name} ${target} can be run`, failure: state === 'ran' ? '' : why };
  const worse = (changes ?? []).filter(({ judgement }) => judgement === 'worse').map(changeInWords);
  const held = { name: `${name} ${target} is not worse than the baseline`, failure: worse.join(', ') };
  return [...(isRequired ? [required] : []), ...(changes === null ? [] : [held])];
}
