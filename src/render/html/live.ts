import type { ProgressView, RunSecond } from '../../results/progress.js';
import { chartFigure, drawnOf } from './charts/chart.js';
import { shardCharts, timeCharts } from './charts/time.js';
import { liveSource } from './charts/time-source.js';
import { printDocument } from './document.js';
import { html, type Markup } from './markup.js';
import type { Assets } from './runs.js';

type LiveView = Omit<ProgressView, 'seconds'>;

/** Describes a run whose page is asked for while it goes on. */
export interface LiveRun {
  title: string;
  metric: string | undefined;
  view: LiveView | undefined;
  seconds: readonly RunSecond[];
  /** The end of the run in words. Undefined while it goes on. */
  over: string | undefined;
}

/** Renders the page of a run that goes on. The browser asks for it again and again. */
export function renderLivePage({ title, metric, view, seconds, over }: LiveRun, assets: Assets): string {
  const source = liveSource({ view: view ?? { loadAtMs: null, stages: [], shards: [] }, seconds });
  const charts = timeCharts([source], metric);
  const shards = view?.shards ?? [];
  const byShard = shards.length > 1 ? shardCharts(source) : [];
  const lost = shards.filter((shard) => shard.lost !== null);
  const alert = lost.map(({ index, lost: why }) => `Shard ${index} is lost: ${why}. Its lines end here. `);
  const grids = byShard.map(
    (own, index) =>
      html`<h3>shard ${index}</h3><div class="shards">${own.map((chart) => chartFigure(chart, 'h4'))}</div>`,
  );
  const body = html`<header><h1>${title}</h1></header>
<main id="main">
${lost.length > 0 && html`<div class="notice" role="alert" id="alert">${alert}</div>`}
<p role="status" id="status">${over ?? (view ? `Stage: ${view.stage}` : 'The run has not started.')}</p>
${view && progressOf(view)}
<section aria-labelledby="figures-title"><h2 id="figures-title">Figures</h2>
<dl id="figures" class="ticker">${view && figuresOf(view)}</dl></section>
<noscript><p class="notice">The charts need JavaScript. Their figures do not.</p></noscript>
<section aria-labelledby="time-title"><h2 id="time-title">Over time</h2>
<div class="charts">${charts.map((chart) => chartFigure(chart))}</div></section>
<section aria-labelledby="shards-title"><h2 id="shards-title">Shards</h2>
<ul>${shards.map(({ index, ...shard }) => html`<li>shard ${index}: ${shardInWords(shard)}</li>`)}</ul>
${grids}</section>
</main>
`;
  const drawn = [...charts, ...byShard.flat()].map(drawnOf);
  const state = over === undefined ? 'running' : 'over';
  return printDocument(`${title}: ${state}`, body, { charts: drawn, curves: {} }, assets);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;

function progressOf({ elapsedMs, plannedMs }: LiveView): Markup {
  const share = plannedMs > 0 ? Math.min(1, elapsedMs / plannedMs) : 0;
  return html`<p><strong>${seconds(elapsedMs)} of at most ${seconds(plannedMs)}</strong>
<progress max="1" value="${share}" aria-label="Elapsed of the planned time"></progress></p>`;
}

/** Formats `deliveriesPerSecond` as `deliveries per second`. */
const inWords = (name: string): string =>
  name.replaceAll(/[a-z][A-Z](?![A-Z])/g, ([a, b]) => `${a} ${b?.toLowerCase()}`);

function figuresOf({ figures, gauges, percentiles }: LiveView): Markup[] {
  const { count: _count, ...latency } = percentiles ?? { count: 0 };
  const latencies = Object.entries(latency).flatMap(([name, us]): [string, number][] =>
    us === null ? [] : [[`${name}, ms`, us / 1000]],
  );
  return [...Object.entries({ ...figures, ...gauges }), ...latencies].map(([name, value]) => {
    const isBytes = name.endsWith('Bytes');
    const term = isBytes ? inWords(name).replace(/ bytes$/, ', MB') : inWords(name);
    const figure = (isBytes ? value / 1e6 : value).toLocaleString('en-US', { maximumFractionDigits: 1 });
    return html`<div><dt>${term}</dt><dd>${figure}</dd></div>`;
  });
}

function shardInWords({ url, stage, lost, silentMs }: Omit<LiveView['shards'][number], 'index'>): string {
  if (lost !== null) return `LOST (${url}): ${lost}`;
  return `${stage} (${url})${silentMs >= 1000 ? `, silent for ${seconds(silentMs)}` : ''}`;
}
