import { stopReasons } from '../contract/stop-reasons.js';
import type { Declaration, HeadlineColumn } from '../measure/declaration.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import { plural } from '../units/text.js';
import { renderPaired } from './paired/terminal.js';
import { proofLines } from './proof.js';
import { ratioThresholdLines } from './ratio-thresholds.js';
import { notesOf } from './words/notes.js';
import { cell, evidenceOf, failedThresholds, isBest, legends, pairLines } from './words/scoreboard.js';
import { columnsOrColumnBlocks, paint, type Style } from './words/table.js';
import { optionsInWords, titleInWords } from './words/values.js';
import { bySaid, findingOf } from './words/verdict-words.js';

const bestMark = '*';

/**
 * The answer of a paired comparison; otherwise the scoreboard: what differs beyond noise, then a row for each target,
 * then warnings and failed thresholds.
 */
export function renderComparison(
  comparison: Comparison,
  scenario: Declaration,
  style: Style,
  heading: string = headingOf(comparison),
): string {
  if (comparison.paired) return renderPaired(comparison, comparison.paired, scenario, style);
  const { title, aside, bad, doubtful } = paint(style);
  const runs = comparison.rows.flatMap((row) => row.runs.map((run) => run.result));
  const options = runs[0]?.job.options;
  const rows = comparison.rows.map((row) =>
    renderRow(row, scenario, (column) => isBest(column, row.target, comparison, scenario), style),
  );
  const titles = scenario.headline.map(titleInWords);
  const findings = runs.flatMap((run) => findingOf(run, scenario).map((text) => `${run.target.name}  ${text}`));
  const warnings = evidenceOf(runs, scenario).map(
    ({ target, rule, text }) => `${target}  ${rule === undefined ? '' : `${rule}: `}${text}`,
  );
  return [
    title(heading),
    ...(options ? [optionsInWords(scenario, options)] : []),
    ...notesOf(runs[0], scenario).map((text) => doubtful(text)),
    ...(comparison.proof ? proofLines(comparison.proof, style) : []),
    ...(comparison.forced === '' ? [] : [doubtful(`these runs have different shapes: ${comparison.forced}`)]),
    ...headed(title('ratios'), ratioThresholdLines(comparison)),
    ...headed(title('differences beyond noise'), pairLines(scenario, comparison)),
    '',
    columnsOrColumnBlocks(style.columns, ['target', ...titles, 'verdict'], rows, [0, titles.length + 1]),
    ...headed(title('findings'), findings),
    ...headed(doubtful('warnings'), warnings),
    ...headed(bad('failed thresholds'), failedThresholds(runs)),
    ...headed('', legends(comparison, scenario, bestMark).map(aside)).slice(1),
  ].join('\n');
}

function headed(head: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? ['', head, ...lines] : [];
}

function headingOf({ scenario, repeat, rows, proof }: Comparison): string {
  const bases = proof?.variants.filter(({ isBase }) => isBase).length ?? rows.length;
  const rigs = proof ? ` on ${rows.length / bases} rigs` : '';
  return `${scenario}  ${plural(bases, 'target')}${rigs}, ${plural(repeat, 'interleaved run')} each`;
}

function renderRow(
  row: ComparisonRow,
  scenario: Declaration,
  isMarked: (column: HeadlineColumn) => boolean,
  style: Style,
): string[] {
  const { aside, bad, good } = paint(style);
  const { headline } = scenario;
  const nothing = headline.map(() => '–');
  if (row.state === 'notAvailable') return [row.target, ...nothing, aside(`not available: ${row.why}`)];
  const failed = row.state === 'failed' ? [bad(`failed: ${row.why}`)] : [];
  if (row.runs.length === 0) return [row.target, ...nothing, failed[0] ?? aside('not run')];
  const cells = headline.map((column) => {
    const text = cell(column, row, scenario);
    return isMarked(column) ? good(`${bestMark} ${text}`) : text;
  });
  return [row.target, ...cells, [verdicts(row, scenario, style), ...failed].join(', ')];
}

function verdicts(row: ComparisonRow, scenario: Declaration, style: Style): string {
  const { good, doubtful, bad } = paint(style);
  const say = { clean: good, starved: doubtful, short: doubtful, limited: doubtful, void: bad };
  const results = row.runs.map(({ result }) => result);
  return bySaid(results, scenario)
    .map(({ said, runs }) => {
      const stops = new Set(runs.map(({ stop }) => stop.code).filter((code) => code !== 'completed'));
      const why = [...stops].map((code) => stopReasons[code].title).join(', ');
      return say[said](`${results.length > 1 ? `${runs.length} ` : ''}${said}${why === '' ? '' : ` (${why})`}`);
    })
    .join(', ');
}
