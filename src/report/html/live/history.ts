import { type GaugeName, gaugeTable } from '../../../contract/gauges.js';
import { type ProgressView, type ShardView, silentAfterMs } from '../../../contract/progress.js';
import { type Chart, type Line, styleOf } from '../charts/chart.js';

/** What is drawn while a run goes. */
const shown: readonly { name: GaugeName; title: string; unit: string }[] = [
  { name: 'deliveriesPerSecond', title: 'Deliveries per second', unit: 'per second' },
  { name: 'open', title: 'Open connections', unit: 'connections' },
  { name: 'backlog', title: 'Backlog', unit: 'deliveries' },
  { name: 'loopDelayMs', title: 'Event loop delay of the rig', unit: 'ms' },
  { name: 'cpuCores', title: 'CPU of the rig', unit: 'cores' },
];

/** More points than a screen has columns show nothing more. */
const mostPoints = 2000;

/** One second of every chart: all shards together, then each; null where there is nothing, and while a shard is silent or lost. */
export interface LivePoint {
  x: number;
  y: Record<string, (number | null)[]>;
}

const chartId = (name: GaugeName): string => `live-${name}`;

/** The charts of a run that goes, as yet empty: a line for all shards together and, of several, one for each. */
export function liveCharts(shards: number): Chart[] {
  const labels = ['together', ...Array.from({ length: shards > 1 ? shards : 0 }, (_, index) => `shard ${index}`)];
  const lines = labels.map(
    (label, n): Line => ({ label, ...styleOf(n), look: n === 0 ? 'line' : 'thin', points: { x: [], y: [] } }),
  );
  return shown.map(({ name, title, unit }) => ({
    id: chartId(name),
    title,
    summary: `${gaugeTable[name].means}.`,
    x: { label: 'seconds', scale: 'linear' },
    y: { label: unit, scale: 'linear' },
    lines,
    bands: [],
    group: 'live',
    size: 'large',
    table: { head: ['line', 'last figure'], rows: labels.map((label) => [label, null]) },
    tableNote: '',
  }));
}

/** What a live page has drawn so far, so that one that is opened late draws the whole. */
export class LiveHistory {
  #points: LivePoint[] = [];
  #seen = '';
  /** Of the seconds, every n-th is kept. */
  #every = 1;
  #seconds = 0;

  get points(): readonly LivePoint[] {
    return this.#points;
  }

  /** The point of a view, where it has one that was not drawn yet. */
  take(view: ProgressView): LivePoint | undefined {
    const seconds = JSON.stringify(view.shards.map(({ atMs, lost }) => [atMs, lost]));
    if (seconds === this.#seen || view.shards.every(({ atMs }) => atMs === null)) return undefined;
    this.#seen = seconds;
    const point = pointOf(view);
    if (this.#seconds++ % this.#every === 0) this.#keep(point);
    return point;
  }

  #keep(point: LivePoint): void {
    this.#points.push(point);
    if (this.#points.length <= mostPoints) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }
}

function pointOf({ elapsedMs, gauges, shards }: ProgressView): LivePoint {
  const each = shards.length > 1 ? shards : [];
  const y = shown.map(({ name }) => [
    chartId(name),
    [gauges[name] ?? null, ...each.map((shard) => (isHeard(shard) ? (shard.gauges[name] ?? null) : null))],
  ]);
  return { x: Math.round(elapsedMs) / 1000, y: Object.fromEntries(y) };
}

/** What a shard said last is not what is now. */
function isHeard({ lost, silentMs }: ShardView): boolean {
  return lost === null && silentMs < silentAfterMs;
}
