import { mainMetric } from '../../results/figures.js';
import { comparisonDocument } from '../comparison.js';
import { type Document, headed } from '../document/document.js';
import { runDocument } from '../run.js';
import { troublesOf } from '../words/verdict-words.js';
import type { Chart } from './charts/chart.js';
import { chartFigure, drawnOf } from './charts/chart.js';
import { curvesOf, latencyCharts } from './charts/latency.js';
import { clientCharts, memoryCharts } from './charts/memory.js';
import { shardCharts, timeCharts } from './charts/time.js';
import { keptSource, spanFigures, type TimeSource } from './charts/time-source.js';
import { answerPage, documentHeader, documentHtml, printDocument } from './document.js';
import { jobSection } from './job.js';
import { html, type Markup } from './markup.js';
import { renderPairedPage } from './paired/page.js';
import type { Report } from './runs.js';
import { distributionTable, howToRead, ledgerSection } from './sections.js';

/** Prints a page about one run, several of one scenario, or a paired comparison. Its tables need no script. */
export function renderPage(report: Report): string {
  const { runs, assets, scenario, scoreboard } = report;
  if (scoreboard?.paired) return renderPairedPage(report, scoreboard, scoreboard.paired);
  const [sole] = runs.length === 1 && !scoreboard ? runs : [];
  const own = sole && runDocument(sole.result, scenario);
  if (own && sole.result.verdict.rig === 'void') return voidPage(own, report);
  const document = own ?? (scoreboard ? comparisonDocument(scoreboard, scenario) : besideEachOther(report));
  const percentiles = latencyCharts(report);
  const sources = runs.map(keptSource);
  const overTime = timeCharts(sources, mainMetric(scenario));
  const byShard = sources.map((source, run) => (source.shards.length > 1 ? shardCharts(source, run) : []));
  const memory = memoryCharts(report);
  const clients = clientCharts(report);
  // The chart beside the answer of one run. Others are drawn below.
  const opening = own ? [...percentiles, ...overTime].slice(0, 1) : [];
  const below = (charts: readonly Chart[]): Chart[] => charts.filter((chart) => !opening.includes(chart));
  const isOfLatency = ({ id }: Chart): boolean => latencyIds.includes(id);
  const { sentence, parts } = headed(document);
  const details = parts.filter(({ only, folded }) => only !== 'brief' && !ownSections.includes(folded));
  const whole = details.filter(({ only }) => only === 'whole');
  const first = documentHtml({ ...document, parts: details.filter((part) => !whole.includes(part)) }, 'h2');
  const sections: Section[] = [
    { id: 'figures', title: 'Figures', body: html`${distributionTable(report)}${documentHtml({ parts: whole })}` },
    { id: 'latency', title: 'Latency', body: grid(below([...percentiles, ...overTime.filter(isOfLatency)])) },
    {
      id: 'time',
      title: 'Over time',
      body: withStages(
        sources,
        below(overTime).filter((chart) => !isOfLatency(chart)),
      ),
      isClosed: true,
    },
    { id: 'clients', title: 'Against the number of clients', body: grid(clients) },
    { id: 'ledger', title: 'Ledger', body: ledgerSection(report) },
    { id: 'shards', title: 'Shards', body: shards(report, byShard), isClosed: true },
    { id: 'memory', title: 'Memory per connection', body: grid(memory), isClosed: true },
    { id: 'job', title: 'Job and machines', body: jobSection(report), isClosed: true },
    { id: 'how-to-read', title: 'How to read this page', body: howToRead(report), isClosed: true },
  ];
  const body = html`${documentHeader(document)}
<main id="main">
${noticesOf(report)}
<div id="verdict" class="opening"><div>${first}</div>${opening.map((chart) => chartFigure(chart, 'h2'))}</div>
${sections.map(sectionHtml)}</main>
`;
  const charts = [...percentiles, ...overTime, ...clients, ...byShard.flat(2), ...memory].map(drawnOf);
  return printDocument(sentence, body, { charts, curves: curvesOf(report) }, assets);
}

/** The charts of percentiles over time: of one run, and of several. */
const latencyIds: readonly string[] = ['percentiles', ...spanFigures].map((id) => `time-${id}`);

interface Section {
  id: string;
  title: string;
  /** Empty for a section that is left out. */
  body: Markup | '';
  isClosed?: true;
}

function sectionHtml({ id, title, body, isClosed }: Section): Markup | '' {
  if (body === '') return '';
  const name = html`<h2 id="${id}-title">${title}</h2>`;
  const whole = isClosed ? html`<details><summary>${name}</summary><div>${body}</div></details>` : html`${name}${body}`;
  return html`<section id="${id}"${isClosed && html` class="closed"`} aria-labelledby="${id}-title">${whole}</section>
`;
}

function noticesOf({ difference, chosen }: Report): Markup {
  const notice = html`<p class="notice"><strong>These runs were asked for different loads:</strong> ${difference}.
Differences may not come from the targets.</p>`;
  return html`${difference !== '' && notice}
${chosen !== '' && html`<p class="aside">${chosen}</p>`}
<noscript><p class="notice">The charts need JavaScript. The tables have every figure.</p></noscript>`;
}

/** Prints what happened and the fix. What was counted is folded. */
function voidPage(document: Document, { assets }: Report): string {
  const counted = document.parts.filter(({ only }) => only === 'whole');
  const details = [{ name: 'What was counted', title: '', parts: counted, suites: [] }];
  const parts = document.parts.filter(({ only }) => only !== 'whole');
  return answerPage({ ...document, parts, details }, assets);
}

/** Names the parts of a run that the page shows in sections of their own. */
const ownSections: readonly (string | undefined)[] = ['Distributions', 'Ledger'];

function besideEachOther({ runs, scenario }: Report): Document {
  const names = runs.length > 5 ? `${runs.length} runs` : runs.map(({ label }) => label).join(', ');
  const details = runs.map(({ label, result }) => {
    const { parts, ...document } = runDocument(result, scenario);
    return { ...document, name: label, parts: parts.filter(({ only }) => only === undefined) };
  });
  return { title: `${scenario.name}: ${names}`, parts: [], details, suites: [] };
}

/** Arranges charts side by side if the page is wide enough. Returns an empty text without charts. */
function grid(charts: readonly Chart[]): Markup | '' {
  return charts.length > 0 ? html`<div class="charts">${charts.map((chart) => chartFigure(chart))}</div>` : '';
}

function withStages(sources: readonly TimeSource[], charts: readonly Chart[]): Markup | '' {
  if (charts.length === 0) return '';
  const bands = sources.length === 1 ? (sources[0]?.bands ?? []) : [];
  const words = bands.map(({ name, from, to }) => `${name} ${from.toFixed(1)} to ${to.toFixed(1)} s`);
  return html`${bands.length > 0 && html`<p class="aside">Shaded stages: ${words.join(', ')}.</p>`}${grid(charts)}`;
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
