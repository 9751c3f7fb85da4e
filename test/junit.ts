import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect } from 'vitest';

const faults = ['failure', 'error', 'skipped'] as const;

type Case = { '@_name': string } & { [Fault in (typeof faults)[number]]?: { '@_type'?: string } };

type Counted = Record<'@_tests' | '@_failures' | '@_errors' | '@_skipped', string>;

interface Suites extends Counted {
  testsuite: (Counted & { '@_name': string; testcase: Case[] })[];
}

const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => ['testsuite', 'testcase'].includes(name) });

/**
 * The cases of a JUnit document, or of its suite of that name: each is `passed`, `skipped`, or has the type of its
 * fault, or its kind. Of cases with one name, the first counts. Checks XML, and its counts against its cases.
 */
export function casesOf(xml: string, suite?: string): Record<string, string> {
  expect(XMLValidator.validate(xml)).toBe(true);
  const { testsuites } = parser.parse(xml) as { testsuites: Suites };
  const all = testsuites.testsuite.flatMap(({ testcase }) => testcase);
  for (const { '@_tests': tests, '@_failures': failures, '@_errors': errors, '@_skipped': skipped, testcase } of [
    { ...testsuites, testcase: all },
    ...testsuites.testsuite,
  ]) {
    const found = faults.map((fault) => testcase.filter((each) => each[fault]).length);
    expect([tests, failures, errors, skipped].map(Number)).toEqual([testcase.length, ...found]);
  }
  const cases = suite === undefined ? all : testsuites.testsuite.find((each) => each['@_name'] === suite)?.testcase;
  return Object.fromEntries(
    (cases ?? []).toReversed().map((each) => {
      const fault = faults.find((kind) => each[kind]);
      return [each['@_name'], each.skipped ? 'skipped' : fault ? (each[fault]?.['@_type'] ?? fault) : 'passed'];
    }),
  );
}
