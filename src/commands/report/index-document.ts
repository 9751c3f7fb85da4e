import { type Document, headed, type Line, plainText, toned } from '../../render/document/document.js';
import { plural } from '../../units/text.js';

interface Indexed {
  /** The name of its directory, which begins with the time. */
  name: string;
  document: Document;
}

const stampLength = '2026-11-28T07-11-53Z'.length;

/** Returns a document over many results: a row of each with its answer, and each in brief as details. */
export function indexDocument(root: string, results: readonly Indexed[]): Document {
  const times = results.map(({ name }) => timeOf(name));
  const rows = results.map(({ name, document }, n): Line[] => {
    const { sentence } = headed(document);
    const asked = plainText(document.title);
    return [times[n] ?? name, asked, sentence === asked ? '–' : sentence, checksOf(document)];
  });
  return {
    title: `results in ${root}`,
    parts: [
      { isAnswer: true, blocks: [`${plural(results.length, 'result')}, from ${times.at(-1)} to ${times[0]}.`] },
      { blocks: [{ head: ['started', 'asked', 'answer', 'checks passed'], rows, left: [0, 1, 2, 3] }] },
    ],
    details: results.map(({ name, document }) => ({
      ...document,
      name,
      details: [],
      parts: document.parts.filter(({ only, isAnswer }) => isAnswer || only !== 'whole'),
    })),
    suites: results.flatMap(({ document }) => document.suites),
  };
}

function timeOf(name: string): string {
  const [day = '', time = ''] = name.slice(0, stampLength).split('T');
  return `${day} ${time.slice(0, 5).replace('-', ':')}`;
}

function checksOf({ suites }: Document): Line {
  const checks = suites.flatMap((suite) => suite.checks);
  const passed = checks.filter(({ fault }) => fault === undefined).length;
  const isBroken = checks.some(({ fault }) => fault !== undefined && fault.is !== 'skipped');
  return toned[isBroken ? 'bad' : 'good'](`${passed} of ${checks.length}`);
}
