import { stringify } from 'csv-stringify/sync';
import { fewestForChange } from '../../measure/stats/change-points.js';
import { type DataTable, type Document, type Line, type Part, toned } from '../../render/document/document.js';
import { times } from '../../render/paired/claims.js';
import { optionsInWords, titleInWords, valueInWords } from '../../render/words/values.js';
import { withBound } from '../../render/words/verdict-words.js';
import { scenarioByName } from '../../scenarios/list.js';
import { firstFew } from '../../units/text.js';
import { type History, type HistoryChange, type HistoryLine, type HistoryPoint, isValid } from './history.js';

const attributes = ['unit', 'scenario', 'target', 'shape', 'verdict', 'directory', 'changed'];

/** Returns a row for each valid run, as Apache Otava reads it: time, figure, the ends of its interval, attributes. */
export function historyCsv({ metric, lines }: History): string {
  const rows = lines.flatMap(({ scenario, target, fingerprint, unit, points }) =>
    points.filter(isValid).map(({ startedAt, value, interval, rig, directory, changed }) => {
      const [low, high] = interval ?? [value, value];
      return [startedAt, value, low, high, unit, scenario, target, fingerprint, rig, directory, changed.join(' · ')];
    }),
  );
  return stringify([['time', metric, 'low', 'high', ...attributes], ...rows]);
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
  const noChange = values.length < fewestForChange ? `  a change shows from ${fewestForChange} runs on` : '  no change';
  const shape = [`shape ${fingerprint}`, ...(scenario ? [optionsInWords(scenario, options)] : []), `${client} clients`];
  const changes = points.filter(({ changed }) => changed.length > 0);
  const title = toned.title(`${name}  ${target}  ${metric}`);
  return {
    title: better === 'neither' ? title : [title, toned.aside(`  ${better} is better`)],
    blocks: [
      ...line.changes.map((change) => changeInWords(line, change)),
      toned.aside(shape.join(' · ')),
      `${sparkline(points, values)}${range}${line.changes.length > 0 ? '' : noChange}`,
      tableOf(metric, line),
      ...changes.map((point) => toned.doubtful(`from ${dateOf(point)}: ${point.changed.join(' · ')}`)),
    ],
  };
}

/** Says when a figure moved, and what else did: `rose 12 % on 3 March: 5.00 → 5.60 ms`. */
function changeInWords({ kind, better }: HistoryLine, change: HistoryChange): Line {
  const { startedAt, before, after, beside } = change;
  const day = new Date(startedAt).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const isUp = after > before;
  const by = before > 0 && kind !== 'share' ? ` ${Math.round(Math.abs(after / before - 1) * 100)} %` : '';
  const unit = kind === 'figure' ? ' ms' : '';
  const values = `${inWords(kind, before)} → ${inWords(kind, after)}${unit}`;
  const names = beside.map((each) => each.replace(/^machine |: .*$/gs, ''));
  const cause = names.length > 0 ? `; ${firstFew(names, ', ')} changed the same night` : '';
  const tone = better === 'neither' ? 'doubtful' : isUp === (better === 'higher') ? 'good' : 'bad';
  return { text: `${isUp ? 'rose' : 'fell'}${by} on ${day}: ${values}${cause}`, tone };
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

function validValue(point: HistoryPoint): number | null {
  return isValid(point) ? point.value : null;
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
