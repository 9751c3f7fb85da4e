import { renderMarkdown } from '../../../render/exports/markdown.js';
import { inline, list, table } from '../../../render/exports/markdown-parts.js';
import { doubtfulAgain, type SuiteOutcome, type SuiteRow } from '../book.js';
import type { SuiteBook } from './book.js';
import {
  changeInWords,
  changesInWords,
  endInWords,
  promisesInWords,
  stopsInWords,
  verdictsInWords,
  withDoubt,
  worseInWords,
} from './change.js';

/** Markdown for the summary of a job: how it ended, a row for each target of each entry, and the scoreboards to be unfolded. */
export function renderSuiteMarkdown(book: SuiteBook): string {
  const { suite, boards } = book;
  const mark = suite.exit === 'clean' ? '✅' : suite.exit === 'rig' ? '⚠️' : '❌';
  const details = boards.map(({ name, comparison, scenario }) =>
    [`<details><summary>${inline(name)}</summary>`, renderMarkdown(comparison, scenario).trimEnd(), '</details>'].join(
      '\n\n',
    ),
  );
  return together([`## Suite ${inline(suite.name)}`, `${mark} **${endInWords(suite)}**`, ...summary(book), ...details]);
}

/** The text of an issue: what was worse twice in a row, and all around it. Undefined where nothing was. */
export function renderSuiteIssue(book: SuiteBook): string | undefined {
  const { entries, name, startedAt } = book.suite;
  const again = entries.filter((entry) => entry.again.length > 0);
  if (again.length === 0) return undefined;
  return together([
    `Suite ${inline(name)} of ${startedAt} is worse than before for the second time in a row, by more than the noise:`,
    ...again.map((entry) => together([`### ${inline(entry.name)}`, list(againLines(entry)), held(entry)])),
    'What was worse twice is told once, and is the measure from now on, unless the rig may have written it.',
    ...summary(book),
  ]);
}

function againLines({ rows, again }: SuiteOutcome): string[] {
  return rows.flatMap((row) =>
    (row.changes ?? [])
      .filter(({ judgement }) => judgement === 'worse')
      .map((change) => {
        const isAgain = again.includes(`${row.target}  ${change.name}`);
        const words = inline(withDoubt(changeInWords(change), row));
        return `${isAgain ? '' : '(first time) '}**${inline(row.target)}** ${words}`;
      }),
  );
}

function held({ baseline, differs }: SuiteOutcome): string {
  const against = baseline ? [`held against the runs of ${baseline.startedAt}`] : [];
  return list([...against, ...differs.map((each) => `differs beside: ${inline(each)}`)]);
}

function summary({ suite: { entries } }: SuiteBook): string[] {
  const rows = entries.flatMap((entry) => entry.rows.map((row) => [inline(entry.name), ...cells(row)]));
  const notHeld = entries.filter((entry) => entry.notHeld !== '');
  return [
    table(['entry', 'target', 'promises', 'ended', 'change', 'verdict'], rows, [0, 1, 2, 3, 4, 5]),
    list([
      ...notHeld.map((entry) => `${inline(entry.name)} was held against nothing: ${inline(entry.notHeld)}`),
      ...entries.flatMap((entry) =>
        doubtfulAgain(entry).map(
          (each) => `${inline(entry.name)} ${inline(withDoubt(`is worse again: ${each}`, { isDoubtful: true }))}`,
        ),
      ),
    ]),
  ];
}

function cells(row: SuiteRow): string[] {
  const isBad = row.state === 'failed' || row.verdicts.void > 0;
  const mark = isBad ? '❌ ' : row.verdicts.limited > 0 ? '⚠️ ' : row.runs > 0 ? '✅ ' : '';
  return [
    inline(row.target),
    `${row.promises.broken.length > 0 ? '❌ ' : ''}${inline(promisesInWords(row))}`,
    inline(stopsInWords(row)),
    `${{ same: '', doubtful: '⚠️ ', worse: '❌ ' }[worseInWords(row)]}${inline(changesInWords(row))}`,
    `${mark}${inline(verdictsInWords(row))}`,
  ];
}

function together(parts: readonly string[]): string {
  return `${parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}
