import { stripVTControlCharacters } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { optionsInWords } from '../../render/words/options-in-words.js';
import { paint, type Style } from '../../render/words/style.js';
import { columns, columnsOrBlocks } from '../../render/words/table.js';
import { titleInWords, valueInWords } from '../../render/words/values.js';
import { scenarioByName } from '../../run/catalog.js';
import type { History, HistoryLine, HistoryPoint } from './history.js';

/** A figure over kept runs for the terminal: for each target and shape its course in one line, then run by run with interval, verdict and bar. */
export function renderHistory({ metric, lines }: History, style: Style): string {
  return lines.map((line) => renderLine(metric, line, style)).join('\n\n');
}

/** The same as CSV, a row for each run, in the figure's own unit. */
export function historyCsv({ metric, lines }: History): string {
  const head = ['scenario', 'target', 'fingerprint', 'metric', 'unit', 'startedAt', 'value', 'low', 'high', 'verdict'];
  const rows = lines.flatMap(({ scenario, target, fingerprint, unit, points }) =>
    points.map(({ startedAt, value, interval, rig, directory }) => [
      scenario,
      target,
      fingerprint,
      metric,
      unit,
      startedAt,
      value,
      ...(interval ?? [null, null]),
      rig,
      directory,
    ]),
  );
  return stringify([[...head, 'directory'], ...rows]);
}

const barColumns = 24;
/** A bar shorter than this shows nothing. */
const leastBarColumns = 8;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

function renderLine(metric: string, line: HistoryLine, style: Style): string {
  const { title, aside, doubtful } = paint(style);
  const { scenario, target, fingerprint, kind, better, client, points } = line;
  const values = believed(points);
  const say = (value: number | null): string => valueInWords(kind, value);
  const most = Math.max(0, ...values);
  const rows = points.map((point) => [
    dateOf(point),
    say(point.value),
    point.interval ? `${say(point.interval[0])} to ${say(point.interval[1])}` : '',
    markOf(point, style),
  ]);
  const head = ['started', titleInWords({ title: metric, kind }), '95 %', 'verdict'];
  const alignLeft = [0, 3];
  const taken = columns(head, rows, alignLeft).split('\n');
  const room = style.columns - Math.max(...taken.map((each) => stripVTControlCharacters(each).length)) - 2;
  const width = Math.min(barColumns, room);
  const table =
    width < leastBarColumns
      ? columnsOrBlocks(style.columns, head, rows, alignLeft)
      : columns(
          [...head, ''],
          rows.map((row, index) => [...row, bar(points[index] as HistoryPoint, most, width)]),
          [...alignLeft, 4],
        );
  const of = scenarioByName(scenario);
  const range = values.length > 0 ? `  ${say(Math.min(...values))} to ${say(most)}` : '';
  const changes = points.flatMap((point) =>
    point.changed.length > 0 ? [doubtful(`from ${dateOf(point)}: ${point.changed.join(' · ')}`)] : [],
  );
  return [
    title(`${scenario}  ${target}  ${metric}`) + (better === 'neither' ? '' : aside(`  ${better} is better`)),
    aside([`shape ${fingerprint}`, ...(of ? [optionsInWords(of, line.options)] : []), `${client} clients`].join(' · ')),
    `${sparkline(points)}${range}`,
    table,
    ...changes,
  ].join('\n');
}

/** Values of runs that are not void. */
function believed(points: readonly HistoryPoint[]): number[] {
  return points.flatMap(({ value, rig }) => (value === null || rig === 'void' ? [] : [value]));
}

function dateOf({ startedAt }: HistoryPoint): string {
  return startedAt.slice(0, 19).replace('T', ' ');
}

function markOf({ rig }: HistoryPoint, style: Style): string {
  const { good, doubtful, bad } = paint(style);
  return { clean: good('✓ clean'), limited: doubtful('! limited'), void: bad('✗ void') }[rig];
}

/** From nothing to the largest, in eighths of a character; of a run that stands for nothing there is none. */
function bar({ value, rig }: HistoryPoint, most: number, width: number): string {
  if (value === null || rig === 'void' || most <= 0) return '';
  const length = Math.round((value / most) * width * 8);
  return `${'█'.repeat(Math.floor(length / 8))}${eighths[length % 8]}`;
}

/** A character for each run, from the smallest value to the largest; a gap for one without. */
function sparkline(points: readonly HistoryPoint[]): string {
  const values = believed(points);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return points
    .map(({ value, rig }) => {
      if (value === null || rig === 'void') return '·';
      const share = most > least ? (value - least) / (most - least) : 0;
      return heights[Math.round(share * (heights.length - 1))];
    })
    .join('');
}
