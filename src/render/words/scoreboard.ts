import type { Declaration, HeadlineColumn } from '../../measure/declaration.js';
import { partsIn } from '../../measure/ledger.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { Comparison, ComparisonRow, HeadlineFigure, Pair } from '../../results/comparison.js';
import { directionOf } from '../../results/figures.js';
import type { RunResult } from '../../results/result.js';
import { count, plural, shareOf } from '../../units/words.js';
import { milliseconds } from './figures.js';
import { countInWords } from './values.js';
import { atMost, atMostInWords, headlineDoubts, isDoubtedCell } from './verdict-words.js';

const validRuns = ({ runs }: Pick<ComparisonRow, 'runs'>): RunResult[] =>
  runs.flatMap(({ result }) => (result.verdict.rig === 'void' ? [] : [result]));

const inOrder = ({ a, b, ratio }: Pair): [lower: string, higher: string] => (ratio < 1 ? [a, b] : [b, a]);

/** Whether a target beats every other beyond noise. Forced shapes, rigs and doubted figures have no best. */
export function isBest(
  column: HeadlineColumn,
  target: string,
  { rows, pairs, forced, proof }: Comparison,
  scenario: Declaration,
): boolean {
  const direction = directionOf(column, scenario);
  const there = rows.filter((row) => row.figures.some((figure) => figure.column === column.title));
  const others = there.filter((row) => row.target !== target);
  if (direction === 'neither' || others.length === 0 || forced !== '' || proof !== null) return false;
  if (there.some((row) => isDoubtedCell(column, row))) return false;
  const orders = pairs.filter((pair) => pair.column === column.title && pair.isBeyondNoise).map(inOrder);
  return others.every((other) =>
    orders.some(([lower, higher]) => {
      const [better, worse] = direction === 'lower' ? [lower, higher] : [higher, lower];
      return better === target && worse === other.target;
    }),
  );
}

/** Why no winner is declared, in a line; none if every target has enough valid runs. */
function whyNothingIsBest({ rows, repeat }: Comparison): string[] {
  const there = rows
    .filter(({ figures }) => figures.length > 0)
    .map((row) => ({ target: row.target, runs: validRuns(row).length }));
  const short = there.filter(({ runs }) => runs < minRuns);
  if (there.length < 2 || short.length === 0) return [];
  const advice = repeat < minRuns ? `; --repeat ${minRuns} measures the noise between runs` : '';
  if (there.every(({ runs }) => runs === 1)) return [`one run per target: no winner is declared${advice}`];
  const names = short.map(({ target, runs }) => `${target} (${runs})`).join(', ');
  return [`fewer than ${minRuns} valid runs, so no winner is declared: ${names}${advice}`];
}

/** What a scoreboard does not say by itself, in lines. `bestMark` stands at the best figure. */
export function legends(comparison: Comparison, scenario: Declaration, bestMark: string): string[] {
  const { rows } = comparison;
  const has = (what: (column: HeadlineColumn, row: ComparisonRow) => boolean): boolean =>
    rows.some((row) => scenario.headline.some((column) => what(column, row)));
  const hasSpread = rows.some(({ figures }) =>
    figures.some(({ least, most, interval }) => interval !== null || least !== most),
  );
  const figures = rows.every(({ runs }) => runs.length <= 1)
    ? 'figures: one run [95 % interval over its broadcasts]'
    : 'figures: median of the runs [95 % interval over runs and broadcasts], or (smallest to largest)';
  return [
    ...(has((column, { target }) => isBest(column, target, comparison, scenario))
      ? [`${bestMark} better than every other target, beyond noise`]
      : []),
    ...whyNothingIsBest(comparison),
    ...(has(isDoubtedCell) ? [atMostInWords] : []),
    ...(hasSpread ? [figures] : []),
  ];
}

/** For each column a line: which target is lower and how many times, and what noise or a doubt hides. */
export function pairLines({ headline }: Declaration, { pairs, rows }: Pick<Comparison, 'pairs' | 'rows'>): string[] {
  const width = Math.max(...headline.map(({ title }) => title.length));
  return headline.flatMap((column) => {
    const all = pairs.filter((each) => each.column === column.title);
    if (all.length === 0) return [];
    const doubted = rows.filter((row) => isDoubtedCell(column, row)).map(({ target }) => target);
    const ofColumn = all.filter(({ a, b }) => !doubted.includes(a) && !doubted.includes(b));
    const lower = new Map<string, string[]>();
    for (const pair of ofColumn.filter(({ isBeyondNoise }) => isBeyondNoise)) {
      const [below, above] = inOrder(pair);
      const times = Math.max(pair.ratio, 1 / pair.ratio).toFixed(2);
      lower.set(below, [...(lower.get(below) ?? []), `${above} (${times}×)`]);
    }
    const told = [...lower]
      .sort(([, one], [, other]) => other.length - one.length)
      .map(([below, above]) => `${below} < ${above.join(', ')}`);
    const unranked = doubted.length > 0 ? [`not ranked, the rig may have added to it: ${doubted.join(', ')}`] : [];
    return [`${column.title.padEnd(width)}  ${[...told, ...withinNoise(ofColumn), ...unranked].join(' · ')}`];
  });
}

function withinNoise(pairs: readonly Pair[]): string[] {
  const hidden = pairs.filter(({ isBeyondNoise }) => !isBeyondNoise);
  if (hidden.length === 0) return [];
  if (hidden.length > 1 && hidden.length === pairs.length) return ['all within noise'];
  const groups = [...new Set(hidden.map(({ a }) => a))].map((one) => {
    const others = hidden.filter(({ a }) => a === one).map(({ b }) => b);
    return `${one} and ${others.join(', ')}`;
  });
  return [`within noise: ${groups.join('; ')}`];
}

/** A warning about a target's figures: a rule of the verdict, or a doubt (no rule). */
export interface Evidence {
  target: string;
  rule: string | undefined;
  text: string;
}

/** The warnings of a comparison, once for each target and rule or figure. */
export function evidenceOf(runs: readonly RunResult[], scenario: Declaration): Evidence[] {
  const said = new Map<string, Evidence>();
  const say = (key: string, each: Evidence): void => {
    const own = `${each.target} ${key}`;
    const isSaid = [...said.values()].some(({ target, text }) => target === each.target && text === each.text);
    if (!said.has(own) && !isSaid) said.set(own, each);
  };
  for (const run of runs) {
    const target = run.target.name;
    for (const { rule, text } of run.verdict.evidence) say(rule, { target, rule, text });
    for (const { metric, figure, text } of headlineDoubts(run, scenario))
      say(`${metric} ${figure}`, { target, rule: undefined, text });
  }
  return [...said.values()];
}

/** A cell: the median with its interval or spread, the share over all valid runs, or a dash. */
export function cell(column: HeadlineColumn, row: ComparisonRow): string {
  const figure = row.figures.find((each) => each.column === column.title);
  if (!figure) return '–';
  switch (column.kind) {
    case 'figure':
      return (isDoubtedCell(column, row) ? atMost : '') + inCell(figure, milliseconds);
    case 'count':
      return inCell(figure, countInWords);
    case 'footprint':
      return inCell(figure, (bytes) => count(Math.round(bytes)));
    case 'share': {
      // A median would hide what a single run has lost.
      const told = validRuns(row).flatMap(({ ledger }) => partsIn(ledger, column.part, column.whole) ?? []);
      const total = (name: 'part' | 'whole'): number => told.reduce((sum, each) => sum + each[name], 0);
      return shareOf(total('part'), total('whole'));
    }
  }
}

/** A median with its interval, or else its spread over the runs. */
export function inCell(
  { median, least, most, interval }: Omit<HeadlineFigure, 'column'>,
  print: (value: number) => string,
): string {
  if (interval && interval[0] < interval[1]) return `${print(median)} [${print(interval[0])} to ${print(interval[1])}]`;
  return least === most ? print(median) : `${print(median)} (${print(least)} to ${print(most)})`;
}

/** Thresholds that runs broke, a line each with the number of runs. */
export function failedThresholds(runs: readonly RunResult[]): string[] {
  const times = new Map<string, number>();
  for (const { target, thresholds } of runs) {
    for (const { text } of thresholds.filter(({ isKept }) => !isKept)) {
      const key = `${target.name}  ${text}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
  }
  return [...times].map(([key, number]) => `✗ ${key}  (${plural(number, 'run')})`);
}
