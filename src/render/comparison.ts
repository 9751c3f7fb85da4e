import { stopReasons } from '../contract/stop-reasons.js';
import type { Declaration, HeadlineColumn } from '../measure/declaration.js';
import { partsIn } from '../measure/ledger.js';
import type { Comparison, ComparisonRow, HeadlineFigure } from '../results/comparison.js';
import type { RunResult } from '../results/result.js';
import { count, shareOf } from '../units/words.js';
import { isBest } from './best.js';
import { evidenceOf } from './evidence.js';
import { pairLines } from './pairs.js';
import { proofLines } from './proof.js';
import { atMost, isDoubtedCell } from './words/doubts.js';
import { milliseconds } from './words/figures.js';
import { legends } from './words/legends.js';
import { optionsInWords } from './words/options-in-words.js';
import { paint, type Style } from './words/style.js';
import { columnsOrColumnBlocks } from './words/table.js';
import { countInWords, titleInWords } from './words/values.js';
import { saidOf } from './words/verdict-words.js';

/**
 * The scoreboard: a row for each target, its figures with their intervals, verdicts and stop reasons in the row; then which targets differ by more
 * than the noise. Void runs give no figures.
 */
export function renderComparison(
  comparison: Comparison,
  scenario: Declaration,
  style: Style,
  heading: string = headingOf(comparison),
): string {
  const { title, aside, doubtful } = paint(style);
  const job = comparison.rows.flatMap((row) => row.runs)[0]?.result.job;
  const rows = comparison.rows.map((row) =>
    renderRow(row, scenario, (column) => isBest(column, row.target, comparison, scenario), style),
  );
  const titles = scenario.headline.map(titleInWords);
  const table = columnsOrColumnBlocks(style.columns, ['target', ...titles, 'verdict'], rows, [0, titles.length + 1]);
  const runs = comparison.rows.flatMap((row) => row.runs.map((run) => run.result));
  const legend = legends(comparison, scenario, bestMark);
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
    ...headed(title('what differs by more than the noise'), pairLines(scenario, comparison)),
    ...(legend.length > 0 ? ['', ...legend.map((line) => aside(line))] : []),
  ].join('\n');
}

const bestMark = '*';

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
  { headline }: Declaration,
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

/** What a row has in that column: the median with its interval or its spread, or of a share that of all runs together; a dash where there is nothing, and the mark of a doubt before what a run doubts. */
export function cell(column: HeadlineColumn, row: ComparisonRow): string {
  const { runs, figures } = row;
  const figure = figures.find((each) => each.column === column.title);
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
  const say = { clean: good, short: doubtful, limited: doubtful, void: bad };
  return (['clean', 'short', 'limited', 'void'] as const)
    .flatMap((rig) => {
      const runs = row.runs.filter((run) => saidOf(run.result) === rig);
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

function evidence(runs: readonly RunResult[], scenario: Declaration, style: Style): string[] {
  const lines = evidenceOf(runs, scenario).map(
    ({ target, rule, text }) => `${target}  ${rule === undefined ? '' : `${rule}: `}${text}`,
  );
  return headed(paint(style).doubtful('what speaks against these numbers'), lines);
}
