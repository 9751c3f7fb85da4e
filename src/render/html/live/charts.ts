import { gaugeTable } from '../../../results/over-time/series.js';
import type { ProgressView, RunSecond } from '../../../results/progress.js';
import { type Band, type Chart, styleOf } from '../charts/chart.js';
import { type LineSubject, shardSpecs, shownOf, type TimeSpec, timeSpecs } from '../charts/time-specs.js';

const percentileSummary =
  'By the second of arrival, from bins 1.6 % wide. The report has them by the second in which sends were due.';

/** Holds a run until now: the latest view, and its seconds since the load began. */
interface RunSoFar {
  view: Pick<ProgressView, 'loadAtMs' | 'stages'>;
  seconds: readonly RunSecond[];
}

/** Returns the charts of all shards together. `metric` is the metric that is timed live, if any. */
export function liveCharts(run: RunSoFar, metric: string | undefined): Chart[] {
  return timeSpecs(metric, percentileSummary).map((spec) => chartOf(spec, run));
}

/** Returns the small charts of one shard. */
export function liveShardCharts(run: RunSoFar, shard: number): Chart[] {
  return shardSpecs.map(({ name, title, unit }) => {
    const summary = `${gaugeTable[name].means}.`;
    const lines = [{ label: title, subject: { gauge: name } }];
    const spec = { id: `shard-${shard}-${name}`, title: `Shard ${shard}: ${title}`, unit, summary, lines };
    const most = Math.max(0, ...run.seconds.flatMap(({ shards }) => shards.flatMap((each) => each?.[name] ?? [])));
    const chart = chartOf(spec, run, shard);
    return { ...chart, size: 'small', y: { ...chart.y, range: [0, most * 1.1 || 1] } };
  });
}

function chartOf(spec: TimeSpec, run: RunSoFar, shard?: number): Chart {
  const { seconds, view } = run;
  const x = seconds.map(({ atMs }) => Math.round(atMs - (view.loadAtMs ?? 0)) / 1000);
  const lines = spec.lines.map(({ label, look = 'line', subject }, n) => {
    const y = seconds.map((second) => valueIn(subject, second, shard));
    return { label, ...styleOf(n), look, points: { x, y } };
  });
  return {
    ...{ id: `live-${spec.id}`, title: shownOf(spec, lines).title, summary: spec.summary },
    x: { label: 'seconds since the load began', scale: 'linear', range: [0, Math.max(10, x.at(-1) ?? 0)] },
    // An open page keeps its lines and its axes.
    y: { label: spec.unit, scale: 'linear' },
    lines,
    bands: bandsOf(view, x.at(-1) ?? 0),
    group: 'live',
    size: 'large',
    table: { head: ['line', 'last value'], rows: lines.map(({ label, points: { y } }) => [label, y.at(-1) ?? null]) },
    tableNote: '',
  };
}

/** Returns the value of a line in a second. Six digits are finer than any screen. */
function valueIn(subject: LineSubject, second: RunSecond, shard: number | undefined): number | null {
  const { gauges, shards, percentiles, target } = second;
  const ofGauge = shard === undefined ? gauges : shards[shard];
  const value =
    'gauge' in subject
      ? ofGauge?.[subject.gauge]
      : 'percentile' in subject
        ? percentiles[subject.percentile]
        : target[subject.target];
  const per = 'gauge' in subject ? 1 : 'percentile' in subject ? 1000 : subject.per;
  return value === null || value === undefined ? null : Number((value / per).toPrecision(6));
}

/** Returns the stages on the axis of the charts. A stage that is not over ends at the last second. */
function bandsOf({ loadAtMs, stages }: RunSoFar['view'], end: number): Band[] {
  if (loadAtMs === null) return [];
  return stages.map(({ name, fromMs, toMs }) => {
    return { name, from: (fromMs - loadAtMs) / 1000, to: toMs === null ? end : (toMs - loadAtMs) / 1000 };
  });
}
