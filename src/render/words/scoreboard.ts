import type { Declaration, HeadlineColumn } from '../../measure/declaration.js';
import { partsIn } from '../../measure/ledger.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { Comparison, ComparisonRow, HeadlineFigure, Pair } from '../../results/comparison.js';
import { directionOf, leastShare } from '../../results/figures.js';
import { holdsOf, type RunResult } from '../../results/result.js';
import { countText, plural, shareOf } from '../../units/text.js';
import { countInWords, milliseconds } from './values.js';
import { boundsInWords, headlineBounds, isBoundedCell, leastOfCell, withBound } from './verdict-words.js';

const validRuns = ({ runs }: Pick<ComparisonRow, 'runs'>): RunResult[] =>
  runs.flatMap(({ result }) => (result.verdict.rig === 'void' ? [] : [result]));

const inOrder = ({ a, b, ratio }: Pair): [lower: string, higher: string] => (ratio < 1 ? [a, b] : [b, a]);

function holds(column: HeadlineColumn, pair: Pair, rows: readonly ComparisonRow[], scenario: Declaration): boolean {
  const [a, b] = [pair.a, pair.b].map((name) => {
    const runs = rows.find(({ target }) => target === name)?.runs.map(({ result }) => result) ?? [];
    return leastShare(column, runs, scenario);
  }) as [number, number];
  const [low, high] = pair.interval;
  return pair.isBeyondNoise && (low * a > 1 || high < b);
}

/** Returns true if a target beats every other beyond noise, at both ends of brackets. */
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
  const orders = pairs
    .filter((pair) => pair.column === column.title && holds(column, pair, rows, scenario))
    .map(inOrder);
  return others.every((other) =>
    orders.some(([lower, higher]) => {
      const [better, worse] = direction === 'lower' ? [lower, higher] : [higher, lower];
      return better === target && worse === other.target;
    }),
  );
}

/** Returns the reason why no winner is declared, in a line. Empty if every target has enough valid runs. */
function whyNothingIsBest({ rows, repeat }: Comparison): string[] {
  const there = rows
    .filter(({ figures }) => figures.length > 0)
    .map((row) => ({ target: row.target, runs: validRuns(row).length }));
  const short = there.filter(({ runs }) => runs < minRuns);
  if (there.length < 2 || short.length === 0) return [];
  const advice = repeat < minRuns ? `; with --repeat ${minRuns} or more this can be decided` : '';
  if (there.every(({ runs }) => runs === 1)) return [`one run per target: no winner is declared${advice}`];
  const names = short.map(({ target, runs }) => `${target} (${runs})`).join(', ');
  return [`fewer than ${minRuns} valid runs, so no winner is declared: ${names}${advice}`];
}

/** Explains a scoreboard in lines. `bestMark` is the mark of the best figure. */
export function legends(comparison: Comparison, scenario: Declaration, bestMark: string): string[] {
  const { rows } = comparison;
  const has = (what: (column: HeadlineColumn, row: ComparisonRow) => boolean): boolean =>
    rows.some((row) => scenario.headline.some((column) => what(column, row)));
  const hasSpread = rows.some(({ figures }) =>
    figures.some(({ least, most, interval }) => interval !== null || least !== most),
  );
  const figures = rows.every(({ runs }) => runs.length <= 1)
    ? 'figures: one run [95 % interval of this part of it, over its broadcasts]'
    : 'figures: median of the runs [95 % interval over runs and broadcasts], or (smallest to largest)';
  return [
    ...(has((column, { target }) => isBest(column, target, comparison, scenario))
      ? [`${bestMark} better than every other target, beyond noise`]
      : []),
    ...whyNothingIsBest(comparison),
    ...(has(isBoundedCell) ? [boundsInWords] : []),
    ...(hasSpread ? [figures] : []),
  ];
}

/** Returns a line for each column: the lower target with its factor, and what noise or brackets hide. */
export function pairLines(scenario: Declaration, { pairs, rows }: Pick<Comparison, 'pairs' | 'rows'>): string[] {
  const { headline } = scenario;
  const width = Math.max(...headline.map(({ title }) => title.length));
  return headline.flatMap((column) => {
    const ofColumn = pairs.filter((each) => each.column === column.title);
    if (ofColumn.length === 0) return [];
    const isTold = (pair: Pair): boolean => holds(column, pair, rows, scenario);
    const open = ofColumn.filter((pair) => pair.isBeyondNoise && !isTold(pair));
    const lower = new Map<string, string[]>();
    for (const pair of ofColumn.filter(isTold)) {
      const [below, above] = inOrder(pair);
      const times = Math.max(pair.ratio, 1 / pair.ratio).toFixed(2);
      lower.set(below, [...(lower.get(below) ?? []), `${above} (${times}×)`]);
    }
    const told = [...lower]
      .sort(([, one], [, other]) => other.length - one.length)
      .map(([below, above]) => `${below} < ${above.join(', ')}`);
    const unranked = open.length > 0 ? [`the load generator may explain: ${grouped(open)}`] : [];
    return [`${column.title.padEnd(width)}  ${[...told, ...withinNoise(ofColumn), ...unranked].join(' · ')}`];
  });
}

function withinNoise(pairs: readonly Pair[]): string[] {
  const hidden = pairs.filter(({ isBeyondNoise }) => !isBeyondNoise);
  if (hidden.length === 0) return [];
  if (hidden.length > 1 && hidden.length === pairs.length) return ['all within noise'];
  return [`within noise: ${grouped(hidden)}`];
}

function grouped(pairs: readonly Pair[]): string {
  const groups = [...new Set(pairs.map(({ a }) => a))].map((one) => {
    const others = pairs.filter(({ a }) => a === one).map(({ b }) => b);
    return `${one} and ${others.join(', ')}`;
  });
  return groups.join('; ');
}

/** Returns the warnings of a comparison in lines, once for each target and rule or figure. */
export function warningsOf(runs: readonly RunResult[], scenario: Declaration): string[] {
  const lines = new Map<string, string>();
  const texts = new Set<string>();
  for (const run of runs) {
    const target = run.target.name;
    const say = (key: string, rule: string | undefined, text: string): void => {
      if (lines.has(`${target} ${key}`) || texts.has(`${target} ${text}`)) return;
      lines.set(`${target} ${key}`, `${target}  ${rule === undefined ? '' : `${rule}: `}${text}`);
      texts.add(`${target} ${text}`);
    };
    for (const { rule, text } of run.verdict.evidence) say(rule, rule, text);
    for (const { metric, figure, rule, text } of headlineBounds(run, scenario))
      say(`${rule ?? figure} ${metric}`, rule, text);
  }
  return [...lines.values()];
}

/** Formats a cell: the median with its interval or spread, the share over all valid runs, or a dash. */
export function cell(column: HeadlineColumn, row: ComparisonRow, scenario: Declaration): string {
  const figure = row.figures.find((each) => each.column === column.title);
  if (!figure) return '–';
  switch (column.kind) {
    case 'figure':
      return withBound(inCell(figure, milliseconds), leastOfCell(column, row, figure.median, scenario));
    case 'count':
      return inCell(figure, countInWords);
    case 'footprint':
      return inCell(figure, (bytes) => countText(Math.round(bytes)));
    case 'share': {
      // A median would hide the loss of a single run.
      const told = validRuns(row).flatMap(({ ledger }) => partsIn(ledger, column.part, column.whole) ?? []);
      const total = (name: 'part' | 'whole'): number => told.reduce((sum, each) => sum + each[name], 0);
      return shareOf(total('part'), total('whole'));
    }
  }
}

export function inCell(
  { median, least, most, interval }: Omit<HeadlineFigure, 'column'>,
  print: (value: number) => string,
): string {
  if (interval && interval[0] < interval[1]) return `${print(median)} [${print(interval[0])} to ${print(interval[1])}]`;
  return least === most ? print(median) : `${print(median)} (${print(least)} to ${print(most)})`;
}

/** Returns the thresholds that runs broke, a line each with the number of runs. */
export function failedThresholds(runs: readonly RunResult[]): string[] {
  const times = new Map<string, number>();
  for (const { target, thresholds } of runs) {
    for (const { text } of thresholds.filter((each) => holdsOf(each) === 'no')) {
      const key = `${target.name}  ${text}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
  }
  return [...times].map(([key, number]) => `✗ ${key}  (${plural(number, 'run')})`);
}
