import { paint, type Style } from '../../../render/words/style.js';
import { columns, columnsOrBlocks } from '../../../render/words/table.js';
import type { Reproduction } from '../reproduction.js';
import { asMeasured, asPublished, times } from './figure.js';
import { absent, caveatsOf, evidenceOf, fairness, orderLines, placeOf, sidesOf, verdictsOf } from './words.js';

/** Published figures beside measured ones: above them whether that is fair, and all that differs; below them the order of the targets. */
export function renderReproduction(reproduction: Reproduction, style: Style): string {
  const { table, ours } = reproduction;
  const { title, aside, doubtful } = paint(style);
  const list = (head: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', head, ...lines.map((line) => `  ${line}`)];
  return [
    title(`${table.id}  ${table.title}`),
    aside(placeOf(table)),
    '',
    ...fairness(reproduction).map((line) => doubtful(line)),
    '',
    columnsOrBlocks(style.columns, ['', 'published', 'here'], sidesOf(reproduction), [0, 1, 2]),
    ...list('not told there, ours', ours === '' ? [] : [ours]),
    ...list('defined otherwise', table.differs),
    ...list('to be read with care', caveatsOf(table)),
    '',
    figures(reproduction, style),
    ...list(doubtful('what speaks against these numbers'), evidenceOf(reproduction)),
    ...list(
      'no row',
      absent(reproduction).map(
        ({ target, state, why }) => `${target}: ${state === 'elsewhere' ? `no target here (${why})` : why}`,
      ),
    ),
    ...orders(reproduction, style),
  ].join('\n');
}

function figures(reproduction: Reproduction, style: Style): string {
  const { table, rows, targets } = reproduction;
  const gone = absent(reproduction).map(({ target }) => target);
  const shown = table.figures.flatMap((figure, index) => {
    const row = rows[index];
    const target = targets.find((each) => each.target === figure.target);
    if (!row || !target || gone.includes(figure.target)) return [];
    const cells = [figure.target, figure.metric, asPublished(figure), asMeasured(row, figure.unit), times(row.ratio)];
    return [[...cells, verdictsOf(target)]];
  });
  const head = ['target', 'figure', 'published', 'here', 'here over published', 'verdict'];
  return columnsOrBlocks(style.columns, head, shown, [0, 1, 5]);
}

function orders(reproduction: Reproduction, style: Style): string[] {
  const lines = orderLines(reproduction);
  if (lines.length === 0) return [];
  return ['', paint(style).title('how the targets lie to one another'), columns(['', ''], lines, [0, 1]).trimStart()];
}
