import { gaugeTable } from '../../../results/over-time/series.js';
import type { RunSecond } from '../../../results/progress.js';
import { type Chart, styleOf } from '../charts/chart.js';
import { type LineSubject, shardSpecs, type TimeSpec, timeSpecs } from '../charts/time-specs.js';

interface LiveChart extends TimeSpec {
  size: Chart['size'];
  shard?: number;
}

export interface LiveCharts {
  whole: readonly LiveChart[];
  shards: readonly (readonly LiveChart[])[];
}

const percentileSummary =
  'By the second of arrival, from bins 1.6 % wide. The report has them by the second in which sends were due.';

/** Returns the charts of a run with this many shards. `metric` is the metric that is timed live, if any. */
export function liveCharts(shards: number, metric: string | undefined): LiveCharts {
  const indices = Array.from({ length: shards > 1 ? shards : 0 }, (_, index) => index);
  return {
    whole: timeSpecs(metric, percentileSummary).map((spec) => ({ ...spec, size: 'large' })),
    shards: indices.map((shard) =>
      shardSpecs.map(
        ({ name, title, unit }): LiveChart => ({
          ...{ id: `shard-${shard}-${name}`, title: `Shard ${shard}: ${title}`, unit, size: 'small', shard },
          summary: `${gaugeTable[name].means}.`,
          lines: [{ label: title, subject: { gauge: name } }],
        }),
      ),
    ),
  };
}

function valueIn(
  subject: LineSubject,
  { gauges, shards, percentiles, target }: RunSecond,
  shard?: number,
): number | null {
  if ('gauge' in subject) return (shard === undefined ? gauges : shards[shard])?.[subject.gauge] ?? null;
  const value = 'percentile' in subject ? percentiles[subject.percentile] : target[subject.target];
  return value === null || value === undefined ? null : value / ('percentile' in subject ? 1000 : subject.per);
}

/**
 * Returns a second of each chart by its id, with a value or null for each line. Six digits are finer than any screen.
 */
export function valuesOf({ whole, shards }: LiveCharts, second: RunSecond): Record<string, (number | null)[]> {
  return Object.fromEntries(
    [...whole, ...shards.flat()].map(({ id, lines, shard }) => {
      const values = lines.map(({ subject }) => valueIn(subject, second, shard));
      return [chartId(id), values.map((value) => value && Number(value.toPrecision(6)))];
    }),
  );
}

export function emptyChart({ id, title, summary, unit, size, lines }: LiveChart): Chart {
  const [subject] = lines.map((line) => line.subject);
  const shared = size === 'small' && subject && 'gauge' in subject ? { shared: subject.gauge } : {};
  return {
    id: chartId(id),
    title,
    summary,
    x: { label: size === 'small' ? 'seconds' : 'seconds since the load began', scale: 'linear' },
    y: { label: unit, scale: 'linear', ...shared },
    lines: lines.map(({ label, look = 'line' }, n) => ({ label, ...styleOf(n), look, points: { x: [], y: [] } })),
    bands: [],
    group: 'live',
    size,
    table: { head: ['line', 'last value'], rows: lines.map(({ label }) => [label, null]) },
    tableNote: '',
  };
}

const chartId = (id: string): string => `live-${id}`;
