import { stringify } from 'csv-stringify/sync';
import { type DataTable, type Document, type Part, toned } from '../../render/document/document.js';
import { times } from '../../render/paired/claims.js';
import { optionsInWords, titleInWords, valueInWords } from '../../render/words/values.js';
import { withBound } from '../../render/words/verdict-words.js';
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

const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Returns a document with a sparkline for each target and shape, then each run with interval, verdict and bar. */
export function historyDocument({ metric, lines }: History): Document {
  return {
    title: `history of ${metric}`,
    isTitleHidden: true,
    parts: lines.map((line) => partOf(metric, line)),
    suites: [],
  };
}

function partOf(metric: string, line: HistoryLine): Part {
  const { scenario: name, target, fingerprint, options, kind, better, client, points } = line;
  const scenario = scenarioByName(name);
  const values = points.flatMap((point) => validValue(point) ?? []);
  const say = (value: number | null): string => inWords(kind, value);
  const range = values.length > 0 ? `  ${say(Math.min(...values))} to ${say(Math.max(...values))}` : '';
  const shape = [`shape ${fingerprint}`, ...(scenario ? [optionsInWords(scenario, options)] : []), `${client} clients`];
  const changes = points.filter(({ changed }) => changed.length > 0);
  const title = toned.title(`${name}  ${target}  ${metric}`);
  return {
    title: better === 'neither' ? title : [title, toned.aside(`  ${better} is better`)],
    blocks: [
      toned.aside(shape.join(' · ')),
      `${sparkline(points, values)}${range}`,
      tableOf(metric, line),
      ...changes.map((point) => toned.doubtful(`from ${dateOf(point)}: ${point.changed.join(' · ')}`)),
    ],
  };
}

function tableOf(metric: string, { kind, points }: HistoryLine): DataTable {
  const marks = {
    clean: toned.good('✓ clean'),
    limited: toned.doubtful('! limited'),
    void: toned.bad('✗ void'),
  };
  const rows = points.map((point) => [
    dateOf(point),
    withBound(inWords(kind, point.value), endOf(point)),
    point.interval?.map((end) => inWords(kind, end)).join(' to ') ?? '',
    marks[point.rig],
  ]);
  const head = ['started', kind === 'ratio' ? metric : titleInWords({ title: metric, kind }), '95 %', 'verdict'];
  return { head, rows, left: [0, 3] };
}

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

function sparkline(points: readonly HistoryPoint[], values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const heightOf = (value: number): string | undefined =>
    heights[Math.round(most > least ? ((value - least) / (most - least)) * (heights.length - 1) : 0)];
  return points
    .map(validValue)
    .map((value) => (value === null ? '·' : heightOf(value)))
    .join('');
}
