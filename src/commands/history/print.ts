import { stripVTControlCharacters } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { times } from '../../render/paired/words.js';
import { columns, columnsOrBlocks, paint, type Style } from '../../render/words/table.js';
import { optionsInWords, titleInWords, valueInWords } from '../../render/words/values.js';
import { withMark } from '../../render/words/verdict-words.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { History, HistoryLine, HistoryPoint } from './history.js';

const csvHead = ['scenario', 'target', 'fingerprint', 'metric', 'unit', 'startedAt', 'value', 'low', 'high', 'verdict'];

/** Returns a row for each run, in the unit of the figure. */
export function historyCsv({ metric, lines }: History): string {
  const rows = lines.flatMap(({ scenario, target, fingerprint, unit, points }) =>
    points.map(({ startedAt, value, interval, rig, directory }) => {
      const [low, high] = interval ?? [null, null];
      return [scenario, target, fingerprint, metric, unit, startedAt, value, low, high, rig, directory];
    }),
  );
  return stringify([[...csvHead, 'directory'], ...rows]);
}

const barColumns = 24;
const leastBarColumns = 8;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Renders for each target and shape a sparkline, then each run with interval, verdict and bar. */
export function renderHistory({ metric, lines }: History, style: Style): string {
  return lines.map((line) => renderLine(metric, line, style)).join('\n\n');
}

function renderLine(metric: string, line: HistoryLine, style: Style): string {
  const { title, aside, doubtful } = paint(style);
  const { scenario: name, target, fingerprint, options, kind, better, client, points } = line;
  const scenario = scenarioByName(name);
  const values = points.flatMap((point) => validValue(point) ?? []);
  const say = (value: number | null): string => inWords(kind, value);
  const range = values.length > 0 ? `  ${say(Math.min(...values))} to ${say(Math.max(...values))}` : '';
  const shape = [`shape ${fingerprint}`, ...(scenario ? [optionsInWords(scenario, options)] : []), `${client} clients`];
  const changes = points.filter(({ changed }) => changed.length > 0);
  return [
    title(`${name}  ${target}  ${metric}`) + (better === 'neither' ? '' : aside(`  ${better} is better`)),
    aside(shape.join(' · ')),
    `${sparkline(points, values)}${range}`,
    table(metric, line, Math.max(0, ...values), style),
    ...changes.map((point) => doubtful(`from ${dateOf(point)}: ${point.changed.join(' · ')}`)),
  ].join('\n');
}

function table(metric: string, { kind, points }: HistoryLine, most: number, style: Style): string {
  const { good, doubtful, bad } = paint(style);
  const marks = { clean: good('✓ clean'), limited: doubtful('! limited'), void: bad('✗ void') };
  const rows = points.map((point) => [
    dateOf(point),
    withMark(inWords(kind, point.value), endOf(point)),
    point.interval?.map((end) => inWords(kind, end)).join(' to ') ?? '',
    marks[point.rig],
  ]);
  const head = ['started', kind === 'ratio' ? metric : titleInWords({ title: metric, kind }), '95 %', 'verdict'];
  const taken = columns(head, rows, [0, 3]).split('\n');
  const room = style.columns - Math.max(...taken.map((each) => stripVTControlCharacters(each).length)) - 2;
  if (room < leastBarColumns) return columnsOrBlocks(style.columns, head, rows, [0, 3]);
  const bars = points.map((point) => bar(validValue(point), most, Math.min(barColumns, room)));
  const withBars = rows.map((row, index) => [...row, bars[index] ?? '']);
  return columns([...head, ''], withBars, [0, 3, 4]);
}

/** Returns the lower end of a marked figure; empty if unknown. */
function endOf({ leastUs }: HistoryPoint): string | undefined {
  return leastUs === undefined ? undefined : leastUs > 0 ? valueInWords('figure', leastUs) : '';
}

function inWords(kind: HistoryLine['kind'], value: number | null): string {
  if (kind !== 'ratio') return valueInWords(kind, value);
  return value === null ? '–' : times(value);
}

function validValue({ value, rig }: HistoryPoint): number | null {
  return rig === 'void' ? null : value;
}

function dateOf({ startedAt }: HistoryPoint): string {
  return startedAt.slice(0, 19).replace('T', ' ');
}

function bar(value: number | null, most: number, width: number): string {
  if (value === null || most <= 0) return '';
  const length = Math.round((value / most) * width * 8);
  return `${'█'.repeat(Math.floor(length / 8))}${eighths[length % 8]}`;
}

function sparkline(points: readonly HistoryPoint[], values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const heightOf = (value: number): string | undefined =>
    heights[Math.round(most > least ? ((value - least) / (most - least)) * (heights.length - 1) : 0)];
  return points
    .map(validValue)
    .map((value) => (value === null ? '·' : heightOf(value)))
    .join('');
}
