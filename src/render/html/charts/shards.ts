import { type GaugeName, gaugeTable, shardSource } from '../../../results/series.js';
import type { ReportRun } from '../runs.js';
import { type Chart, type Line, styleOf } from './chart.js';
import { gaugeOf } from './courses.js';
import { bySecond, rangeOf, stageBands } from './over-time.js';

const shown: readonly { name: GaugeName; title: string; unit: string }[] = [
  { name: 'deliveriesPerSecond', title: 'deliveries per second', unit: 'per second' },
  { name: 'open', title: 'open connections', unit: 'connections' },
  { name: 'loopDelayMs', title: 'loop delay', unit: 'ms' },
];

/** Of every shard of a run the same small charts, on the same axes: a shard that went its own way stands out. */
export function shardCharts({ result: { environment, shards } }: ReportRun, run: number): Chart[][] {
  const parts = shards.map((_part, index) =>
    shown.flatMap(({ name, title, unit }) => {
      const points = gaugeOf(environment, shardSource(index), name);
      return points ? [{ name, title, unit, points }] : [];
    }),
  );
  const all = parts.flat();
  const range = rangeOf(all.map(({ points }) => line(points)));
  return parts.map((own, index) =>
    own.map(({ name, title, unit, points }) => {
      const most = all
        .filter((each) => each.name === name)
        .flatMap((each) => each.points.y)
        .reduce<number>((highest, y) => Math.max(highest, y ?? 0), 0);
      return {
        id: `run-${run}-shard-${index}-${name}`,
        title: `Shard ${index}: ${title}`,
        summary: `${ended(environment, index)}${gaugeTable[name].means}.`,
        x: { label: 'seconds', scale: 'linear', range },
        y: { label: unit, scale: 'linear', range: [0, most > 0 ? most * 1.1 : 1] },
        lines: [line(points, title)],
        bands: stageBands(environment),
        group: `shards-${run}`,
        size: 'small',
        ...bySecond([line(points, title)]),
      };
    }),
  );
}

/** Why the lines of a lost shard stop. */
function ended({ gauges }: ReportRun['result']['environment'], index: number): string {
  const why = gauges.find(({ source, endedBecause }) => source === shardSource(index) && endedBecause !== undefined);
  return why ? `Ended early: ${why.endedBecause}. ` : '';
}

const line = (points: Line['points'], label = ''): Line => ({ label, ...styleOf(0), look: 'line', points });
