import { mainMetric } from '../../../results/figures.js';
import type { RunResult } from '../../../results/result.js';
import { gaugeTable, memoryMetrics } from '../../../results/series.js';
import type { Report } from '../runs.js';
import { type Band, type Cell, type Chart, type Line, styleOf, type Table } from './chart.js';
import { type Course, endedShards, observed, percentileOver, wholeGauge } from './courses.js';
import { thinned } from './figure.js';

type Environment = RunResult['environment'];
const mib = 2 ** 20;
const mostRows = 90;

/** One chart over time: a line of each run for each of its subjects that the run has. */
interface CourseChart {
  id: string;
  title: string;
  summary: string;
  unit: string;
  subjects: readonly { label: string; look?: Line['look']; of(environment: Environment): Course | undefined }[];
  /** Set where values of all shards are put together. */
  isOfShards?: true;
}

/** Every chart over time, in the order of the page. `metric` is the first of the headline. */
function courseCharts(metric: string | undefined, isSole: boolean): CourseChart[] {
  const p50 = { label: 'p50', of: (of: Environment) => percentileOver(of, metric ?? '', 'p50') };
  const p99 = { label: 'p99', of: (of: Environment) => percentileOver(of, metric ?? '', 'p99') };
  const latency = {
    unit: 'ms',
    summary:
      'Of the sends that were intended within each second or so, read from bins 1.6 % wide; a gap where too few samples carry it.',
  };
  return [
    {
      id: 'deliveries',
      title: 'Deliveries per second',
      summary: 'All shards together, warm-up included.',
      unit: 'per second',
      subjects: [{ label: 'deliveries', of: (of) => wholeGauge(of, 'deliveriesPerSecond') }],
      isOfShards: true,
    },
    ...(isSole
      ? [{ ...latency, id: 'percentiles', title: `p50 and p99 of ${metric} over time`, subjects: [p50, p99] }]
      : [
          { ...latency, id: 'p50', title: `p50 of ${metric} over time`, subjects: [p50] },
          { ...latency, id: 'p99', title: `p99 of ${metric} over time`, subjects: [p99] },
        ]),
    {
      id: 'open',
      title: 'Open connections',
      summary: `All shards together: ${gaugeTable.open.means}.`,
      unit: 'connections',
      subjects: [{ label: 'open', of: (of) => wholeGauge(of, 'open') }],
      isOfShards: true,
    },
    {
      id: 'backlog',
      title: 'Backlog',
      summary: `All shards together: ${gaugeTable.backlog.means}.`,
      unit: 'deliveries',
      subjects: [{ label: 'backlog', of: (of) => wholeGauge(of, 'backlog') }],
      isOfShards: true,
    },
    {
      id: 'cpu',
      title: 'CPU of target and rig',
      summary: 'Cores in use: all processes of the target, and all bench-runners.',
      unit: 'cores',
      subjects: [
        { label: 'target', of: (of) => observed(of, ['cpuPercent'], 'sum', 100) },
        { label: 'rig', look: 'thin', of: (of) => wholeGauge(of, 'cpuCores') },
      ],
      isOfShards: true,
    },
    {
      id: 'memory',
      title: 'Memory of the target',
      summary: 'All processes of the target together.',
      unit: 'MiB',
      subjects: [
        {
          label: 'target',
          of: (of) => observed(of, memoryMetrics, 'sum', mib),
        },
      ],
    },
    {
      id: 'loop-delay',
      title: 'Event loop delay of target and rig',
      summary: `Target: how late timers of its event loop ran, p99 of each interval, where it tells. Rig: ${gaugeTable.loopDelayMs.means}.`,
      unit: 'ms',
      subjects: [
        { label: 'target', of: (of) => observed(of, ['eventLoopDelayP99Ms'], 'max') },
        { label: 'rig', look: 'thin', of: (of) => wholeGauge(of, 'loopDelayMs') },
      ],
      isOfShards: true,
    },
  ];
}

/** What was seen over time, on one axis and with one cursor. */
export function timeCharts({ runs, scenario }: Report): Chart[] {
  const isSole = runs.length === 1;
  const found = courseCharts(mainMetric(scenario), isSole).map((spec) => ({
    spec,
    lines: runs.flatMap(({ label, result }, index) =>
      spec.subjects.flatMap((subject, n): Line[] => {
        const points = subject.of(result.environment);
        if (!points) return [];
        const name = isSole ? subject.label : spec.subjects.length > 1 ? `${label}, ${subject.label}` : label;
        return [{ label: name, ...styleOf(isSole ? n : index), look: subject.look ?? 'line', points }];
      }),
    ),
  }));
  const drawn = found.filter(({ lines }) => lines.length > 0);
  const range = rangeOf(drawn.flatMap(({ lines }) => lines));
  const bands = isSole && runs[0] ? stageBands(runs[0].result.environment) : [];
  const ended = runs.flatMap(({ label, result }) =>
    endedShards(result.environment).map((text) => (isSole ? capital(text) : `${label}: ${text}`)),
  );
  return drawn.map(({ spec: { id, title, summary, unit, isOfShards }, lines }) => ({
    id: `time-${id}`,
    title,
    summary: [summary, ...(isOfShards ? ended : [])].join(' '),
    x: { label: 'seconds since the load began', scale: 'linear', range },
    y: { label: unit, scale: 'linear' },
    lines,
    bands,
    group: 'time',
    size: 'large',
    ...bySecond(lines),
  }));
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The stages of a run on the axis of its charts. */
export function stageBands({ stages, loadAtMs }: Environment): Band[] {
  return stages.map(({ name, fromMs, toMs }) => ({
    name,
    from: (fromMs - loadAtMs) / 1000,
    to: (toMs - loadAtMs) / 1000,
  }));
}

/** From the first to the last point of any line. */
export function rangeOf(lines: readonly Line[]): [number, number] {
  let [first, last] = [0, 1];
  for (const { points } of lines) {
    if ('curve' in points) continue;
    first = Math.min(first, points.x[0] ?? first);
    last = Math.max(last, points.x.at(-1) ?? last);
  }
  return [first, last];
}

/** Lines over time as a table: a row for each second in which any of them has a point, with the last of that second. */
export function bySecond(lines: readonly Line[]): { table: Table; tableNote: string } {
  const seconds = new Map<number, Cell[]>();
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
  const { rows, note } = thinned(all, mostRows);
  return { table: { head: ['second', ...lines.map(({ label }) => label)], rows }, tableNote: note };
}
