import { renderComparison } from '../../../render/comparison.js';
import { paint, type Style } from '../../../render/words/style.js';
import { columnsOrBlocks } from '../../../render/words/table.js';
import type { SuiteBook } from '../book.js';
import { baselinesInWords, endInWords, summaryHead, summaryOf } from './words.js';

/** A suite: the scoreboard of each entry, a line for each target of each entry, and how it ended. */
export function renderSuite({ suite, boards }: SuiteBook, style: Style): string {
  const paints = { ...paint(style), plain: (text: string): string => text };
  const scoreboards = boards.flatMap(({ name, comparison, scenario }) => {
    const of = name === scenario.name ? name : `${name} (${scenario.name})`;
    const times = `${comparison.repeat} ${comparison.repeat === 1 ? 'run' : 'interleaved runs'} of each target`;
    return [renderComparison(comparison, scenario, style, `${of}  ${times}`), ''];
  });
  const rows = summaryOf(suite).map((cells) => cells.map(([text, tone]) => paints[tone](text)));
  const baselines = baselinesInWords(suite).map((each) => paints.aside(each));
  const { text: end, tone: toneOfEnd } = endInWords(suite);
  return [
    ...scoreboards,
    paints.title(`suite ${suite.name}`),
    columnsOrBlocks(style.columns, summaryHead, rows, [0, 1, 2, 3, 4, 5]),
    ...(baselines.length > 0 ? ['', ...baselines] : []),
    '',
    paints[toneOfEnd](end),
  ].join('\n');
}
