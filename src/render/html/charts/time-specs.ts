import { metricTable } from '../../../measure/series.js';
import { type GaugeName, gaugeTable, memoryMetrics, type TargetMetric } from '../../../results/over-time/series.js';
import { type Chart, isSpread, type Line } from './chart.js';
import { type SpanFigure, spanFigures } from './courses.js';

export const mib = 2 ** 20;

/** Describes the subject of a line over time, in a report and on a live page. */
export type LineSubject =
  | { gauge: GaugeName }
  | { percentile: SpanFigure }
  | { target: TargetMetric; observations: readonly (keyof typeof metricTable)[]; per: number };

export interface TimeSpec {
  id: string;
  title: string;
  summary: string;
  unit: string;
  lines: readonly { label: string; look?: Line['look']; subject: LineSubject }[];
  isOfShards?: true;
  /** The metric whose percentiles are the lines. The title names those that have points. */
  metric?: string;
}

/** Returns the title, the summary and the vertical axis of a chart with these lines. */
export function shownOf(
  { title, summary, unit, metric, lines: all }: TimeSpec,
  lines: readonly Line[],
  more: readonly string[] = [],
): Pick<Chart, 'title' | 'summary' | 'y'> {
  const isLog = metric !== undefined && isSpread(lines.flatMap(({ points }) => ('curve' in points ? [] : points.y)));
  const names = (all.length > 1 ? lines : all).map(({ label }) => label);
  const said = isLog ? [summary, 'The axis of latency is logarithmic.'] : [summary];
  return {
    title: metric === undefined ? title : `${names.join(', ').replace(/, (?=[^,]*$)/, ' and ')} of ${title}`,
    summary: [...said, ...more].join(' '),
    y: { label: unit, scale: isLog ? 'log' : 'linear' },
  };
}

/** Returns the rule that merges the values of several processes of the target. */
export function togetherOf({ observations: [name] }: Extract<LineSubject, { target: string }>): 'sum' | 'max' {
  return name === undefined ? 'sum' : metricTable[name].together;
}

/** Returns the charts over time in the order of the page. `percentiles` has a summary of its own. */
export function timeSpecs(metric: string | undefined, percentileSummary: string): TimeSpec[] {
  const target = (name: TargetMetric, observations: readonly (keyof typeof metricTable)[], per = 1) =>
    ({ label: 'target', subject: { target: name, observations, per } }) as const;
  const rig = (gauge: GaugeName) => ({ label: 'load generator', look: 'thin', subject: { gauge } }) as const;
  const whole = (id: string, title: string, unit: string, gauge: GaugeName): TimeSpec => ({
    ...{ id, title, unit, isOfShards: true },
    summary: `All shards together: ${gaugeTable[gauge].means}.`,
    lines: [{ label: id, subject: { gauge } }],
  });
  const percentiles: TimeSpec = {
    ...{ id: 'percentiles', title: `${metric} over time`, unit: 'ms', summary: percentileSummary },
    ...(metric !== undefined && { metric }),
    lines: spanFigures.map((percentile) => ({ label: percentile, subject: { percentile } })),
  };
  return [
    whole('deliveries', 'Deliveries per second', 'per second', 'deliveriesPerSecond'),
    ...(metric === undefined ? [] : [percentiles]),
    whole('open', 'Open connections', 'connections', 'open'),
    whole('backlog', 'Backlog', 'deliveries', 'backlog'),
    {
      ...{ id: 'cpu', title: 'CPU of target and load generator', unit: 'cores', isOfShards: true },
      summary: 'Cores in use by all processes of the target, and by all bench-runners.',
      lines: [target('cpuPercent', ['cpuPercent'], 100), rig('cpuCores')],
    },
    {
      ...{ id: 'memory', title: 'Memory of the target', unit: 'MiB' },
      summary: 'All processes of the target together.',
      lines: [target('memoryBytes', memoryMetrics, mib)],
    },
    {
      ...{ id: 'loop-delay', title: 'Event loop delay of target and load generator', unit: 'ms', isOfShards: true },
      summary: `Target: p99 of how late its timers ran in each interval. Rig: ${gaugeTable.loopDelayMs.means}.`,
      lines: [target('eventLoopDelayP99Ms', ['eventLoopDelayP99Ms']), rig('loopDelayMs')],
    },
  ];
}

export const shardSpecs: readonly { name: GaugeName; title: string; unit: string }[] = [
  { name: 'deliveriesPerSecond', title: 'deliveries per second', unit: 'per second' },
  { name: 'open', title: 'open connections', unit: 'connections' },
  { name: 'loopDelayMs', title: 'loop delay', unit: 'ms' },
];
