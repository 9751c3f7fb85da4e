import { countText } from '../../../src/units/text.js';
import type { ComparisonAnswer, PairStatement, Reason } from './product.js';

/** Holds the columns of a table of cases. */
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
/** Below this count, a share depends on single repeats. */
const fewest = 100;

export function cellsOf(row: CaseRow): string[] {
  const cell = (name: CountName, text: (counted: Count) => string): string =>
    row.counts[name].of === 0 ? '–' : `${text(row.counts[name])}${marks[judgedIn(row, name)]}`;
  return [
    row.name,
    row.how,
    countText(row.repeats),
    cell('orders', wrongOf),
    cell('intervals', rightOf),
    cell('control', wrongOf),
    cell('told', rightOf),
    undecidedIn(row, cell('late', wrongOf)),
  ];
}

/** Formats a Markdown table with a line that gives its date and machine. */
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

/** Formats the open statements by reason, the commonest first. One that the case does not allow is marked. */
function undecidedIn(row: CaseRow, late: string): string {
  const { of } = row.counts.reasons;
  const reasons = Object.entries(row.undecided)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, times]) => `${percent(times / of)} ${reason}`);
  const text = reasons.length === 0 ? 'none' : reasons.join(', ');
  const ends = row.counts.late.wrong === 0 ? '' : `; late ${late}`;
  return `${text}${marks[judgedIn(row, 'reasons')]}${ends}`;
}

/** Describes the true ratio of two targets, uncertain only by the way between rig and target. */
export interface Truth {
  low: number;
  high: number;
  /** True if the two targets do not differ, whatever chance did to their figures. */
  isEqual: boolean;
}

/** Describes one comparison and its truth. */
export interface Repeat {
  /** Undefined without an answer. `lack` gives the reason. */
  answer: ComparisonAnswer | undefined;
  lack?: Reason;
  /** True if it ended after its time limit. */
  isLate?: boolean;
  truth(a: string, b: string): Truth;
}

/** Describes the expected answer of a case, and the rules to judge its repeats. */
export interface Expected {
  name: string;
  equalWithin: number;
  /** Pairs that the answer must distinguish. */
  told: readonly (readonly [string, string])[];
  /** True if the distinction of these pairs has a bound. */
  isToldPromised: boolean;
  /** Allowed reasons for open pairs. */
  undecided: readonly Reason[];
}

/** Counts the wrong ones among all. */
export interface Count {
  wrong: number;
  of: number;
  /** The pair that is counted, if it is the worst of several. */
  pair?: string;
}

/** Describes a row of the table: one case over all its repeats. */
export interface CaseRow {
  name: string;
  how: 'simulated' | 'measured';
  repeats: number;
  counts: Readonly<Record<CountName, Count>>;
  isToldPromised: boolean;
  /** Counts the open statements by reason. */
  undecided: Partial<Record<Reason, number>>;
}

/** Maps each kind of error to its maximum share of all repeats. */
export const bounds = {
  orders: { title: 'false orders', atMost: 0.05 },
  intervals: { title: 'intervals that miss the truth', atMost: 0.07 },
  control: { title: 'control alarms', atMost: 0.02 },
  told: { title: 'ratios of 1.2 not told apart', atMost: 0.05 },
  reasons: { title: 'statements undecided for a wrong reason', atMost: 0.05 },
  late: { title: 'late ends', atMost: 0.05 },
  none: { title: 'ends without an answer', atMost: 0 },
} as const;

export type CountName = keyof typeof bounds;

/**
 * Returns true if a statement is false. It is false if it orders equal targets, contradicts the truth, or calls targets
 * equal that are further apart than `equalWithin`. An open statement is never false.
 */
export function isFalse(
  { conclusion, ratio }: PairStatement,
  { low, high, isEqual }: Truth,
  equalWithin: number,
): boolean {
  if (conclusion === 'open') return false;
  const most = 1 + equalWithin;
  if (conclusion === 'equal') return low > most || high < 1 / most;
  return isEqual || (ratio > 1 ? high <= 1 : low >= 1);
}

/** Returns true if a printed interval misses the truth. */
export function misses([from, to]: readonly [number, number], { low, high }: Truth): boolean {
  // NaN, an unknown truth, is in no interval.
  return !(from <= high && to >= low);
}

/** Sums all repeats of a case in a row. Of several pairs, the worst one counts. */
export function tally(expected: Expected, how: CaseRow['how'], repeats: readonly Repeat[]): CaseRow {
  const { equalWithin, undecided: allowed } = expected;
  const answered = repeats.flatMap(({ answer, truth }) =>
    answer ? [{ ...answer, truths: answer.statements.map((said) => ({ said, truth: truth(said.a, said.b) })) }] : [],
  );
  const all = answered.flatMap(({ truths }) => truths);
  const reasons = [
    ...all.flatMap(({ said }) => (said.conclusion === 'open' ? (said.reason ?? 'chance') : [])),
    ...repeats.flatMap(({ answer, lack }) => (answer ? [] : (lack ?? 'no answer'))),
  ];
  const undecided: CaseRow['undecided'] = {};
  for (const reason of reasons) undecided[reason] = (undecided[reason] ?? 0) + 1;
  const byPair = new Map<string, Count>();
  for (const { said, truth } of all) {
    if (said.interval) add(byPair, `${said.a}/${said.b}`, misses(said.interval, truth));
  }
  const told = new Map<string, Count>();
  for (const [a, b] of expected.told)
    for (const { answer, truth } of repeats) add(told, `${a}/${b}`, !isTold(answer, a, b, truth(a, b)));
  const isWrongReason = (reason: Reason): boolean => !allowed.includes(reason);
  const alarms = answered.flatMap(({ hasAlarm }) => hasAlarm ?? []);
  const count = <T>(of: readonly T[], isWrong: (each: T) => boolean): Count => ({
    wrong: of.filter(isWrong).length,
    of: of.length,
  });
  return {
    ...{ name: expected.name, how, repeats: repeats.length, isToldPromised: expected.isToldPromised, undecided },
    counts: {
      orders: count(answered, ({ truths }) => truths.some(({ said, truth }) => isFalse(said, truth, equalWithin))),
      intervals: worst(byPair),
      control: count(alarms, Boolean),
      told: worst(told),
      reasons: { wrong: reasons.filter(isWrongReason).length, of: all.length + repeats.length - answered.length },
      late: count(
        repeats.flatMap(({ isLate }) => isLate ?? []),
        Boolean,
      ),
      none: count(repeats, ({ answer }) => answer === undefined),
    },
  };
}

function isTold(answer: ComparisonAnswer | undefined, a: string, b: string, truth: Truth): boolean {
  const said = answer?.statements.find((each) => [each.a, each.b].includes(a) && [each.a, each.b].includes(b));
  if (said?.conclusion !== 'apart') return false;
  return said.ratio > 1 === (said.a === a ? truth.low > 1 : truth.high < 1);
}

function add(counts: Map<string, Count>, name: string, isWrong: boolean): void {
  const { wrong, of } = counts.get(name) ?? { wrong: 0, of: 0 };
  counts.set(name, { wrong: wrong + (isWrong ? 1 : 0), of: of + 1 });
}

function worst(counts: ReadonlyMap<string, Count>): Count {
  const all = [...counts].map(([pair, count]): Count => ({ ...count, pair }));
  return all.reduce((most, each) => (shareOf(each) > shareOf(most) ? each : most), { wrong: 0, of: 0 });
}

function shareOf({ wrong, of }: Count): number {
  return of === 0 ? -1 : wrong / of;
}

/** A bound is broken if chance alone is unlikely to cause so many errors. `open` needs more repeats for a decision. */
export type Judgement = 'kept' | 'open' | 'broken';

const hardly = 0.01;

/** Judges a share by its bound. Without a count, no bound is broken. */
export function judged({ wrong, of }: Count, atMost: number): Judgement {
  if (of === 0 || wrong / of <= atMost) return 'kept';
  return atLeast(wrong, of, atMost) < hardly ? 'broken' : 'open';
}

/** Returns the probability of at least `wrong` errors in `of` trials with error rate `share` (binomial). */
export function atLeast(wrong: number, of: number, share: number): number {
  let [logExactly, below] = [of * Math.log1p(-share), 0];
  for (let each = 0; each < wrong; each++) {
    below += Math.exp(logExactly);
    logExactly += Math.log(((of - each) / (each + 1)) * (share / (1 - share)));
  }
  return Math.max(0, 1 - below);
}

/** Judges a bound of a row. The share of distinguished pairs has a bound only if `isToldPromised` is set. */
export function judgedIn({ counts, isToldPromised }: CaseRow, name: CountName): Judgement {
  return name === 'told' && !isToldPromised ? 'kept' : judged(counts[name], bounds[name].atMost);
}
