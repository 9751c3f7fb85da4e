import type { HeadlineColumn } from '../../../measure/declaration.js';
import { spelled } from '../../../measure/samples/distribution.js';
import { headlineValue } from '../../../results/figures.js';
import type { RunResult } from '../../../results/result.js';
import { countText } from '../../../units/text.js';
import { independentCount, tooFewInWords } from '../../words/notes.js';
import { cell, isBest, legends } from '../../words/scoreboard.js';
import { footprintReach, intervalInWords, titleInWords, valueInWords } from '../../words/values.js';
import { leastInWords, marksInWords, saidOf, withMark } from '../../words/verdict-words.js';
import { dataTable, inMs } from '../charts/figure.js';
import { html, type Markup } from '../document.js';
import { type Report, verdictsInWords } from '../runs.js';

/** Formats the scoreboard of a comparison. Returns an empty text for other pages. */
export function scoreboardTable({ scoreboard, scenario }: Report): Markup | string {
  if (!scoreboard) return '';
  const head = ['target', ...scenario.headline.map(titleInWords), 'verdicts'];
  const rows = scoreboard.rows.map((row) => {
    const notRun = row.state === 'notAvailable' ? `not available: ${row.why}` : row.why || 'not run';
    const cells = scenario.headline.map((column) => {
      // The spread is in brackets. A space can also precede a unit.
      const [median, ...spread] = cell(column, row, scenario).split(/ (?=[[(])/);
      const shown = isBest(column, row.target, scoreboard, scenario) ? html`<strong>${median}</strong>` : median;
      return html`${shown}${intervalMarkup(spread.join(' '))}`;
    });
    return [row.target, ...cells, row.runs.length > 0 ? verdictsInWords(row, scenario) : notRun];
  });
  const lines = [...legends(scoreboard, scenario, 'bold:'), 'everything below is about the runs named above'];
  const asides = lines.map((line) => html`<p class="aside">${line}</p>`);
  return html`${dataTable('Scoreboard of all runs', head, rows)}${asides}`;
}

const intervalMarkup = (interval: string): Markup | '' =>
  interval === '' ? '' : html` <span class="interval">${interval}</span>`;

/** Formats the headline with its intervals: a row for each figure of one run, or for each of several runs. */
export function headlineTable({ runs, scenario }: Report): Markup {
  const { headline } = scenario;
  const intervals = '95 % intervals are of this stretch of this run, over its broadcasts.';
  const marks = `${intervals} –: too few independent samples. ${marksInWords}.`;
  const legend = html`<p class="aside">${marks}</p>`;
  const [sole] = runs;
  if (sole && runs.length === 1) {
    const rows = headline.map((column) => {
      const { value, interval } = headlineParts(column, sole.result);
      return [titleInWords(column), value, interval || '–'];
    });
    return html`${dataTable('Headline figures', ['figure', 'value', '95 % interval'], rows)}${legend}`;
  }
  const head = ['run', ...headline.map(titleInWords), 'verdict'];
  const rows = runs.map(({ label, result }) => [
    label,
    ...headline.map((column) => {
      const { value, interval } = headlineParts(column, result);
      return value && html`${value}${intervalMarkup(interval && `[${interval}]`)}`;
    }),
    saidOf(result, scenario),
  ]);
  return html`${dataTable('Headline figures', head, rows)}${legend}`;
}

function headlineParts(column: HeadlineColumn, result: RunResult): { value: Markup | null; interval: string } {
  const value = headlineValue(column, result);
  if (value === null) return { value, interval: '' };
  const { metrics, environment, verdict } = result;
  const least = column.kind === 'figure' ? leastInWords(verdict, column.metric, column.figure) : undefined;
  const { footprint } = environment;
  const reach = column.kind === 'footprint' && footprint ? `± ${countText(Math.round(footprintReach(footprint)))}` : '';
  const text = withMark(valueInWords(column.kind, value), least);
  return { value: html`<data value="${value}">${text}</data>`, interval: intervalInWords(column, metrics) || reach };
}

const printed = ['min', 'p50', 'p90', 'p95', 'p99', 'p999', 'max', 'mean'] as const;

export function distributionTable({ runs, scenario }: Report): Markup {
  const head = [
    'metric',
    'least',
    'p50',
    'p90',
    'p95',
    'p99',
    spelled('p999'),
    'largest',
    'mean',
    'samples',
    'independent',
  ];
  return html`${runs.map(({ label, result }) => {
    const rows = Object.keys(scenario.metrics).flatMap((name) => {
      const metric = result.metrics[name];
      if (!metric || metric.count === 0) return [];
      const figures = printed.map((figure) => inMs(metric[figure], leastInWords(result.verdict, name, figure)));
      return [[name, ...figures, metric.count, independentCount(metric)]];
    });
    const tooFew = tooFewInWords(result.metrics, scenario);
    const legend = tooFew === '' ? '' : html`<p class="aside">${tooFew}.</p>`;
    return rows.length > 0 ? html`${dataTable(`Distributions of ${label}, ms`, head, rows)}${legend}` : '';
  })}`;
}
