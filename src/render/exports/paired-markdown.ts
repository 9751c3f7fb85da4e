import type { Declaration } from '../../measure/declaration.js';
import type { Comparison } from '../../results/comparison.js';
import type { Paired } from '../../results/paired.js';
import { answerOf } from '../paired/answer.js';
import { pairedTable, runsInWords } from '../paired/table.js';
import { machineInWords, missing, shapeInWords } from '../paired/words.js';
import { ratioThresholdLines } from '../ratio-thresholds.js';
import { notesOf } from '../words/notes.js';
import { inline, list, table } from './markdown-parts.js';

/** A paired comparison in Markdown, in the order of the terminal: answer, targets, how it was measured. */
export function pairedParts(
  comparison: Comparison,
  paired: Paired,
  scenario: Declaration,
  thresholds: string,
): string[] {
  const { head, rows, legend } = pairedTable(paired, scenario);
  const { voided, warned } = runsInWords(comparison);
  const notes = notesOf(comparison.rows.flatMap(({ runs }) => runs)[0]?.result, scenario);
  const asides = [...legend, ...(warned === '' ? [] : [warned])];
  return [
    `### ${comparison.scenario}`,
    `**${inline(answerOf(paired, scenario).join(' '))}**`,
    list([...notes, ...(voided === '' ? [] : [voided])].map(inline)),
    table(
      head.map(inline),
      rows.map((row) => row.map(inline)),
    ),
    list(missing(comparison, paired).map(({ target, why }) => `${inline(target)}: ${inline(why)}`)),
    list(ratioThresholdLines(comparison).map(inline)),
    thresholds,
    [shapeInWords(comparison, paired, scenario), machineInWords(comparison, paired)].map(inline).join('<br>\n'),
    asides.length === 0 ? '' : `<sub>${asides.map(inline).join('<br>\n')}</sub>`,
  ];
}
