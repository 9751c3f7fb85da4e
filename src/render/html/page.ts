import { comparisonDocument } from '../comparison.js';
import { documentHtml } from '../document/html.js';
import { runDocument } from '../run.js';
import { troublesOf } from '../words/verdict-words.js';
import type { Chart, PageData, Points } from './charts/chart.js';
import { chartFigure } from './charts/figure.js';
import { curvesOf, latencyCharts } from './charts/latency.js';
import { clientCharts, memoryCharts } from './charts/memory.js';
import { shardCharts, stageBands, timeCharts } from './charts/over-time.js';
import { html, type Markup, printDocument } from './document.js';
import { renderPairedPage } from './paired/page.js';
import type { Report } from './runs.js';
import { distributionTable } from './sections/figures.js';
import { howToRead } from './sections/how-to-read.js';
import { jobSection } from './sections/job.js';
import { ledgerSection } from './sections/ledger.js';

/**
 * Prints a page about one run, several of one scenario, or a paired comparison, in one file. Its tables need no script.
 */
export function renderPage(report: Report): string {
  const { runs, assets, scenario, scoreboard } = report;
  if (scoreboard?.paired) return renderPairedPage(report, scoreboard, scoreboard.paired);
  const latency = latencyCharts(report);
  const overTime = timeCharts(report);
  const byShard = runs.map((run, index) => (run.result.shards.length > 1 ? shardCharts(run, index) : []));
  const memory = memoryCharts(report);
  const clients = clientCharts(report);
  const sections: [id: string, title: string, body: Markup | ''][] = [
    ['verdict', 'Result', scoreboard ? documentHtml(comparisonDocument(scoreboard, scenario)) : runsHtml(report)],
    ['figures', 'Distributions', distributionTable(report)],
    ['latency', 'Latency', grid(latency)],
    ['time', 'Over time', overTime.length > 0 ? html`${stages(report)}${grid(overTime)}` : ''],
    ['clients', 'Against the number of clients', grid(clients)],
    ['ledger', 'Ledger', ledgerSection(report)],
    ['shards', 'Shards', shards(report, byShard)],
    ['memory', 'Memory per connection', grid(memory)],
    ['job', 'Job and machines', jobSection(report)],
    ['how-to-read', 'How to read this page', howToRead(report)],
  ];
  const charts = [...latency, ...overTime, ...clients, ...byShard.flat(2), ...memory].map(drawnOf);
  const names = runs.length > 5 ? `${runs.length} runs` : runs.map(({ label }) => label).join(', ');
  const title = `${scenario.name}: ${names}`;
  const filled = sections.filter(([, , body]) => body !== '');
  return printDocument(title, bodyOf(title, report, filled), { charts, curves: curvesOf(report) }, assets);
}

function bodyOf(title: string, report: Report, sections: readonly (readonly [string, string, Markup | ''])[]): Markup {
  const { difference, chosen, disagreeing = '' } = report;
  const notice = html`<p class="notice"><strong>These runs have different shapes:</strong> ${difference}.
Differences may not come from the targets.</p>`;
  const links = sections.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  return html`<header><h1>${title}</h1>
<nav aria-label="Sections"><ul>${links}</ul></nav></header>
<main id="main">
${difference !== '' && notice}
${chosen !== '' && html`<p class="aside">${chosen}</p>`}
${disagreeing !== '' && html`<p class="notice">${disagreeing}</p>`}
<noscript><p class="notice">The charts need JavaScript. The tables have every figure.</p></noscript>
${sections.map(
  ([id, name, body]) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${name}</h2>
${body}</section>
`,
)}</main>
`;
}

/** Names the parts of a run that the page shows in sections of their own. */
const ownSections: readonly (string | undefined)[] = ['Distributions', 'Ledger'];

function runsHtml({ runs, scenario }: Report): Markup {
  return html`${runs.map(({ label, result }) => {
    const { parts } = runDocument(result, scenario);
    const shown = documentHtml({
      parts: parts.filter(({ only, folded }) => only !== 'brief' && !ownSections.includes(folded)),
    });
    return runs.length === 1 ? shown : html`<details open><summary>${label}</summary>${shown}</details>`;
  })}`;
}

/** Arranges charts side by side if the page is wide enough. Returns an empty text without charts. */
function grid(charts: readonly Chart[]): Markup | '' {
  return charts.length > 0 ? html`<div class="charts">${charts.map((chart) => chartFigure(chart))}</div>` : '';
}

function stages({ runs }: Report): Markup | '' {
  const [sole] = runs;
  const bands = sole && runs.length === 1 ? stageBands(sole.result.environment) : [];
  if (bands.length === 0) return '';
  const words = bands.map(({ name, from, to }) => `${name} ${from.toFixed(1)} to ${to.toFixed(1)} s`);
  return html`<p class="aside">Shaded stages: ${words.join(', ')}.</p>`;
}

function shards({ runs }: Report, byShard: readonly Chart[][][]): Markup | '' {
  const isSole = runs.length === 1;
  const parts = runs.map(({ label, result }, run) =>
    result.shards.flatMap((part, index) => {
      const charts = byShard[run]?.[index] ?? [];
      const troubles = troublesOf(part, result.environment).map((text) => html`<p class="doubtful">${text}</p>`);
      if (charts.length + troubles.length === 0) return [];
      const name = `${isSole ? '' : `${label}, `}shard ${index}`;
      const drawn = charts.map((chart) => chartFigure(chart, 'h4'));
      return [
        html`<h3>${name} <span class="aside">${part.url}</span></h3>${troubles}<div class="shards">${drawn}</div>`,
      ];
    }),
  );
  if (parts.flat().length === 0) return '';
  if (isSole) return html`${parts}`;
  return html`${parts.map(
    (each, run) => html`<details><summary>Shards of ${runs[run]?.label}</summary>${each}</details>`,
  )}`;
}

/** Returns the part of a chart that the script draws: everything but its table, in five digits. */
function drawnOf({ table: _table, tableNote: _note, ...chart }: Chart): PageData['charts'][number] {
  return { ...chart, lines: chart.lines.map((line) => ({ ...line, points: fine(line.points) })) };
}

function fine(points: Points): Points {
  if ('curve' in points) return points;
  return {
    x: points.x.map((x) => Math.round(x * 1000) / 1000),
    y: points.y.map((y) => (y === null ? null : Number(y.toPrecision(5)))),
  };
}
