import { mean } from 'simple-statistics';
import { rampReadings, resultViewOf } from '../../../results/over-time/readings.js';
import type { RunResult } from '../../../results/result.js';
import { footprintInWords } from '../../words/values.js';
import { thinned } from '../markup.js';
import type { Report } from '../runs.js';
import { type Chart, styleOf } from './chart.js';

const mib = 2 ** 20;

type Pair = readonly [open: number, memoryMib: number];

/** Draws memory over open connections during the ramp, with a line whose slope is the cost per connection. */
export function memoryCharts({ runs }: Report): Chart[] {
  return runs.flatMap(({ label, result }, index) => {
    const { footprint } = result.environment;
    const pairs = ramp(result.environment);
    if (!footprint || pairs.length < 2) return [];
    const [x, y] = [pairs.map(([open]) => open), pairs.map(([, memory]) => memory)];
    const each = footprintInWords(footprint);
    const all = pairs.map(([open, memory]) => [Math.round(open), memory]);
    const { rows, note } = thinned(all);
    return [
      {
        id: `memory-${index}`,
        title: `Memory per connection${runs.length > 1 ? ` of ${label}` : ''}`,
        summary: `${each} (95 % interval of a line through ${footprint.points} readings of the ramp).`,
        x: { label: 'open connections', scale: 'linear' },
        y: { label: 'memory of the target, MiB', scale: 'linear', range: around(y) },
        lines: [
          { label: 'readings', ...styleOf(0), look: 'points', points: { x, y } },
          { label: each, ...styleOf(1), look: 'line', points: fitted(x, y, footprint.bytesPerConnection) },
        ],
        table: { head: ['open connections', 'MiB'], rows },
        tableNote: note,
      } satisfies Chart,
    ];
  });
}

/** Returns a range around the readings. Only the slope matters, so the axis does not begin at zero. */
function around(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max((most - least) * 0.1, most * 0.001);
  return [least - margin, most + margin];
}

function ramp({ observations, timeline, loadAtMs }: RunResult['environment']): Pair[] {
  const readings = rampReadings(observations, timeline, loadAtMs);
  return readings.map(([open, bytes]): Pair => [open, bytes / mib]).sort(([a], [b]) => a - b);
}

function fitted(x: readonly number[], y: readonly number[], bytesPerConnection: number): { x: number[]; y: number[] } {
  const [middle, height] = [mean([...x]), mean([...y])];
  const ends = [x[0] ?? 0, x.at(-1) ?? 0];
  return { x: ends, y: ends.map((open) => height + ((open - middle) * bytesPerConnection) / mib) };
}

/** Draws a scenario's charts by number of clients. Each chart has the lines of all runs. */
export function clientCharts({ runs, scenario }: Report): Chart[] {
  const drawn = runs.map(({ label, result }) => ({
    label,
    charts: scenario.clientCharts?.(result.metrics, result.ledger, resultViewOf(result)) ?? [],
  }));
  const titles = drawn[0]?.charts ?? [];
  return titles.flatMap(({ title, unit }, index): Chart[] => {
    const lines = drawn.flatMap(({ label, charts }) =>
      (charts[index]?.lines ?? []).map((line) => ({
        label: runs.length > 1 ? `${label}, ${line.label}` : line.label,
        at: new Map((charts[index]?.clients ?? []).map((clients, n) => [clients, line.values[n] ?? null])),
      })),
    );
    const clients = [...new Set(lines.flatMap(({ at }) => [...at.keys()]))].sort((a, b) => a - b);
    if (clients.length < 2) return [];
    return [
      {
        id: `clients-${index}`,
        title,
        summary: `${title} while each hundred of clients came in.`,
        x: { label: 'clients', scale: 'linear' },
        y: { label: unit, scale: 'linear' },
        lines: lines.map(({ label, at }, n) => ({
          ...{ label, ...styleOf(n), look: 'line' as const },
          points: { x: clients, y: clients.map((each) => at.get(each) ?? null) },
        })),
        group: 'clients',
        table: {
          head: ['clients', ...lines.map(({ label }) => label)],
          rows: clients.map((each) => [each, ...lines.map(({ at }) => at.get(each) ?? null)]),
        },
      },
    ];
  });
}
