import type { RunSecond } from '../../../results/progress.js';
import { type GaugeName, gaugeTable } from '../../../results/series.js';
import { type Chart, type Line, styleOf } from '../charts/chart.js';

const mib = 2 ** 20;

type Value = number | null | undefined;

/** One chart of a run that goes: its lines, and what each has of a second. */
interface LiveChart extends Pick<Chart, 'id' | 'title' | 'summary' | 'size'> {
  unit: string;
  /** Charts of one scale are as high as the highest of them. */
  scale?: string;
  lines: readonly { label: string; look?: Line['look']; of(second: RunSecond): Value }[];
}

const whole =
  (name: GaugeName) =>
  ({ gauges }: RunSecond): Value =>
    gauges[name];
const inPart = (value: Value, part: number): Value => (value === null || value === undefined ? value : value / part);

/** The charts of the report that can be drawn while a run goes, in its order; `metric` is the one that is told of by the second, if any. */
function wholeCharts(metric: string | undefined): LiveChart[] {
  const size = 'large';
  return [
    {
      ...{ id: 'deliveries', title: 'Deliveries per second', unit: 'per second', size },
      summary: 'All shards together, warm-up included.',
      lines: [{ label: 'deliveries', of: whole('deliveriesPerSecond') }],
    },
    ...(metric === undefined
      ? []
      : ([
          {
            ...{ id: 'percentiles', title: `p50 and p99 of ${metric} over time`, unit: 'ms', size },
            summary:
              'By the second of arrival, of all shards together, read from bins 1.6 % wide; a gap where too few samples carry it. The report has them by the second that sends were intended in.',
            lines: [
              { label: 'p50', of: ({ percentiles }) => inPart(percentiles.p50, 1000) },
              { label: 'p99', of: ({ percentiles }) => inPart(percentiles.p99, 1000) },
            ],
          },
        ] satisfies LiveChart[])),
    {
      ...{ id: 'open', title: 'Open connections', unit: 'connections', size },
      summary: `All shards together: ${gaugeTable.open.means}.`,
      lines: [{ label: 'open', of: whole('open') }],
    },
    {
      ...{ id: 'backlog', title: 'Backlog', unit: 'deliveries', size },
      summary: `All shards together: ${gaugeTable.backlog.means}.`,
      lines: [{ label: 'backlog', of: whole('backlog') }],
    },
    {
      ...{ id: 'cpu', title: 'CPU of target and rig', unit: 'cores', size },
      summary: 'Cores in use: all processes of the target, as last read, and all bench-runners.',
      lines: [
        { label: 'target', of: ({ target }) => inPart(target.cpuPercent, 100) },
        { label: 'rig', look: 'thin', of: whole('cpuCores') },
      ],
    },
    {
      ...{ id: 'memory', title: 'Memory of the target', unit: 'MiB', size },
      summary: 'All processes of the target together, as last read.',
      lines: [{ label: 'target', of: ({ target }) => inPart(target.memoryBytes, mib) }],
    },
    {
      ...{ id: 'loop-delay', title: 'Event loop delay of target and rig', unit: 'ms', size },
      summary: `Target: how late timers of its event loop ran, p99 of each interval, where it tells, as last read. Rig: ${gaugeTable.loopDelayMs.means}.`,
      lines: [
        { label: 'target', of: ({ target }) => target.eventLoopDelayP99Ms },
        { label: 'rig', look: 'thin', of: whole('loopDelayMs') },
      ],
    },
  ];
}

const ofShard: readonly { name: GaugeName; title: string; unit: string }[] = [
  { name: 'deliveriesPerSecond', title: 'deliveries per second', unit: 'per second' },
  { name: 'open', title: 'open connections', unit: 'connections' },
  { name: 'loopDelayMs', title: 'loop delay', unit: 'ms' },
];

/** Of each of several shards the same small charts, on the same axes: a shard that goes its own way stands out. */
function shardCharts(index: number): LiveChart[] {
  return ofShard.map(({ name, title, unit }) => ({
    ...{ id: `shard-${index}-${name}`, title: `Shard ${index}: ${title}`, unit, size: 'small' },
    summary: `${gaugeTable[name].means}.`,
    scale: name,
    lines: [{ label: title, of: ({ shards }) => shards[index]?.[name] }],
  }));
}

/** What is drawn of a run while it goes: of the whole, and of each shard where there are several. */
export interface LiveCharts {
  whole: readonly LiveChart[];
  shards: readonly (readonly LiveChart[])[];
}

/** The charts of a run of so many shards. */
export function liveCharts(shards: number, metric: string | undefined): LiveCharts {
  const indices = Array.from({ length: shards > 1 ? shards : 0 }, (_, index) => index);
  return { whole: wholeCharts(metric), shards: indices.map(shardCharts) };
}

/** By the id of its chart, what each line has of a second; null where there is nothing. Six digits are finer than any screen. */
export function valuesOf({ whole: ofAll, shards }: LiveCharts, second: RunSecond): Record<string, (number | null)[]> {
  const digits = (value: Value): number | null =>
    value === null || value === undefined ? null : Number(value.toPrecision(6));
  return Object.fromEntries(
    [...ofAll, ...shards.flat()].map(({ id, lines }) => [chartId(id), lines.map(({ of }) => digits(of(second)))]),
  );
}

/** A chart of a run that goes, as yet empty. */
export function emptyChart({ id, title, summary, unit, size, scale, lines }: LiveChart): Chart {
  return {
    id: chartId(id),
    title,
    summary,
    x: { label: size === 'small' ? 'seconds' : 'seconds since the load began', scale: 'linear' },
    y: { label: unit, scale: 'linear', ...(scale !== undefined && { shared: scale }) },
    lines: lines.map(({ label, look = 'line' }, n) => ({ label, ...styleOf(n), look, points: { x: [], y: [] } })),
    bands: [],
    group: 'live',
    size,
    table: { head: ['line', 'last figure'], rows: lines.map(({ label }) => [label, null]) },
    tableNote: '',
  };
}

const chartId = (id: string): string => `live-${id}`;
