import { troublesOf } from '../words/shard-words.js';
import type { Chart, PageData, Points } from './charts/chart.js';
import { chartFigure } from './charts/figure.js';
import { curvesOf, latencyCharts } from './charts/latency.js';
import { memoryCharts } from './charts/memory.js';
import { stageBands, timeCharts } from './charts/over-time.js';
import { shardCharts } from './charts/shards.js';
import { printDocument } from './document.js';
import { html, type Markup } from './markup.js';
import type { Report } from './runs.js';
import { distributionTable, headlineTable, scoreboardTable } from './sections/figures.js';
import { howToRead } from './sections/how-to-read.js';
import { jobSection } from './sections/job.js';
import { ledgerSection } from './sections/ledger.js';
import { verdictCard } from './sections/verdict.js';

interface Section {
  id: string;
  title: string;
  body: Markup | string;
}

/** One page about one run or several of one scenario: text that needs nothing but a browser, and no browser's script for its numbers. */
export function renderPage(report: Report): string {
  const { runs, assets } = report;
  const latency = latencyCharts(report);
  const overTime = timeCharts(report);
  const byShard = runs.map(shardCharts);
  const memory = memoryCharts(report);
  const charts = [...latency, ...overTime, ...byShard.flat(2), ...memory];
  const sections: Section[] = [
    {
      id: 'verdict',
      title: runs.length > 1 ? 'Verdicts' : 'Verdict',
      body: html`${runs.map((run) => verdictCard(run, report.scenario, runs.length === 1))}`,
    },
    {
      id: 'figures',
      title: 'Figures',
      body: html`${scoreboardTable(report)}${headlineTable(report)}${distributionTable(report)}`,
    },
    { id: 'latency', title: 'Latency', body: figures(latency) },
    { id: 'time', title: 'Over time', body: overTime.length > 0 ? html`${stages(report)}${figures(overTime)}` : '' },
    { id: 'ledger', title: 'Ledger', body: ledgerSection(report) },
    { id: 'shards', title: 'Shards', body: shards(report, byShard) },
    { id: 'memory', title: 'Memory per connection', body: figures(memory) },
    { id: 'job', title: 'Job, machines and shape', body: jobSection(report) },
    { id: 'how-to-read', title: 'How to read this', body: howToRead(report.scenario) },
  ];
  return printDocument({
    title: titleOf(report),
    body: bodyOf(
      report,
      sections.filter(({ body }) => body !== ''),
    ),
    data: { charts: charts.map(drawnOf), curves: curvesOf(report) },
    uplotStyle: assets.uplotStyle,
    scripts: [
      { text: assets.uplotScript, isModule: false },
      { text: assets.drawScript, isModule: true },
    ],
    connects: 'none',
  });
}

function titleOf({ runs, scenario }: Report): string {
  return `${scenario.name} of ${runs.length > 5 ? `${runs.length} runs` : runs.map(({ label }) => label).join(', ')}`;
}

function bodyOf(report: Report, sections: readonly Section[]): Markup {
  const { difference, chosen } = report;
  return html`<header><h1>${titleOf(report)}</h1>
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav></header>
<main id="main">
${difference === '' ? '' : html`<p class="notice"><strong>These runs are of different shapes:</strong> ${difference}. What lies between them need not be the targets’.</p>`}
${chosen === '' ? '' : html`<p class="aside">${chosen}</p>`}
<noscript><p class="notice">The charts need JavaScript. Every figure is in the tables.</p></noscript>
${sections.map(
  ({ id, title, body }) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}</section>
`,
)}</main>
`;
}

function figures(charts: readonly Chart[]): Markup | '' {
  return charts.length > 0 ? html`${charts.map((chart) => chartFigure(chart))}` : '';
}

/** The shaded stretches of the charts, in words. */
function stages({ runs }: Report): Markup | string {
  const [sole] = runs;
  if (!sole || runs.length > 1) return '';
  const bands = stageBands(sole.result.environment);
  if (bands.length === 0) return '';
  const words = bands.map(({ name, from, to }) => `${name} ${from.toFixed(1)} to ${to.toFixed(1)} s`);
  return html`<p class="aside">Shaded are the stages: ${words.join(', ')}.</p>`;
}

function shards({ runs }: Report, byShard: readonly Chart[][][]): Markup | string {
  if (byShard.flat(2).length === 0) return '';
  const isSole = runs.length === 1;
  return html`${runs.map(({ label, result }, run) => {
    const grids = (byShard[run] ?? []).map((charts, index) => {
      const part = result.shards[index];
      const troubled = part ? troublesOf(part, result.environment) : [];
      const words = troubled.map((text) => html`<p class="doubtful">${text}</p>`);
      return html`<h3>${isSole ? '' : `${label}, `}shard ${index} <span class="aside">${part?.url ?? ''}</span></h3>${words}<div class="shards">${charts.map((chart) => chartFigure(chart, 'h4'))}</div>`;
    });
    return isSole ? html`${grids}` : html`<details><summary>Shards of ${label}</summary>${grids}</details>`;
  })}`;
}

/** What the script draws: a chart without what only its table shows, its figures as fine as a screen. */
function drawnOf({ table: _table, tableNote: _note, ...chart }: Chart): PageData['charts'][number] {
  return { ...chart, lines: chart.lines.map((line) => ({ ...line, points: fine(line.points) })) };
}

function fine(points: Points): Points {
  if ('curve' in points) return points;
  const digits = (value: number): number => Number(value.toPrecision(5));
  return {
    x: points.x.map((x) => Math.round(x * 1000) / 1000),
    y: points.y.map((y) => (y === null ? null : digits(y))),
  };
}
