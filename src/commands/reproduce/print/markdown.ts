import { code, inline, list, table as tableOf } from '../../../render/exports/markdown-parts.js';
import type { Reproduction } from '../reproduction.js';
import { asMeasured, asPublished, times } from './figure.js';
import { absent, caveatsOf, evidenceOf, fairness, orderLines, placeOf, sidesOf, verdictsOf } from './words.js';

/** The same as on the terminal, for a page that reads Markdown. */
export function reproductionMarkdown(reproduction: Reproduction): string {
  const { table, rows, targets, ours } = reproduction;
  const gone = absent(reproduction);
  const figures = table.figures.flatMap((figure, index) => {
    const row = rows[index];
    const target = targets.find((each) => each.target === figure.target);
    if (!row || !target || gone.includes(target)) return [];
    const cells = [figure.target, figure.metric, asPublished(figure), asMeasured(row, figure.unit), times(row.ratio)];
    return [[...cells, verdictsOf(target)].map(inline)];
  });
  const notes = [
    ...evidenceOf(reproduction).map((text) => `against the numbers of ${text}`),
    ...gone.map(({ target, why }) => `no row of ${target}: ${why}`),
    ...(ours === '' ? [] : [`not told there, ours: ${ours}`]),
    ...table.differs.map((text) => `defined otherwise: ${text}`),
    ...caveatsOf(table).map((text) => `to be read with care: ${text}`),
  ];
  return [
    `### ${inline(table.title)}`,
    `${code(table.id)} · ${inline(placeOf(table))}`,
    fairness(reproduction).map(inline).join('\n'),
    tableOf(['target', 'figure', 'published', 'here', 'here over published', 'verdict'], figures, [0, 1, 5]),
    list(orderLines(reproduction).map(([metric, text]) => `${inline(metric)}, ${inline(text)}`)),
    tableOf(
      ['', 'published', 'here'],
      sidesOf(reproduction).map((side) => side.map(inline)),
      [0, 1, 2],
    ),
    list(notes.map(inline)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
