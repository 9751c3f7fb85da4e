import type { Declaration } from '../measure/declaration.js';
import { isLowerEnd, metricTitle, presentMetrics } from '../measure/metric-names.js';
import { spelled } from '../measure/samples/distribution.js';
import type { RunResult } from '../results/result.js';
import { countText } from '../units/text.js';
import { type Block, type DataTable, toned } from './document/document.js';
import { tooFewInWords } from './words/notes.js';
import { milliseconds } from './words/values.js';
import { boundsInWords, figuresInBrief, leastInWords, withBound } from './words/verdict-words.js';

const printed = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;
type Printed = (typeof printed)[number];

/** Returns the percentiles of metrics with their bounds. Metrics without samples are left out. */
function tableOf(
  { metrics, verdict }: RunResult,
  scenario: Declaration,
  names: readonly string[],
  figures: readonly Printed[],
  more: { title: string; of(metric: RunResult['metrics'][string]): string }[] = [],
): DataTable[] {
  const rows = names.flatMap((name) => {
    const metric = metrics[name];
    if (!metric || metric.count === 0) return [];
    const cells = figures.map((figure) => {
      const us = metric[figure];
      return withBound(milliseconds(us), us === null ? undefined : leastInWords(verdict, name, figure));
    });
    return [[metricTitle(scenario, name), ...cells, ...more.map((column) => column.of(metric))]];
  });
  const head = ['ms', ...figures.map(spelled), ...more.map(({ title }) => title)];
  return rows.length > 0 ? [{ head, rows, ifNarrow: 'twoLines' }] : [];
}

/** Returns the p50, p95, p99 and max of the metrics in the headline. */
export function headlineTable(result: RunResult, scenario: Declaration): Block[] {
  const figured = scenario.headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : []));
  const names = [...new Set(figured)];
  const [main = ''] = names;
  const ofMain = result.metrics[main] ? { [main]: result.metrics[main] } : {};
  const [tooFew = ''] = tooFewInWords(ofMain, scenario, ['p50', 'p95', 'p99']).split('; ');
  const tables = tableOf(result, scenario, names, figuresInBrief).map(underMain);
  return [...tables, ...(tooFew === '' ? [] : [toned.aside(tooFew)])];
}

/** Cuts the name of a row that begins with that of the row above, so that bounds fit beside it on 80 columns. */
function underMain(table: DataTable): DataTable {
  const above = (at: number): string => `${table.rows[at - 1]?.[0]}, `;
  const rows = table.rows.map(([name = '', ...cells], at) => [
    String(name).startsWith(above(at)) ? String(name).slice(above(at).length) : name,
    ...cells,
  ]);
  return { ...table, rows };
}

/** Returns every percentile of every metric, and why some have none. */
export function distributions(result: RunResult, scenario: Declaration): Block[] {
  const { metrics, verdict } = result;
  const names = presentMetrics(scenario, Object.keys(metrics)).filter((name) => !isLowerEnd(scenario, name));
  const table = tableOf(result, scenario, names, printed, [{ title: 'samples', of: ({ count }) => countText(count) }]);
  if (table.length === 0) return [];
  const unfinished = names.flatMap((name) => {
    const longer = metrics[name]?.unfinished ?? 0;
    return longer > 0 ? [`–: or, for ${name}, it falls on ${countText(longer)} that did not come within the run`] : [];
  });
  const tooFew = tooFewInWords(metrics, scenario);
  const legend = [...(tooFew === '' ? [] : [tooFew]), ...unfinished, ...(verdict.bounds ? [boundsInWords] : [])];
  return [...table, ...legend.map(toned.aside)];
}
