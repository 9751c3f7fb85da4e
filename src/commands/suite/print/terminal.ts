import { renderComparison } from '../../../render/comparison.js';
import { paint, type Style } from '../../../render/words/style.js';
import { columnsOrBlocks } from '../../../render/words/table.js';
import type { SuiteBook, SuiteOutcome, SuiteRow } from '../book.js';
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

/** A suite: the scoreboard of each entry, a line for each target of each entry, and how it ended. */
export function renderSuite({ suite, boards }: SuiteBook, style: Style): string {
  const { title, aside, good, bad, doubtful } = paint(style);
  const scoreboards = boards.map(({ name, comparison, scenario }) => {
    const of = name === scenario.name ? name : `${name} (${scenario.name})`;
    const times = `${comparison.repeat} ${comparison.repeat === 1 ? 'run' : 'interleaved runs'} of each target`;
    return renderComparison(comparison, scenario, style, `${of}  ${times}`);
  });
  const rows = suite.entries.flatMap((entry) => entry.rows.map((row) => line(entry, row, style)));
  const baselines = suite.entries.flatMap(baselineInWords).map((each) => aside(each));
  const sayEnd = suite.exit === 'clean' ? good : suite.exit === 'rig' ? doubtful : bad;
  return [
    ...scoreboards.flatMap((board) => [board, '']),
    title(`suite ${suite.name}`),
    columnsOrBlocks(style.columns, summaryHead, rows, [0, 1, 2, 3, 4, 5]),
    ...(baselines.length > 0 ? ['', ...baselines] : []),
    '',
    sayEnd(endInWords(suite)),
  ].join('\n');
}

function line({ name }: SuiteOutcome, row: SuiteRow, style: Style): string[] {
  const { aside, good, doubtful, bad } = paint(style);
  const { verdicts, promises, state } = row;
  const isBad = state === 'failed' || verdicts.void > 0;
  const sayVerdict = state === 'notAvailable' || row.runs === 0 ? aside : verdicts.limited > 0 ? doubtful : good;
  const plain = (text: string): string => text;
  return [
    name,
    row.target,
    (promises.broken.length > 0 ? bad : plain)(thresholdsInWords(row)),
    (row.stops.length > 0 ? bad : plain)(stopsInWords(row)),
    { same: plain, doubtful, worse: bad }[worsening(row)](changesInWords(row)),
    (isBad ? bad : sayVerdict)(verdictsInWords(row)),
  ];
}
