import { chartFigure } from '../charts/figure.js';
import { html, printDocument } from '../document.js';
import type { Assets } from '../runs.js';
import { emptyChart, type LiveCharts } from './charts.js';

export function renderLivePage(
  title: string,
  shards: number,
  live: LiveCharts,
  assets: Assets & { liveScript: string },
): string {
  const charts = live.whole.map(emptyChart);
  const byShard = live.shards.map((own) => own.map(emptyChart));
  const rows = Array.from(
    { length: shards },
    (_, index) => html`<li id="shard-${index}">shard ${index}: <span>no report yet</span></li>`,
  );
  const grids = byShard.map(
    (own, index) =>
      html`<h3>shard ${index}</h3><div class="shards">${own.map((chart) => chartFigure(chart, 'h4'))}</div>`,
  );
  const body = html`<header><h1>${title}</h1></header>
<main id="main">
<div class="notice" role="alert" id="alert" hidden></div>
<p role="status" id="status">The run has not started.</p>
<p><strong id="elapsed"></strong>
<progress id="progress" max="1" value="0" aria-label="Elapsed of the planned time"></progress></p>
<section aria-labelledby="figures-title"><h2 id="figures-title">Figures</h2>
<dl id="figures" class="ticker"></dl></section>
<noscript><p class="notice">Watching a run needs JavaScript. Its report does not.</p></noscript>
<section aria-labelledby="time-title"><h2 id="time-title">Over time</h2>
<div class="charts">${charts.map((chart) => chartFigure(chart))}</div></section>
<section aria-labelledby="shards-title"><h2 id="shards-title">Shards</h2><ul>${rows}</ul>
${grids}</section>
</main>
`;
  const drawn = [...charts, ...byShard.flat()].map(({ table: _table, tableNote: _note, ...chart }) => chart);
  return printDocument(`${title}: running`, body, { charts: drawn, curves: {} }, assets, assets.liveScript);
}
