import { mainMetric } from '../../../results/figures.js';
import { gaugeTable, shardSource } from '../../../results/over-time/series.js';
import type { RunResult } from '../../../results/result.js';
import type { Report, ReportRun } from '../runs.js';
import { type Band, type Chart, type Line, styleOf, type Table, type TableCell } from './chart.js';
import { endedShards, gaugeOf, observed, type Plotted, percentileOver, wholeGauge } from './courses.js';
import { thinned } from './figure.js';
import { type LineSubject, shardSpecs, shownOf, type TimeSpec, timeSpecs, togetherOf } from './time-specs.js';

type Environment = RunResult['environment'];
const percentileSummary =
  'By the second in which sends were due, from bins 1.6 % wide. A gap has too few independent samples.';

function plottedOf(subject: LineSubject, environment: Environment, metric = ''): Plotted | undefined {
  if ('gauge' in subject) return wholeGauge(environment, subject.gauge);
  if ('percentile' in subject) return percentileOver(environment, metric, subject.percentile);
  return observed(environment, subject.observations, togetherOf(subject), subject.per);
}

/** Returns the charts over time. With several runs, each percentile has its own chart. */
function specsOf(metric: string | undefined, isSole: boolean): TimeSpec[] {
  return timeSpecs(metric, percentileSummary).flatMap((spec) => {
    if (isSole || spec.id !== 'percentiles') return [spec];
    return spec.lines.map((line) => {
      return { ...spec, id: line.label, lines: [line] };
    });
  });
}

export function timeCharts({ runs, scenario }: Report): Chart[] {
  const isSole = runs.length === 1;
  const metric = mainMetric(scenario);
  const drawn = specsOf(metric, isSole).flatMap((spec) => {
    const lines = runs.flatMap(({ label, result }, index) =>
      spec.lines.flatMap(({ label: own, look = 'line', subject }, n): Line[] => {
        const points = plottedOf(subject, result.environment, metric);
        if (!points) return [];
        const name = isSole ? own : spec.lines.length > 1 ? `${label}, ${own}` : label;
        return [{ label: name, ...styleOf(isSole ? n : index), look, points }];
      }),
    );
    return lines.length > 0 ? [{ spec, lines }] : [];
  });
  const range = rangeOf(drawn.flatMap(({ lines }) => lines));
  const bands = isSole && runs[0] ? stageBands(runs[0].result.environment) : [];
  const ended = runs.flatMap(({ label, result }) =>
    endedShards(result.environment).map((text) => (isSole ? capital(text) : `${label}: ${text}`)),
  );
  return drawn.map(({ spec, lines }) => ({
    id: `time-${spec.id}`,
    ...shownOf(spec, lines, spec.isOfShards ? ended : []),
    x: { label: 'seconds since the load began', scale: 'linear', range },
    lines,
    bands,
    group: 'time',
    size: 'large',
    ...bySecond(lines),
  }));
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export function shardCharts({ result: { environment, shards } }: ReportRun, run: number): Chart[][] {
  const line = (points: Plotted, label = ''): Line => ({ label, ...styleOf(0), look: 'line', points });
  const parts = shards.map((_part, index) =>
    shardSpecs.flatMap((spec) => {
      const points = gaugeOf(environment, shardSource(index), spec.name);
      return points ? [{ ...spec, points }] : [];
    }),
  );
  const range = rangeOf(parts.flat().map(({ points }) => line(points)));
  const most = new Map<string, number>();
  for (const { name, points } of parts.flat())
    most.set(
      name,
      points.y.reduce<number>((highest, y) => Math.max(highest, y ?? 0), most.get(name) ?? 0),
    );
  return parts.map((own, index) => {
    const ofShard = environment.gauges.filter(({ source }) => source === shardSource(index));
    const [because] = ofShard.flatMap(({ endedBecause }) => endedBecause ?? []);
    const ended = because === undefined ? '' : `Ended early: ${because}. `;
    return own.map(({ name, title, unit, points }) => ({
      id: `run-${run}-shard-${index}-${name}`,
      title: `Shard ${index}: ${title}`,
      summary: `${ended}${gaugeTable[name].means}.`,
      x: { label: 'seconds', scale: 'linear', range },
      y: { label: unit, scale: 'linear', range: [0, (most.get(name) ?? 0) * 1.1 || 1] },
      lines: [line(points, title)],
      bands: stageBands(environment),
      group: `shards-${run}`,
      size: 'small',
      ...bySecond([line(points, title)]),
    }));
  });
}

export function stageBands({ stages, loadAtMs }: Environment): Band[] {
  const seconds = (ms: number): number => (ms - loadAtMs) / 1000;
  return stages.map(({ name, fromMs, toMs }) => ({ name, from: seconds(fromMs), to: seconds(toMs) }));
}

function rangeOf(lines: readonly Line[]): [number, number] {
  let [first, last] = [0, 1];
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
