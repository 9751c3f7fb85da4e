import { count } from '../../src/units/words.js';
import { type CaseRow, type Count, type CountName, judgedIn } from './tally.js';

/** The columns of a table of cases. */
export const head = [
  'case',
  'how',
  'repeats',
  'false orders',
  'interval holds',
  'control alarms',
  'told apart',
  'undecided',
];

const marks = { kept: '', open: ' (open)', broken: ' BROKEN' } as const;
/** Below so many a share is a matter of single ones. */
const fewest = 100;

/** The cells of a row, as texts. */
export function cellsOf(row: CaseRow): string[] {
  const cell = (name: CountName, text: (counted: Count) => string): string =>
    row.counts[name].of === 0 ? '–' : `${text(row.counts[name])}${marks[judgedIn(row, name)]}`;
  return [
    row.name,
    row.how,
    count(row.repeats),
    cell('orders', wrongOf),
    cell('intervals', rightOf),
    cell('control', wrongOf),
    cell('told', rightOf),
    undecidedIn(row, cell('late', wrongOf)),
  ];
}

/** A table in Markdown with a line that says when and where it was made. */
export function markdown(rows: readonly CaseRow[], madeAt: string, machine: string): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    ...[`${madeAt.slice(0, 10)}, ${machine}.`, ''],
    line(head),
    line(head.map(() => '---')),
    ...rows.map((row) => line(cellsOf(row))),
    '',
  ].join('\n');
}

function wrongOf({ wrong, of }: Count): string {
  return of < fewest ? `${wrong} of ${of}` : percent(wrong / of);
}

function rightOf({ wrong, of }: Count): string {
  return wrongOf({ wrong: of - wrong, of });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Of all statements, by reason, the commonest first; a reason that the case does not allow is marked. */
function undecidedIn(row: CaseRow, late: string): string {
  const { of } = row.counts.reasons;
  const reasons = Object.entries(row.undecided)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, times]) => `${percent(times / of)} ${reason}`);
  const text = reasons.length === 0 ? 'none' : reasons.join(', ');
  const ends = row.counts.late.wrong === 0 ? '' : `; late ${late}`;
  return `${text}${marks[judgedIn(row, 'reasons')]}${ends}`;
}
