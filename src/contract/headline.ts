import type { HeadlineColumn } from './catalog.js';
import type { RunResult } from './result.js';

/** The figure of one run that stands in a column of the scoreboard, in the column's own unit (microseconds, counts, a share of 1, bytes); null where there is none. */
export function headlineValue(column: HeadlineColumn, { metrics, ledger, environment }: RunResult): number | null {
  const entry = (name: string): number => (ledger[name] as number | undefined) ?? 0;
  switch (column.kind) {
    case 'figure':
      return metrics[column.metric]?.[column.figure] ?? null;
    case 'count':
      return entry(column.entry);
    case 'share':
      return entry(column.whole) > 0 ? entry(column.part) / entry(column.whole) : null;
    case 'footprint':
      return environment.footprint?.bytesPerConnection ?? null;
  }
}
