import { renderComparison } from '../../../render/comparison.js';
import { paint, type Style } from '../../../render/words/style.js';
import { columnsOrBlocks } from '../../../render/words/table.js';
import { doubtfulAgain, type SuiteOutcome, type SuiteRow } from '../book.js';
import type { SuiteBook } from './book.js';
import {
  changesInWords,
  endInWords,
  promisesInWords,
  stopsInWords,
  verdictsInWords,
  withDoubt,
  worseInWords,
} from './change.js';

const head = ['entry', 'target', 'promises', 'ended', 'change', 'verdict'];

/** A suite: the scoreboard of each entry, then a line for each target of each, and how it all ended. */
export function renderSuite({ suite, boards }: SuiteBook, style: Style): string {
  const { title, good, bad, doubtful } = paint(style);
  const scoreboards = boards.map(({ name, comparison, scenario }) => {
    const of = name === scenario.name ? name : `${name} (${scenario.name})`;
    const times = `${comparison.repeat} ${comparison.repeat === 1 ? 'run' : 'interleaved runs'} of each target`;
    return renderComparison(comparison, scenario, style, `${of}  ${times}`);
  });
  const rows = suite.entries.flatMap((entry) => entry.rows.map((row) => line(entry, row, style)));
  const sayEnd = suite.exit === 'clean' ? good : suite.exit === 'rig' ? doubtful : bad;
  return [
    ...scoreboards.flatMap((board) => [board, '']),
    title(`suite ${suite.name}`),
    columnsOrBlocks(style.columns, head, rows, [0, 1, 2, 3, 4, 5]),
    ...asides(suite.entries, style),
    '',
    sayEnd(endInWords(suite)),
  ].join('\n');
}

function line({ name }: SuiteOutcome, row: SuiteRow, style: Style): string[] {
  const { aside, good, doubtful, bad } = paint(style);
  const { verdicts, promises, state } = row;
  const isBad = state === 'failed' || verdicts.void > 0;
  const sayVerdict = state === 'notAvailable' || row.runs === 0 ? aside : verdicts.limited > 0 ? doubtful : good;
  return [
    name,
    row.target,
    (promises.broken.length > 0 ? bad : plain)(promisesInWords(row)),
    (row.stops.length > 0 ? bad : plain)(stopsInWords(row)),
    { same: plain, doubtful, worse: bad }[worseInWords(row)](changesInWords(row)),
    (isBad ? bad : sayVerdict)(verdictsInWords(row)),
  ];
}

const plain = (text: string): string => text;

/** What explains the changes: against what, why against nothing, what else differs, and what was worse before. */
function asides(entries: readonly SuiteOutcome[], style: Style): string[] {
  const { aside, bad, doubtful } = paint(style);
  const lines = entries.flatMap((entry) => {
    const { name, baseline, notHeld, differs, again } = entry;
    return [
      ...(baseline ? [aside(`${name}: held against ${baseline.directory} of ${baseline.startedAt}`)] : []),
      ...(notHeld === '' ? [] : [aside(`${name}: held against nothing: ${notHeld}`)]),
      ...differs.map((each) => aside(`${name}: differs beside: ${each}`)),
      ...again.map((each) => bad(`${name}: worse for the second time: ${each}`)),
      ...doubtfulAgain(entry).map((each) =>
        doubtful(`${name}: ${withDoubt(`worse again: ${each}`, { isDoubtful: true })}`),
      ),
    ];
  });
  return lines.length > 0 ? ['', ...lines] : [];
}
