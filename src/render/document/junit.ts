import { createRequire } from 'node:module';
import type { Check, Document, Suite } from './document.js';

// XML 1.0 allows few control characters, even if they are escaped.
const form = { version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' } as const;

const load = createRequire(import.meta.url);

/** Prints the checks of a document as JUnit XML. */
export function junitText({ suites }: Pick<Document, 'suites'>): string {
  const seconds = suites.reduce((sum, suite) => sum + suite.seconds, 0);
  const all = attributes(
    suites.flatMap(({ checks }) => checks),
    seconds,
  );
  // Loads here, as few commands write XML, and the library costs every start 60 ms of CPU.
  const { create } = load('xmlbuilder2') as typeof import('xmlbuilder2');
  const testsuites = { '@name': 'ringside', ...all, testsuite: suites.map(suiteNode) };
  return `${create(form, { testsuites }).end({ prettyPrint: true })}\n`;
}

function suiteNode({ name, timestamp, seconds, properties, checks }: Suite): object {
  const property = Object.entries(properties).map(([key, value]) => ({ '@name': key, '@value': value }));
  return {
    '@name': name,
    ...(timestamp === '' ? {} : { '@timestamp': timestamp }),
    ...attributes(checks, seconds),
    ...(property.length > 0 ? { properties: { property } } : {}),
    testcase: checks.map((each) => caseNode(name, each)),
  };
}

function caseNode(classname: string, { name, fault }: Check): object {
  const node = { '@classname': classname, '@name': name, '@time': '0' };
  if (!fault) return node;
  const { is, type, message, text } = fault;
  return { ...node, [is]: { '@type': type, '@message': message, ...(text === '' ? {} : { '#': text }) } };
}

function attributes(checks: readonly Check[], seconds: number): object {
  const of = (is: string): number => checks.filter(({ fault }) => fault?.is === is).length;
  return {
    '@tests': checks.length,
    '@failures': of('failure'),
    '@errors': of('error'),
    '@skipped': of('skipped'),
    '@time': seconds.toFixed(3),
  };
}
