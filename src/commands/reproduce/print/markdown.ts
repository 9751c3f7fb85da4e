import { code, inline, list, table as tableOf } from '../../../render/exports/markdown-parts.js';
import type { Reproduction } from '../reproduction.js';
import { fairness, figureHead, figureRows, notesOf, orderLines, placeOf, sidesOf } from './words.js';

/** The same as on the terminal, in Markdown. */
export function reproductionMarkdown(reproduction: Reproduction): string {
  const { table } = reproduction;
  const { onSource, onRuns } = notesOf(reproduction);
  const cells = (rows: readonly string[][]): string[][] => rows.map((row) => row.map(inline));
  const notes = [...onRuns, ...onSource].flatMap(([heading, lines]) => lines.map((line) => `${heading}: ${line}`));
  return [
    `### ${inline(table.title)}`,
    `${code(table.id)} · ${inline(placeOf(table))}`,
    fairness(reproduction).map(inline).join('\n'),
    tableOf(figureHead, cells(figureRows(reproduction)), [0, 1, 5]),
    list(orderLines(reproduction).map(([metric, text]) => `${inline(metric)}, ${inline(text)}`)),
    tableOf(['', 'published', 'here'], cells(sidesOf(reproduction)), [0, 1, 2]),
    list(notes.map(inline)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
