import type { HeadlineColumn } from '../measure/declaration.js';
import { countIn, shareIn } from '../measure/ledger.js';
import type { RunResult } from './result.js';

/** The figure of one run that stands in a column of the scoreboard, in the column's own unit (microseconds, counts, a share of 1, bytes); null where there is none. */
export function headlineValue(column: HeadlineColumn, { metrics, ledger, environment }: RunResult): number | null {
  switch (column.kind) {
    case 'figure':
      return metrics[column.metric]?.[column.figure] ?? null;
    case 'count':
      return countIn(ledger, column.entry);
    case 'share':
      return shareIn(ledger, column.part, column.whole);
    case 'footprint':
      return environment.footprint?.bytesPerConnection ?? null;
  }
}
