import type { HeadlineColumn, Scenario } from '../contract/catalog.js';
import type { Comparison, ComparisonRow } from '../contract/comparison.js';
import type { RunResult } from '../contract/result.js';
import { stopReasons } from '../contract/stop-reasons.js';
import { count, shareOf } from '../units/words.js';
import { milliseconds } from './figures.js';
import { optionsInWords } from './options-in-words.js';
import { paint, type Style } from './style.js';
import { columnsOrBlocks } from './table.js';

/** The scoreboard: a row for each target, median and range over the repeats, verdicts and stop reasons in the row. Void runs give no figures. */
export function renderComparison(comparison: Comparison, scenario: Scenario, style: Style): string {
  const { title, aside } = paint(style);
  const job = comparison.rows.flatMap((row) => row.runs)[0]?.result.job;
  const rows = comparison.rows.map((row) => renderRow(row, scenario, style));
  const titles = scenario.headline.map(({ title, kind }) => (kind === 'figure' ? `${title}, ms` : title));
  const table = columnsOrBlocks(style.columns, ['target', ...titles, 'verdict'], rows, [0, titles.length + 1]);
  const runs = comparison.rows.flatMap((row) => row.runs.map((run) => run.result));
  return [
    title(
      `${comparison.scenario}  ${plural(comparison.rows.length, 'target')}, ${plural(comparison.repeat, 'interleaved run')} each`,
    ),
    ...(job ? [optionsInWords(scenario, job.options)] : []),
    '',
    table,
    ...evidence(runs, style),
    ...(comparison.repeat > 1 ? ['', aside('each figure: median of the runs (smallest to largest)')] : []),
  ].join('\n');
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function renderRow(row: ComparisonRow, { headline }: Scenario, style: Style): string[] {
  const { aside, bad } = paint(style);
  const nothing = headline.map(() => '–');
  if (row.state === 'notAvailable') return [row.target, ...nothing, aside(`not available: ${row.why}`)];
  if (row.state === 'failed') return [row.target, ...nothing, bad(`failed: ${row.why}`)];
  const counted = row.runs.map((run) => run.result).filter((result) => result.verdict.rig !== 'void');
  return [row.target, ...headline.map((column) => cell(column, counted)), verdicts(row, style)];
}

function cell(column: HeadlineColumn, results: readonly RunResult[]): string {
  const entry = (result: RunResult, name: string): number => (result.ledger[name] as number | undefined) ?? 0;
  const total = (name: string): number => results.reduce((sum, result) => sum + entry(result, name), 0);
  switch (column.kind) {
    case 'figure':
      return medianAndRange(
        results.map((result) => result.metrics[column.metric]?.[column.figure]),
        milliseconds,
      );
    case 'count':
      return medianAndRange(
        results.map((result) => entry(result, column.entry)),
        count,
      );
    case 'share':
      return shareOf(total(column.part), total(column.whole));
    case 'footprint':
      return medianAndRange(
        results.map((result) => result.environment.footprint?.bytesPerConnection),
        (bytes) => count(Math.round(bytes)),
      );
  }
}

/** Of an even number the lower middle one: a figure that was measured. */
function medianAndRange(values: readonly (number | null | undefined)[], print: (value: number) => string): string {
  const sorted = values.filter((value): value is number => typeof value === 'number').sort((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  if (median === undefined || least === undefined || most === undefined) return '–';
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

/** What speaks against the runs, once for each target and rule. */
function evidence(runs: readonly RunResult[], style: Style): string[] {
  const said = new Map<string, string>();
  for (const { target, verdict } of runs) {
    for (const { rule, text } of verdict.evidence) {
      const key = `${target.name} ${rule}`;
      if (!said.has(key)) said.set(key, `${target.name}  ${rule}: ${text}`);
    }
  }
  if (said.size === 0) return [];
  return ['', paint(style).doubtful('what speaks against these numbers'), ...said.values()];
}
