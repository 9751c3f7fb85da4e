import { metricTable } from '../../../measure/series.js';
import { type GaugeName, gaugeTable, memoryMetrics, type TargetMetric } from '../../../results/over-time/series.js';
import type { Line } from './chart.js';
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
}

/** Returns the rule that merges the values of several processes of the target. */
export function togetherOf({ observations: [name] }: Extract<LineSubject, { target: string }>): 'sum' | 'max' {
  return name === undefined ? 'sum' : metricTable[name].together;
}

/** Returns the charts over time in the order of the page. `percentiles` has a summary of its own. */
export function timeSpecs(metric: string | undefined, percentileSummary: string): TimeSpec[] {
  const target = (name: TargetMetric, observations: readonly (keyof typeof metricTable)[], per = 1) =>
    ({ label: 'target', subject: { target: name, observations, per } }) as const;
  const rig = (gauge: GaugeName) => ({ label: 'rig', look: 'thin', subject: { gauge } }) as const;
  const whole = (id: string, title: string, unit: string, gauge: GaugeName): TimeSpec => ({
    ...{ id, title, unit, isOfShards: true },
    summary: `All shards together: ${gaugeTable[gauge].means}.`,
    lines: [{ label: id, subject: { gauge } }],
  });
  const percentiles: TimeSpec = {
    ...{ id: 'percentiles', title: `p50, p99 and max of ${metric} over time`, unit: 'ms', summary: percentileSummary },
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
