import type { HeadlineColumn } from '../../../measure/declaration.js';
import { spelled } from '../../../measure/samples/distribution.js';
import { headlineValue } from '../../../results/headline.js';
import type { RunResult } from '../../../results/result.js';
import { count } from '../../../units/words.js';
import { isBest } from '../../best.js';
import { cell } from '../../comparison.js';
import { atMostInWords, doubtMark } from '../../words/doubts.js';
import { footprintReach, milliseconds } from '../../words/figures.js';
import { legends } from '../../words/legends.js';
import { titleInWords, valueInWords } from '../../words/values.js';
import { dataTable, inMs } from '../charts/figure.js';
import { verdictsInWords } from '../choose.js';
import { html, type Markup } from '../markup.js';
import type { Report } from '../runs.js';

/** What all runs of a comparison say together, a row for each target; empty where the page is of no comparison. */
export function scoreboardTable({ scoreboard, scenario }: Report): Markup | string {
  if (!scoreboard) return '';
  const head = ['target', ...scenario.headline.map(titleInWords), 'verdicts'];
  const rows = scoreboard.rows.map((row) => [
    row.target,
    ...scenario.headline.map((column) => {
      // What follows the median, in brackets; a space may stand before a unit, too.
      const [median, ...spread] = cell(column, row).split(/ (?=[[(])/);
      const shown = isBest(column, row.target, scoreboard, scenario) ? html`<strong>${median}</strong>` : median;
      return spread.length > 0 ? html`${shown} <span class="interval">${spread.join(' ')}</span>` : html`${shown}`;
    }),
    row.runs.length > 0
      ? verdictsInWords(row)
      : row.state === 'notAvailable'
        ? `not available: ${row.why}`
        : row.why || 'not run',
  ]);
  const lines = [...legends(scoreboard, scenario, 'bold:'), 'all below is of the runs named above alone'];
  return html`${dataTable('Scoreboard of all runs', head, rows)}${lines.map((line) => html`<p class="aside">${line}</p>`)}`;
}

/** The figures that the scenario is judged by, a row for each run, with their intervals. */
export function headlineTable({ runs, scenario }: Report): Markup {
  const head = ['run', ...scenario.headline.map(titleInWords), 'verdict'];
  const rows = runs.map(({ label, result }) => [
    label,
    ...scenario.headline.map((column) => headlineCell(column, result)),
    result.verdict.rig,
  ]);
  const legend = `In brackets: 95 % interval over the broadcasts of the run. – : too few samples for that figure, or none. ${atMostInWords}.`;
  return html`${dataTable('Headline figures', head, rows)}<p class="aside">${legend}</p>`;
}

function headlineCell(column: HeadlineColumn, result: RunResult): Markup | null {
  const value = headlineValue(column, result);
  if (value === null) return null;
  const { text, interval } = inWords(column, value, result);
  return html`<data value="${value}">${text}</data>${interval === '' ? '' : html` <span class="interval">${interval}</span>`}`;
}

function inWords(
  column: HeadlineColumn,
  value: number,
  { metrics, environment, verdict }: RunResult,
): { text: string; interval: string } {
  switch (column.kind) {
    case 'figure': {
      const [low, high] = metrics[column.metric]?.intervals[column.figure] ?? [];
      const interval = low === undefined || high === undefined ? '' : `[${milliseconds(low)} to ${milliseconds(high)}]`;
      return { text: doubtMark(verdict, column.metric, column.figure) + milliseconds(value), interval };
    }
    case 'count':
    case 'share':
      return { text: valueInWords(column.kind, value), interval: '' };
    case 'footprint': {
      const { footprint } = environment;
      const interval = footprint ? `± ${count(Math.round(footprintReach(footprint)))}` : '';
      return { text: valueInWords(column.kind, value), interval };
    }
  }
}

const printed = ['min', 'p50', 'p90', 'p95', 'p99', 'p999', 'max', 'mean'] as const;

/** Every distribution of every run; each figure as the result has it. */
export function distributionTable({ runs, scenario }: Report): Markup {
  const head = ['metric', 'least', 'p50', 'p90', 'p95', 'p99', spelled('p999'), 'largest', 'mean', 'samples'];
  return html`${runs.map(({ label, result }) => {
    const rows = Object.keys(scenario.metrics).flatMap((name) => {
      const metric = result.metrics[name];
      if (!metric || metric.count === 0) return [];
      const figures = printed.map((figure) => inMs(metric[figure], doubtMark(result.verdict, name, figure)));
      return [[name, ...figures, metric.count]];
    });
    return rows.length > 0 ? dataTable(`Distributions of ${label}, ms`, head, rows) : '';
  })}`;
}
