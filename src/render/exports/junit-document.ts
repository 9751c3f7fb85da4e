import { create } from 'xmlbuilder2';

/** A test case; it passed if it has no fault. */
export interface JunitCase {
  name: string;
  fault?: { is: 'failure' | 'error' | 'skipped'; type: string; message: string; text: string };
}

/** A test suite, and how long the run that it judges took. */
export interface JunitSuite {
  name: string;
  /** May be empty. */
  timestamp: string;
  seconds: number;
  properties: Readonly<Record<string, string>>;
  cases: readonly JunitCase[];
}

// XML 1.0 allows few control characters, even escaped.
const form = { version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' } as const;

/** The JUnit document of these suites, with their counts. */
export function renderSuites(suites: readonly JunitSuite[]): string {
  const seconds = suites.reduce((sum, suite) => sum + suite.seconds, 0);
  const all = attributes(
    suites.flatMap(({ cases }) => cases),
    seconds,
  );
  const testsuites = { '@name': 'ringside', ...all, testsuite: suites.map(suiteNode) };
  return `${create(form, { testsuites }).end({ prettyPrint: true })}\n`;
}

function suiteNode({ name, timestamp, seconds, properties, cases }: JunitSuite): object {
  const property = Object.entries(properties).map(([key, value]) => ({ '@name': key, '@value': value }));
  return {
    '@name': name,
    ...(timestamp === '' ? {} : { '@timestamp': timestamp }),
    ...attributes(cases, seconds),
    ...(property.length > 0 ? { properties: { property } } : {}),
    testcase: cases.map((each) => caseNode(name, each)),
  };
}

function caseNode(classname: string, { name, fault }: JunitCase): object {
  const node = { '@classname': classname, '@name': name, '@time': '0' };
  if (!fault) return node;
  const { is, type, message, text } = fault;
  return { ...node, [is]: { '@type': type, '@message': message, ...(text === '' ? {} : { '#': text }) } };
}

function attributes(cases: readonly JunitCase[], seconds: number): object {
  const of = (is: string): number => cases.filter(({ fault }) => fault?.is === is).length;
  return {
    '@tests': cases.length,
    '@failures': of('failure'),
    '@errors': of('error'),
    '@skipped': of('skipped'),
    '@time': seconds.toFixed(3),
  };
}
