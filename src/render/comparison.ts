import { stopReasons } from '../contract/stop-reasons.js';
import type { Declaration, HeadlineColumn } from '../measure/declaration.js';
import type { Comparison, ComparisonRow, Pair, Proof } from '../results/comparison.js';
import type { Paired } from '../results/paired.js';
import { plural } from '../units/text.js';
import { answerOf } from './paired/answer.js';
import { pairedTable, runsInWords } from './paired/table.js';
import { machineInWords, missing, shapeInWords } from './paired/words.js';
import { ratioThresholdLines } from './ratio-thresholds.js';
import { notesOf } from './words/notes.js';
import { cell, evidenceOf, failedThresholds, isBest, legends, pairLines } from './words/scoreboard.js';
import { columnsOrBlocks, columnsOrColumnBlocks, paint, type Style } from './words/table.js';
import { optionsInWords, titleInWords } from './words/values.js';
import { bySaid, findingOf } from './words/verdict-words.js';

/** If noise could hide a change by this factor, the question stays open. */
export const openAbove = 1.25;

export function proofLines({ against, notTried }: Proof, style: Style): string[] {
  const { aside } = paint(style);
  const moved = against.filter(({ isBeyondNoise }) => isBeyondNoise);
  const held = against.filter(({ isBeyondNoise }) => !isBeyondNoise);
  return [
    `proof  ${summary(against, moved, style)}`,
    ...moved.map(sentence),
    ...held.map(sentence).map(aside),
    ...(against.length > 0 ? [aside('       95 % intervals, which hold all at once')] : []),
    ...notTried.map((why) => aside(`       not tried: ${why}`)),
  ];
}

function summary(against: readonly Pair[], moved: readonly Pair[], style: Style): string {
  const { good, doubtful, bad } = paint(style);
  if (moved.length > 0) return bad('MOVED with the rig: the rig limited these figures');
  const [widest] = against.toSorted((a, b) => hidden(b) - hidden(a));
  if (widest === undefined) return bad('OPEN: no figure could be compared with the base');
  const most = `the largest move that is not excluded is ${change(hidden(widest))}, of ${widest.column}`;
  return hidden(widest) <= openAbove
    ? good(`HELD: no figure moved with the rig; ${most}`)
    : doubtful(`OPEN: no figure moved beyond noise, but ${most}; repeat more often`);
}

function hidden({ interval: [low, high] }: Pair): number {
  return Math.max(high, 1 / low);
}

/** Formats a pair. Its ratio is base over variant, but the sentence shows the change from the base. */
function sentence({ column, a, b, ratio, interval: [low, high] }: Pair): string {
  return `       ${column}: ${change(1 / ratio)} [${change(1 / high)} to ${change(1 / low)}] from ${a} to ${b}`;
}

function change(times: number): string {
  const percent = (times - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

const bestMark = '*';

/**
 * Formats a comparison. A paired one shows its answer. Others show the scoreboard: differences beyond noise, a row for
 * each target, warnings and failed thresholds.
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

/** Formats a paired comparison for the terminal: the answer, the targets, missing targets, and the measurement. */
export function renderPaired(comparison: Comparison, paired: Paired, scenario: Declaration, style: Style): string {
  const { title, aside, bad, doubtful } = paint(style);
  const { head, rows, legend } = pairedTable(paired, scenario);
  const [name = '', ...titles] = head;
  const ratios = ratioThresholdLines(comparison);
  const absent = missing(comparison, paired);
  const broken = failedThresholds(comparison.rows.flatMap((row) => row.runs.map(({ result }) => result)));
  const { voided, warned } = runsInWords(comparison);
  const notes = notesOf(comparison.rows.flatMap(({ runs }) => runs)[0]?.result, scenario);
  const width = Math.max(
    0,
    ...rows.map(([target = '']) => target.length),
    ...absent.map(({ target }) => target.length),
  );
  return [
    title(answerOf(paired, scenario).join(' ')),
    ...notes.map((text) => doubtful(text)),
    '',
    ...(rows.length > 0 ? [columnsOrBlocks(style.columns, [name.padEnd(width), ...titles], rows)] : []),
    ...absent.map(({ target, why }) => `${target.padEnd(width)}  ${aside(why)}`),
    ...(ratios.length > 0 ? ['', ...ratios] : []),
    ...(broken.length > 0 ? ['', bad('failed thresholds'), ...broken] : []),
    '',
    shapeInWords(comparison, paired, scenario),
    machineInWords(comparison, paired),
    ...(voided === '' ? [] : [doubtful(voided)]),
    ...[...legend, ...(warned === '' ? [] : [warned])].map((line) => aside(line)),
  ].join('\n');
}
