import { paint, type Style } from '../../../render/words/style.js';
import { columns, columnsOrBlocks } from '../../../render/words/table.js';
import type { Reproduction } from '../reproduction.js';
import { fairness, figureHead, figureRows, notesOf, orderLines, placeOf, sidesOf } from './words.js';

/** Published figures beside measured ones: first what differs, last the order of the targets. */
export function renderReproduction(reproduction: Reproduction, style: Style): string {
  const { table } = reproduction;
  const { title, aside, doubtful } = paint(style);
  const { onSource, onRuns } = notesOf(reproduction);
  const note = ([heading, lines]: readonly [string, readonly string[]]): string[] =>
    lines.length === 0 ? [] : ['', heading, ...lines.map((line) => `  ${line}`)];
  const orders = orderLines(reproduction);
  return [
    title(`${table.id}  ${table.title}`),
    aside(placeOf(table)),
    '',
    ...fairness(reproduction).map((line) => doubtful(line)),
    '',
    columnsOrBlocks(style.columns, ['', 'published', 'here'], sidesOf(reproduction), [0, 1, 2]),
    ...onSource.flatMap(note),
    '',
    columnsOrBlocks(style.columns, figureHead, figureRows(reproduction), [0, 1, 5]),
    ...onRuns.flatMap(note),
    ...(orders.length > 0 ? ['', title('order of the targets'), columns(['', ''], orders, [0, 1]).trimStart()] : []),
  ].join('\n');
}
