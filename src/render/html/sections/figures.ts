import { isLowerEnd, presentMetrics } from '../../../measure/metric-names.js';
import { spelled } from '../../../measure/samples/distribution.js';
import { independentCount, tooFewInWords } from '../../words/notes.js';
import { leastInWords } from '../../words/verdict-words.js';
import { dataTable, inMs } from '../charts/figure.js';
import { html, type Markup } from '../document.js';
import type { Report } from '../runs.js';

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
    const rows = presentMetrics(scenario, Object.keys(result.metrics)).flatMap((name) => {
      const metric = result.metrics[name];
      if (!metric || metric.count === 0 || isLowerEnd(scenario, name)) return [];
      const figures = printed.map((figure) => inMs(metric[figure], leastInWords(result.verdict, name, figure)));
      return [[name, ...figures, metric.count, independentCount(metric)]];
    });
    const tooFew = tooFewInWords(result.metrics, scenario);
    const legend = tooFew === '' ? '' : html`<p class="aside">${tooFew}.</p>`;
    return rows.length > 0 ? html`${dataTable(`Distributions of ${label}, ms`, head, rows)}${legend}` : '';
  })}`;
}
