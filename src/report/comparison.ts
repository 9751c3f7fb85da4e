import type { Scenario } from '../contract/catalog.js';
import type { Comparison, ComparisonRow } from '../contract/comparison.js';
import type { RunResult } from '../contract/result.js';
import { stopReasons } from '../contract/stop-reasons.js';
import { deliveredShare, milliseconds } from './figures.js';
import { optionsInWords } from './options-in-words.js';
import { paint, type Style } from './style.js';
import { columns } from './table.js';

type Column = { title: string; read(result: RunResult): number | null | undefined };

const figures: readonly Column[] = [
  { title: 'p50', read: (result) => result.metrics.delivery?.p50 },
  { title: 'p99', read: (result) => result.metrics.delivery?.p99 },
  { title: 'max', read: (result) => result.metrics.delivery?.max },
  { title: 'p99 from intended', read: (result) => result.metrics.deliveryFromIntended?.p99 },
  { title: 'publish ack p50', read: (result) => result.metrics.publishAck?.p50 },
];

/** The scoreboard: a row for each target, median and range over the repeats, verdicts and stop reasons in the row. Void runs give no figures. */
export function renderComparison(comparison: Comparison, scenario: Scenario, style: Style): string {
  const { title, aside } = paint(style);
  const job = comparison.rows.flatMap((row) => row.runs)[0]?.result.job;
  const rows = comparison.rows.map((row) => renderRow(row, style));
  const table = columns(['delivery, ms', ...figures.map((figure) => figure.title), 'delivered', 'verdict'], rows, [
    0,
    figures.length + 2,
  ]);
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

function renderRow(row: ComparisonRow, style: Style): string[] {
  const { aside, bad } = paint(style);
  const nothing = figures.map(() => '–');
  if (row.state === 'notAvailable') return [row.target, ...nothing, '–', aside(`not available: ${row.why}`)];
  if (row.state === 'failed') return [row.target, ...nothing, '–', bad(`failed: ${row.why}`)];
  const counted = row.runs.map((run) => run.result).filter((result) => result.verdict.rig !== 'void');
  const delivered = counted.reduce((sum, result) => sum + (result.ledger.delivered ?? 0), 0);
  const expected = counted.reduce((sum, result) => sum + (result.ledger.expected ?? 0), 0);
  return [
    row.target,
    ...figures.map((figure) => medianAndRange(counted.map(figure.read))),
    deliveredShare(delivered, expected),
    verdicts(row, style),
  ];
}

function medianAndRange(values: readonly (number | null | undefined)[]): string {
  const sorted = values.filter((value): value is number => typeof value === 'number').sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  if (median === undefined) return '–';
  if (sorted.length === 1) return milliseconds(median);
  return `${milliseconds(median)} (${milliseconds(sorted[0])} to ${milliseconds(sorted.at(-1))})`;
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
