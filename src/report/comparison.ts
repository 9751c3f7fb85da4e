import type { HeadlineColumn, Scenario } from '../contract/catalog.js';
import type { Comparison, ComparisonRow, HeadlineFigure } from '../contract/comparison.js';
import type { RunResult } from '../contract/result.js';
import { stopReasons } from '../contract/stop-reasons.js';
import { partsIn } from '../measure/ledger.js';
import { count, shareOf } from '../units/words.js';
import { isBest, whyNothingIsBest } from './best.js';
import { headlineDoubts } from './doubts.js';
import { milliseconds } from './figures.js';
import { optionsInWords } from './options-in-words.js';
import { pairLines } from './pairs.js';
import { proofLines } from './proof.js';
import { paint, type Style } from './style.js';
import { columnsOrColumnBlocks } from './table.js';
import { countInWords, titleInWords } from './values.js';

/**
 * The scoreboard: a row for each target, its figures with their intervals, verdicts and stop reasons in the row; then which targets differ by more
 * than the noise. Void runs give no figures.
 */
export function renderComparison(
  comparison: Comparison,
  scenario: Scenario,
  style: Style,
  heading: string = headingOf(comparison),
): string {
  const { title, aside, doubtful } = paint(style);
  const job = comparison.rows.flatMap((row) => row.runs)[0]?.result.job;
  const marked = new Set<ComparisonRow>();
  const rows = comparison.rows.map((row) => {
    const mark = (column: HeadlineColumn): boolean => isBest(column, row.target, comparison, scenario);
    if (scenario.headline.some(mark)) marked.add(row);
    return renderRow(row, scenario, mark, style);
  });
  const titles = scenario.headline.map(titleInWords);
  const table = columnsOrColumnBlocks(style.columns, ['target', ...titles, 'verdict'], rows, [0, titles.length + 1]);
  const runs = comparison.rows.flatMap((row) => row.runs.map((run) => run.result));
  return [
    title(heading),
    ...(job ? [optionsInWords(scenario, job.options)] : []),
    ...(job ? (scenario.notes?.(job.options) ?? []) : []).map((text) => doubtful(text)),
    ...(comparison.proof ? proofLines(comparison.proof, style) : []),
    ...(comparison.forced === '' ? [] : [doubtful(`these runs are of different shapes: ${comparison.forced}`)]),
    '',
    table,
    ...evidence(runs, scenario, style),
    ...broken(runs, style),
    ...headed(title('what differs by more than the noise'), pairLines(scenario, comparison.pairs)),
    ...legends(comparison, marked.size > 0).map((line) => aside(line)),
  ].join('\n');
}

/** What the table does not say of itself. */
function legends(comparison: Comparison, isMarked: boolean): string[] {
  const lines = [
    ...(isMarked ? [`${bestMark} better than every other by more than the noise`] : []),
    ...whyNothingIsBest(comparison),
    ...(hasSpread(comparison) ? [figureLegend(comparison)] : []),
  ];
  return lines.length > 0 ? ['', ...lines] : [];
}

const bestMark = '*';

function figureLegend({ rows }: Comparison): string {
  return rows.every(({ runs }) => runs.length <= 1)
    ? 'each figure: its one run [95 % interval over its broadcasts]'
    : 'each figure: median of the runs [95 % interval over runs and their broadcasts], or (smallest to largest)';
}

function hasSpread({ rows }: Comparison): boolean {
  return rows.some(({ figures }) => figures.some(({ least, most, interval }) => interval !== null || least !== most));
}

function headed(head: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? ['', head, ...lines] : [];
}

function headingOf({ scenario, repeat, rows, proof }: Comparison): string {
  const bases = proof?.variants.filter(({ isBase }) => isBase).length ?? rows.length;
  const rigs = proof ? ` on ${rows.length / bases} rigs` : '';
  return `${scenario}  ${plural(bases, 'target')}${rigs}, ${plural(repeat, 'interleaved run')} each`;
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function renderRow(
  row: ComparisonRow,
  { headline }: Scenario,
  mark: (column: HeadlineColumn) => boolean,
  style: Style,
): string[] {
  const { aside, bad, good } = paint(style);
  const nothing = headline.map(() => '–');
  if (row.state === 'notAvailable') return [row.target, ...nothing, aside(`not available: ${row.why}`)];
  const why = row.state === 'failed' ? bad(`failed: ${row.why}`) : '';
  if (row.runs.length === 0 && why !== '') return [row.target, ...nothing, why];
  const ended = [verdicts(row, style), ...(why === '' ? [] : [why])].join(', ');
  const told = headline.map((column) => (mark(column) ? good(`${bestMark} ${cell(column, row)}`) : cell(column, row)));
  return [row.target, ...told, ended];
}

/** What a row has in that column: the median with its interval or its spread, or of a share that of all runs together; a dash where there is nothing. */
export function cell(column: HeadlineColumn, { runs, figures }: ComparisonRow): string {
  const figure = figures.find((each) => each.column === column.title);
  if (!figure) return '–';
  switch (column.kind) {
    case 'figure':
      return inCell(figure, milliseconds);
    case 'count':
      return inCell(figure, countInWords);
    case 'footprint':
      return inCell(figure, (bytes) => count(Math.round(bytes)));
    case 'share': {
      // A median would hide what a single run has lost.
      const counted = runs.filter(({ result }) => result.verdict.rig !== 'void');
      const told = counted.flatMap(({ result }) => partsIn(result.ledger, column.part, column.whole) ?? []);
      const total = (name: 'part' | 'whole'): number => told.reduce((sum, each) => sum + each[name], 0);
      return shareOf(total('part'), total('whole'));
    }
  }
}

/** A median with its interval, or else with its spread over the runs. */
export function inCell(
  { median, least, most, interval }: Omit<HeadlineFigure, 'column'>,
  print: (value: number) => string,
): string {
  if (interval && interval[0] < interval[1]) return `${print(median)} [${print(interval[0])} to ${print(interval[1])}]`;
  return least === most ? print(median) : `${print(median)} (${print(least)} to ${print(most)})`;
}

function verdicts(row: ComparisonRow, style: Style): string {
  const { aside, good, doubtful, bad } = paint(style);
  if (row.runs.length === 0) return aside('not run');
  const say = { clean: good, limited: doubtful, void: bad };
  return (['clean', 'limited', 'void'] as const)
    .flatMap((rig) => {
      const runs = row.runs.filter((run) => run.result.verdict.rig === rig);
      if (runs.length === 0) return [];
      const stops = new Set(runs.map((run) => run.result.stop.code).filter((code) => code !== 'completed'));
      const why = [...stops].map((code) => stopReasons[code].title).join(', ');
      return [say[rig](`${row.runs.length > 1 ? `${runs.length} ` : ''}${rig}${why === '' ? '' : ` (${why})`}`)];
    })
    .join(', ');
}

/** Every promise that a run broke, with how many of the target's runs did. */
function broken(runs: readonly RunResult[], style: Style): string[] {
  const times = new Map<string, number>();
  for (const { target, thresholds } of runs) {
    for (const { text } of thresholds.filter(({ isKept }) => !isKept)) {
      const key = `${target.name}  ${text}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
  }
  const lines = [...times].map(([key, number]) => `✗ ${key}  (${plural(number, 'run')})`);
  return headed(paint(style).bad('broken promises'), lines);
}

/** What speaks against the runs, once for each target and rule, or figure of the table. */
function evidence(runs: readonly RunResult[], scenario: Scenario, style: Style): string[] {
  const said = new Map<string, string>();
  for (const run of runs) {
    const { target, verdict } = run;
    for (const { rule, text } of verdict.evidence) {
      const key = `${target.name} ${rule}`;
      if (!said.has(key)) said.set(key, `${target.name}  ${rule}: ${text}`);
    }
    for (const { metric, figure, text } of headlineDoubts(run, scenario)) {
      const key = `${target.name} ${metric} ${figure}`;
      if (!said.has(key)) said.set(key, `${target.name}  ${text}`);
    }
  }
  if (said.size === 0) return [];
  return ['', paint(style).doubtful('what speaks against these numbers'), ...said.values()];
}
