import type { GaugeName } from '../results/progress.js';
import { type ProgressView, type ShardView, silentAfterMs } from '../results/progress.js';
import { countText, outsideText } from '../units/text.js';
import { paint, type Style } from './words/table.js';

export interface Screen extends Style {
  rows: number;
}

type Values = Partial<Record<GaugeName, number>>;

interface Column {
  gauge: GaugeName;
  title: string;
  /** Text behind the value, if a run has only one line. */
  words: string;
  print(value: number): string;
}

const whole = (value: number): string => countText(Math.round(value));
const toATenth = (value: number): string => (value < 99.95 ? value.toFixed(1) : whole(value));

/** Lists the columns. The first ones that fit are shown. */
const columns: readonly Column[] = [
  { gauge: 'open', title: 'open', words: 'open', print: whole },
  { gauge: 'deliveriesPerSecond', title: 'deliveries/s', words: 'deliveries/s', print: whole },
  { gauge: 'loopDelayMs', title: 'loop ms', words: 'ms loop delay', print: toATenth },
  { gauge: 'publishesPerSecond', title: 'publishes/s', words: 'publishes/s', print: toATenth },
  { gauge: 'backlog', title: 'owed', words: 'owed', print: whole },
  { gauge: 'cpuCores', title: 'cores', words: 'cores', print: (value) => value.toFixed(2) },
  { gauge: 'rssBytes', title: 'MB', words: 'MB', print: (value) => whole(value / 1e6) },
];

const seconds = (ms: number): string => `${Math.floor(ms / 1000)}s`;
const gap = '  ';

/** Formats the live block of a run: a line, then one per lost or silent shard, or a table of all shards. */
export function progressLines(label: string, view: ProgressView, screen: Screen, isByShard = false): string[] {
  const { aside, bad, doubtful, title } = paint(screen);
  const width = screen.columns - 1;
  const head = liveLine(label, view, width);
  const name = cut(label, Math.floor(width / 2));
  const first = head.startsWith(name) ? `${title(name)}${head.slice(name.length)}` : head;
  const isOff = (shard: ShardView): boolean => isLost(shard) || shard.silentMs >= silentAfterMs;
  const room = Math.max(1, screen.rows - 5);
  const listed = isByShard ? view.shards : view.shards.filter(isOff);
  const lostFirst = listed.toSorted((a, b) => Number(isLost(b)) - Number(isLost(a)));
  const shown = listed.length <= room + 1 ? listed : lostFirst.slice(0, room);
  const left = listed.length - shown.length;
  const [header = '', all = '', ...rows] = tableOf(view, shown, width);
  return [
    first,
    ...(isByShard ? [aside(header), all] : []),
    ...shown.map((shard, index) => {
      if (shard.lost !== null) return bad(cut(lostInWords(shard), width));
      const row = isByShard
        ? (rows[index] ?? '')
        : cut(`shard ${shard.index} silent ${seconds(shard.silentMs)}`, width);
      return isOff(shard) ? doubtful(row) : row;
    }),
    ...(left > 0 ? [aside(cut(`and ${left} more shards`, width))] : []),
  ];
}

const barLength = 10;

/** Formats a run in a line: its name, a bar, time, open clients, times so far, and losses. The first ones that fit. */
function liveLine(label: string, view: ProgressView, width: number): string {
  const { elapsedMs, plannedMs, gauges, percentiles, figures, stage } = view;
  const done = Math.min(barLength, Math.floor((elapsedMs / Math.max(1, plannedMs)) * barLength));
  const bar = `[${'='.repeat(done)}${done < barLength ? '>' : ''}`.padEnd(barLength + 1, '-');
  const time = `${Math.floor(elapsedMs / 1000)}/${Math.round(plannedMs / 1000)} s`;
  const times = (['p50', 'p95', 'max'] as const).flatMap((name) => {
    const us = percentiles?.[name] ?? null;
    return us === null ? [] : [`${name} ${toATenth(us / 1000)}`];
  });
  const pieces = [
    `${bar}] ${time}`,
    ...(gauges.open === undefined ? [] : [`${whole(gauges.open)} open`]),
    ...(times.length > 0 ? [`${times.join(' ')} ms`] : []),
    ...(figures.lost === undefined ? [] : [`lost ${countText(figures.lost)}`]),
    stage,
  ];
  const named = fitting([cut(label, Math.floor(width / 2)), ...pieces.slice(0, -1)], width);
  // A narrow terminal has room for the figures alone.
  return named.endsWith(pieces.at(-2) ?? '') ? fitting([named, stage], width) : fitting(pieces, width);
}

export function progressLine(label: string, view: ProgressView): string {
  const figures = Object.entries(view.figures).flatMap(([name, value]) =>
    isCount(name) ? [`${spelled(name)} ${value}`] : [],
  );
  const { open: _, ...gauges } = view.gauges;
  const lost = view.shards.filter(isLost).map(lostInWords);
  return [label, timeOf(view), view.stage, ...figures, ...inWords(gauges), ...lost].join(gap);
}

const isLost = ({ lost }: ShardView): boolean => lost !== null;

function timeOf({ elapsedMs, plannedMs }: ProgressView): string {
  return `${seconds(elapsedMs)} of at most ${Math.round(plannedMs / 1000)}s`;
}

/** Returns false for figures by which shards and driver talk, such as clients at a gate. */
const isCount = (name: string): boolean => !name.includes(':');

/** Formats `stepSends` as `step sends`. */
function spelled(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function inWords(gauges: Values): string[] {
  return columns.flatMap(({ gauge, words, print }) => {
    const value = gauges[gauge];
    return value === undefined ? [] : [`${print(value)} ${words}`];
  });
}

/** Formats a shard's loss. The reason comes from another program, so it must not move the cursor. */
function lostInWords({ index, stage, lost, awaitedMs }: ShardView): string {
  const wait = awaitedMs > 0 ? `, waiting ${seconds(awaitedMs)} for its part, Ctrl-C ends that` : '';
  return `shard ${index}${gap}LOST in ${stage}${wait}: ${outsideText(lost ?? '')}`;
}

function tableOf(view: ProgressView, shards: readonly ShardView[], width: number): string[] {
  const rows: readonly Values[] = [view.gauges, ...view.shards.map(({ gauges }) => gauges)];
  const used = columns.filter(({ gauge }) => rows.some((values) => values[gauge] !== undefined));
  const row = (name: string, stage: string, gauges: Values): string[] => [
    name,
    stage,
    ...used.map(({ gauge, print }) => (gauges[gauge] === undefined ? '' : print(gauges[gauge]))),
  ];
  const table = [
    ['', 'stage', ...used.map(({ title }) => title)],
    row('all', view.stage, view.gauges),
    ...shards.map(({ index, stage, gauges, silentMs }) => {
      const isSilent = silentMs >= silentAfterMs;
      return row(`shard ${index}`, isSilent ? `silent ${seconds(silentMs)}` : stage, isSilent ? {} : gauges);
    }),
  ];
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  return table.map((cells) =>
    fitting(
      cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))),
      width,
    ),
  );
}

/** Joins as many pieces as fit. If the first one does not fit, it is cut. */
function fitting(pieces: readonly string[], width: number): string {
  let line = cut(pieces[0] ?? '', width);
  for (const piece of pieces.slice(1)) {
    if (line.length + gap.length + piece.length > width) break;
    line += gap + piece;
  }
  return line;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
