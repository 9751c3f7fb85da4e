import { paint, type Style } from '../../../render/words/style.js';
import { columns, columnsOrBlocks } from '../../../render/words/table.js';
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

/** Published figures beside measured ones: first what differs, last the order of the targets. */
export function renderReproduction(reproduction: Reproduction, style: Style): string {
  const { table, ours } = reproduction;
  const { title, aside, doubtful } = paint(style);
  const list = (head: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', head, ...lines.map((line) => `  ${line}`)];
  const orders = orderLines(reproduction);
  return [
    title(`${table.id}  ${table.title}`),
    aside(placeOf(table)),
    '',
    ...fairness(reproduction).map((line) => doubtful(line)),
    '',
    columnsOrBlocks(style.columns, ['', 'published', 'here'], sidesOf(reproduction), [0, 1, 2]),
    ...list('options that the source does not state', ours === '' ? [] : [ours]),
    ...list('defined differently', table.differs),
    ...list('read with care', caveatsOf(table)),
    '',
    columnsOrBlocks(style.columns, figureHead, figureRows(reproduction), [0, 1, 5]),
    ...list(doubtful('evidence against these numbers'), evidenceOf(reproduction)),
    ...list('without a row', absentInWords(reproduction)),
    ...(orders.length > 0 ? ['', title('order of the targets'), columns(['', ''], orders, [0, 1]).trimStart()] : []),
  ].join('\n');
}
