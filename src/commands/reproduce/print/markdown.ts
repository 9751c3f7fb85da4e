import { code, inline, list, table as tableOf } from '../../../render/exports/markdown-parts.js';
import type { Reproduction } from '../reproduction.js';
import {
  absentInWords,
  caveatsOf,
  evidenceOf,
  fairness,
  figureHead,
  figureRows,
  orderLines,
  placeOf,
  sidesOf,
} from './words.js';

/** The same as on the terminal, in Markdown. */
export function reproductionMarkdown(reproduction: Reproduction): string {
  const { table, ours } = reproduction;
  const cells = (rows: readonly string[][]): string[][] => rows.map((row) => row.map(inline));
  const notes = [
    ...evidenceOf(reproduction).map((text) => `evidence against these numbers: ${text}`),
    ...absentInWords(reproduction).map((text) => `without a row: ${text}`),
    ...(ours === '' ? [] : [`options that the source does not state: ${ours}`]),
    ...table.differs.map((text) => `defined differently: ${text}`),
    ...caveatsOf(table).map((text) => `read with care: ${text}`),
  ];
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
