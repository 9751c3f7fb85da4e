import { renderMarkdown } from '../../../render/exports/markdown.js';
import { inline, list, table } from '../../../render/exports/markdown-parts.js';
import type { SuiteBook, SuiteRow } from '../book.js';
import {
  baselineInWords,
  changesInWords,
  endInWords,
  stopsInWords,
  summaryHead,
  thresholdsInWords,
  verdictsInWords,
  worsening,
} from './change.js';

/** Markdown for a job summary: how the suite ended, a row for each target of each entry, and folded scoreboards. */
export function renderSuiteMarkdown({ suite, boards }: SuiteBook): string {
  const mark = suite.exit === 'clean' ? '✅' : suite.exit === 'rig' ? '⚠️' : '❌';
  const rows = suite.entries.flatMap((entry) => entry.rows.map((row) => [inline(entry.name), ...cells(row)]));
  const parts = [
    `## Suite ${inline(suite.name)}`,
    `${mark} **${endInWords(suite)}**`,
    table(summaryHead, rows, [0, 1, 2, 3, 4, 5]),
    list(suite.entries.flatMap(baselineInWords).map(inline)),
    ...boards.flatMap(({ name, comparison, scenario }) => [
      `<details><summary>${inline(name)}</summary>`,
      renderMarkdown(comparison, scenario).trimEnd(),
      '</details>',
    ]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function cells(row: SuiteRow): string[] {
  const isBad = row.state === 'failed' || row.verdicts.void > 0;
  const mark = isBad ? '❌ ' : row.verdicts.limited > 0 ? '⚠️ ' : row.runs > 0 ? '✅ ' : '';
  return [
    inline(row.target),
    `${row.promises.broken.length > 0 ? '❌ ' : ''}${inline(thresholdsInWords(row))}`,
    inline(stopsInWords(row)),
    `${{ same: '', doubtful: '⚠️ ', worse: '❌ ' }[worsening(row)]}${inline(changesInWords(row))}`,
    `${mark}${inline(verdictsInWords(row))}`,
  ];
}
