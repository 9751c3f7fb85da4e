import type { Declaration } from '../../measure/declaration.js';
import type { Comparison } from '../../results/comparison.js';
import type { Paired } from '../../results/paired.js';
import { ratioThresholdLines } from '../ratio-thresholds.js';
import { notesOf } from '../words/notes.js';
import { failedThresholds } from '../words/scoreboard.js';
import { columnsOrBlocks, paint, type Style } from '../words/table.js';
import { answerOf } from './answer.js';
import { pairedTable, runsInWords } from './table.js';
import { machineInWords, missing, shapeInWords } from './words.js';

/** A paired comparison in the terminal: the answer, the targets, what did not run, how it was measured. */
export function renderPaired(comparison: Comparison, paired: Paired, scenario: Declaration, style: Style): string {
  const { title, aside, bad, doubtful } = paint(style);
  const { head, rows, legend } = pairedTable(paired, scenario);
  const [name = '', ...titles] = head;
  const ratios = ratioThresholdLines(comparison);
  const absent = missing(comparison, paired);
  const broken = failedThresholds(comparison.rows.flatMap((row) => row.runs.map(({ result }) => result)));
  const { voided, warned } = runsInWords(comparison);
  const notes = notesOf(comparison.rows.flatMap(({ runs }) => runs)[0]?.result, scenario);
  const width = Math.max(
    0,
    ...rows.map(([target = '']) => target.length),
    ...absent.map(({ target }) => target.length),
  );
  return [
    title(answerOf(paired, scenario).join(' ')),
    ...notes.map((text) => doubtful(text)),
    '',
    ...(rows.length > 0 ? [columnsOrBlocks(style.columns, [name.padEnd(width), ...titles], rows)] : []),
    ...absent.map(({ target, why }) => `${target.padEnd(width)}  ${aside(why)}`),
    ...(ratios.length > 0 ? ['', ...ratios] : []),
    ...(broken.length > 0 ? ['', bad('failed thresholds'), ...broken] : []),
    '',
    shapeInWords(comparison, paired, scenario),
    machineInWords(comparison, paired),
    ...(voided === '' ? [] : [doubtful(voided)]),
    ...[...legend, ...(warned === '' ? [] : [warned])].map((line) => aside(line)),
  ].join('\n');
}
