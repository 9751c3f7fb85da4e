import { renderMarkdown } from '../../../render/exports/markdown.js';
import { inline, list, table } from '../../../render/exports/markdown-parts.js';
import type { SuiteBook } from '../book.js';
import { baselinesInWords, endInWords, summaryHead, summaryOf } from './words.js';

const marks = { plain: '', aside: '', good: '✅ ', doubtful: '⚠️ ', bad: '❌ ' };

/** Markdown for a job summary: how the suite ended, a row for each target of each entry, and folded scoreboards. */
export function renderSuiteMarkdown({ suite, boards }: SuiteBook): string {
  const { text: end, tone: toneOfEnd } = endInWords(suite);
  const rows = summaryOf(suite).map((cells) => cells.map(([text, tone]) => `${marks[tone]}${inline(text)}`));
  const parts = [
    `## Suite ${inline(suite.name)}`,
    `${marks[toneOfEnd]}**${end}**`,
    table(summaryHead, rows, [0, 1, 2, 3, 4, 5]),
    list(baselinesInWords(suite).map(inline)),
    ...boards.flatMap(({ name, comparison, scenario }) => [
      `<details><summary>${inline(name)}</summary>`,
      renderMarkdown(comparison, scenario).trimEnd(),
      '</details>',
    ]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
