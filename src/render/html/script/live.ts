/// <reference lib="dom" />
import type { Band } from '../charts/chart.js';
import type { LivePoint, LiveView } from '../live/history.js';
import type { Charts, Column } from './draw.js';

// This file runs in the page as compiled, after the script of the charts. It imports only types.
const { ringsideCharts: drawn } = globalThis as unknown as { ringsideCharts: Charts };
const place = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;
/** Formats `deliveriesPerSecond` as `deliveries per second`. */
const inWords = (name: string): string =>
  name.replaceAll(/[a-z][A-Z](?![A-Z])/g, ([a, b]) => `${a} ${b?.toLowerCase()}`);
const source = new EventSource('/events');

function write(element: Element | null | undefined, text: string): void {
  // A screen reader then reads each text once.
  if (element && element.textContent !== text) element.textContent = text;
}

/** Shows a notice. An empty text removes the previous one. */
function alert(text: string): void {
  const box = place('alert');
  box.hidden = text === '';
  write(box, text);
}

/** Returns the stages on the axis of the charts. A stage that is not over ends with the axis. */
export function bandsOf({ loadAtMs, stages }: Pick<LiveView, 'loadAtMs' | 'stages'>): Band[] {
  if (loadAtMs === null) return [];
  const at = (ms: number | null): number => (ms === null ? Number.POSITIVE_INFINITY : (ms - loadAtMs) / 1000);
  return stages.map(({ name, fromMs, toMs }) => ({ name, from: at(fromMs), to: at(toMs) }));
}

function show(view: LiveView): void {
  const { stage, elapsedMs, plannedMs, figures, gauges, percentiles, shards } = view;
  // The bands are drawn with the next points.
  for (const { chart } of drawn.values()) chart.bands = bandsOf(view);
  write(place('status'), `Stage: ${stage}`);
  write(place('elapsed'), `${seconds(elapsedMs)} of at most ${seconds(plannedMs)}`);
  place<HTMLProgressElement>('progress').value = plannedMs > 0 ? Math.min(1, elapsedMs / plannedMs) : 0;
  const { count: _count, ...latency } = percentiles ?? { count: 0 };
  const latencies = Object.entries(latency).flatMap(([name, us]): [string, number][] =>
    us === null ? [] : [[`${name}, ms`, us / 1000]],
  );
  const entries = [...Object.entries({ ...figures, ...gauges }), ...latencies].map(([name, value]) => {
    const [pair, term, description] = ['div', 'dt', 'dd'].map((tag) => document.createElement(tag)) as HTMLElement[];
    const isBytes = name.endsWith('Bytes');
    write(term, isBytes ? inWords(name).replace(/ bytes$/, ', MB') : inWords(name));
    write(description, (isBytes ? value / 1e6 : value).toLocaleString('en-US', { maximumFractionDigits: 1 }));
    pair?.append(term as HTMLElement, description as HTMLElement);
    return pair as HTMLElement;
  });
  place('figures').replaceChildren(...entries);
  for (const { index, url, stage: own, lost, silentMs } of shards) {
    const row = document.getElementById(`shard-${index}`)?.querySelector('span');
    const silent = silentMs >= 1000 ? `, silent for ${seconds(silentMs)}` : '';
    write(row, lost === null ? `${own} (${url})${silent}` : `LOST (${url}): ${lost}`);
  }
  const lost = shards.filter((shard) => shard.lost !== null);
  const words = lost.map(({ index, lost: why }) => `Shard ${index} is lost: ${why}. Its lines end here.`);
  alert(words.join(' '));
}

/** Limits the points of a page that stays open for days. At the limit, each point covers twice the time. */
const mostPoints = 4000;

/** Adds points to the columns of a chart. Each point has its x and a value for each line. */
export function extend(columns: Column[], points: readonly Column[]): void {
  columns.forEach((column, at) => {
    for (const point of points) column.push(point[at]);
    while (column.length > mostPoints) column.splice(0, column.length, ...column.filter((_, n) => n % 2 === 0));
  });
}

function draw(points: readonly LivePoint[]): void {
  for (const [id, each] of drawn) {
    const rows = points.map(({ y }) => y[id] ?? []);
    extend(
      each.data as unknown as Column[],
      points.map(({ x }, n) => [x, ...(rows[n] ?? [])]),
    );
    each.most = rows.flat().reduce<number>((most, value) => Math.max(most, value ?? 0), each.most);
  }
  // Shared axes need all data first.
  for (const { plot, data, figure } of drawn.values()) {
    plot?.setData(data);
    figure.querySelector('.cursor')?.setAttribute('max', String(data[0].length - 1));
  }
  for (const [id, values] of Object.entries(points.at(-1)?.y ?? {})) {
    document
      .getElementById(id)
      ?.querySelectorAll('tbody td')
      .forEach((cell, index) => {
        write(cell, values[index]?.toLocaleString('en-US', { maximumFractionDigits: 3 }) ?? '–');
      });
  }
}

const on = <T>(name: string, act: (data: T) => void): void =>
  source.addEventListener(name, (event) => act(JSON.parse((event as MessageEvent<string>).data) as T));

on<LiveView>('view', show);
on<LivePoint[]>('points', draw);
on<{ words: string }>('over', ({ words }) => {
  document.title = `over: ${document.title}`;
  write(place('status'), words);
});
on<{ words: string; html: string | null }>('end', ({ words, html }) => {
  source.close();
  if (html === null) {
    alert(words);
    return;
  }
  document.open();
  document.write(html);
  document.close();
});
// A new connection would not restore the run.
source.addEventListener('error', () => {
  source.close();
  alert('The connection to the run is gone: the run ended, its driver died, or this page was too slow.');
});
