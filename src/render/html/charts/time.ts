import type { metricTable } from '../../../measure/series.js';
import { type GaugeName, gaugeTable, memoryMetrics, type TargetMetric } from '../../../results/progress.js';
import { type Table, type TableCell, thinned } from '../markup.js';
import { type Chart, isSpread, type Line, styleOf } from './chart.js';
import { type LineSubject, type Queried, spanFigures, type TimeSource } from './time-source.js';

const mib = 2 ** 20;

interface TimeSpec {
  id: string;
  title: string;
  summary: string;
  unit: string;
  lines: readonly { label: string; look?: Line['look']; subject: LineSubject }[];
  isOfShards?: true;
  /** The metric whose percentiles are the lines. The title names those that have points. */
  metric?: string;
}

const percentilesOfSends =
  'By the second in which sends were due, from bins 1.6 % wide. A gap has too few independent samples.';
const percentilesOfArrivals =
  'By the second of arrival, from bins 1.6 % wide. The report has them by the second in which sends were due.';

function timeSpecs(metric: string | undefined, isLive: boolean, series: readonly Queried[]): TimeSpec[] {
  const target = (name: TargetMetric, observations: readonly (keyof typeof metricTable)[], per = 1) =>
    ({ label: 'target', subject: { target: name, observations, per } }) as const;
  const rig = (gauge: GaugeName) => ({ label: 'load generator', look: 'thin', subject: { gauge } }) as const;
  const whole = (id: string, title: string, unit: string, gauge: GaugeName): TimeSpec => ({
    ...{ id, title, unit, isOfShards: true },
    summary: `All shards together: ${gaugeTable[gauge].means}.`,
    lines: [{ label: id, subject: { gauge } }],
  });
  const percentilesOf = (timed: string): TimeSpec => ({
    ...{ id: 'percentiles', title: `${timed} over time`, unit: 'ms', metric: timed },
    summary: isLive ? percentilesOfArrivals : percentilesOfSends,
    lines: spanFigures.map((percentile) => ({ label: percentile, subject: { metric: timed, percentile } })),
  });
  return [
    whole('deliveries', 'Deliveries per second', 'per second', 'deliveriesPerSecond'),
    ...(metric === undefined ? [] : [percentilesOf(metric)]),
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
    ...series.map(
      ({ name, isBytes }): TimeSpec => ({
        ...{
          id: `series-${name}`,
          title: name,
          unit: isBytes ? 'MiB' : 'value',
          summary: 'As `--series` asked for it.',
        },
        lines: [{ label: name, subject: { series: name, per: isBytes ? mib : 1 } }],
      }),
    ),
    {
      ...{ id: 'loop-delay', title: 'Event loop delay of target and load generator', unit: 'ms', isOfShards: true },
      summary: `Target: p99 of how late its timers ran in each interval. Rig: ${gaugeTable.loopDelayMs.means}.`,
      lines: [target('eventLoopDelayP99Ms', ['eventLoopDelayP99Ms']), rig('loopDelayMs')],
    },
  ];
}

const shardSpecs: readonly { name: GaugeName; title: string; unit: string }[] = [
  { name: 'deliveriesPerSecond', title: 'deliveries per second', unit: 'per second' },
  { name: 'open', title: 'open connections', unit: 'connections' },
  { name: 'loopDelayMs', title: 'loop delay', unit: 'ms' },
];

/** Draws the values of runs over time. With several runs, each percentile has its own chart. */
export function timeCharts(sources: readonly TimeSource[], metric: string | undefined): Chart[] {
  const [sole] = sources.length === 1 ? sources : [];
  const isLive = sole?.isLive ?? false;
  const group = isLive ? 'live' : 'time';
  const queried = [...new Map(sources.flatMap(({ series }) => series.map((each) => [each.name, each]))).values()];
  const specs = timeSpecs(metric, isLive, queried).flatMap((spec): TimeSpec[] => {
    if (sole || spec.id !== 'percentiles') return [spec];
    return spec.lines.map((line) => ({ ...spec, id: line.label, lines: [line] }));
  });
  const drawn = specs.flatMap((spec) => {
    const lines = sources.flatMap(({ label, plot }, index) =>
      spec.lines.flatMap(({ label: own, look = 'line', subject }, n): Line[] => {
        const points = plot(subject);
        if (!points) return [];
        const ofSeveral = spec.lines.length > 1 ? `${label}, ${own}` : label;
        return [{ label: sole ? own : ofSeveral, ...styleOf(sole ? n : index), look, points }];
      }),
    );
    return lines.length > 0 ? [{ spec, lines }] : [];
  });
  const range = rangeOf(
    drawn.flatMap(({ lines }) => lines),
    isLive,
  );
  const ended = sources.flatMap(({ label, shards }) =>
    shards.flatMap(({ endedBecause }, index) => {
      if (endedBecause === undefined) return [];
      const name = sole ? `Shard ${index}` : `${label}: shard ${index}`;
      return `${name} ended early (${endedBecause}): its last value counts for up to a second more.`;
    }),
  );
  return drawn.map(({ spec, lines }) => ({
    id: `${group}-${spec.id}`,
    ...shownOf(spec, lines, spec.isOfShards ? ended : []),
    x: { label: 'seconds since the load began', scale: 'linear', range },
    lines,
    bands: sole?.bands ?? [],
    group,
    ...bySecond(lines),
  }));
}

function shownOf(
  { title, summary, unit, metric, lines: all }: TimeSpec,
  lines: readonly Line[],
  more: readonly string[],
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

/** Draws the gauges of each shard of a run, all on the same axes. */
export function shardCharts({ shards, bands, isLive }: TimeSource, run = 0): Chart[][] {
  const parts = shards.map(({ plot, endedBecause }) => ({
    ended: endedBecause === undefined ? '' : `Ended early: ${endedBecause}. `,
    own: shardSpecs.flatMap((spec) => {
      const points = plot(spec.name);
      return points ? [{ spec, line: { label: spec.title, ...styleOf(0), look: 'line' as const, points } }] : [];
    }),
  }));
  const all = parts.flatMap(({ own }) => own);
  const range = rangeOf(
    all.map(({ line }) => line),
    isLive,
  );
  const most = new Map<string, number>();
  for (const { spec, line } of all)
    most.set(
      spec.name,
      line.points.y.reduce<number>((highest, y) => Math.max(highest, y ?? 0), most.get(spec.name) ?? 0),
    );
  return parts.map(({ own, ended }, index) =>
    own.map(({ spec: { name, title, unit }, line }) => ({
      id: `${isLive ? 'live' : `run-${run}`}-shard-${index}-${name}`,
      title: `Shard ${index}: ${title}`,
      summary: `${ended}${gaugeTable[name].means}.`,
      x: { label: 'seconds', scale: 'linear', range },
      y: { label: unit, scale: 'linear', range: [0, (most.get(name) ?? 0) * 1.1 || 1] },
      lines: [line],
      bands,
      group: isLive ? 'live' : `shards-${run}`,
      size: 'small',
      ...bySecond([line]),
    })),
  );
}

/** Returns the axis of these lines. That of a run that goes on has ten seconds at least, so that it does not jump. */
function rangeOf(lines: readonly Line[], isLive: boolean): [number, number] {
  let [first, last] = [0, isLive ? 10 : 1];
  for (const { points } of lines) {
    if ('curve' in points) continue;
    first = Math.min(first, points.x[0] ?? first);
    last = Math.max(last, points.x.at(-1) ?? last);
  }
  return [first, last];
}

function bySecond(lines: readonly Line[]): { table: Table; tableNote: string } {
  const seconds = new Map<number, TableCell[]>();
  lines.forEach(({ points }, index) => {
    if ('curve' in points) return;
    points.x.forEach((x, n) => {
      const second = Math.floor(x);
      const row = seconds.get(second) ?? lines.map(() => null);
      row[index] = points.y[n] ?? null;
      seconds.set(second, row);
    });
  });
  const all = [...seconds].sort(([a], [b]) => a - b).map(([second, row]) => [second, ...row]);
  const { rows, note } = thinned(all);
  return { table: { head: ['second', ...lines.map(({ label }) => label)], rows }, tableNote: note };
}
