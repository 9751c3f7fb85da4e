import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { count } from '../../units/words.js';
import { ofStep } from '../steps/deal.js';
import { plateauOf } from './hundreds.js';

const head = ['clients', 'playing', 'ping p50', 'p95', 'unanswered', 'delivery p50', 'p95', 'deliveries'];

/** A row for each hundred of clients, and where the p95 of pings left its plateau. */
export function gameLines(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
): string[] {
  const by = (name: string): Record<string, number> => (entries[name] ?? {}) as Record<string, number>;
  const p95Of = (metric: string): (number | null)[] =>
    reached.map((_, n) => metrics[ofStep(metric, n + 1)]?.p95 ?? null);
  const time = (us: number | null | undefined): string => (us === null || us === undefined ? '–' : ms(us));
  const reached = Object.keys(by('playingAt')).filter((_, n) => (metrics[ofStep('ping', n + 1)]?.count ?? 0) > 0);
  const rows = reached.map((clients, n) => {
    const [ping, delivery] = [metrics[ofStep('ping', n + 1)], metrics[ofStep('delivery', n + 1)]];
    return [
      ...[clients, count(by('playingAt')[clients] ?? 0), time(ping?.p50), time(ping?.p95)],
      ...[count(by('unansweredAt')[clients] ?? 0), time(delivery?.p50), time(delivery?.p95)],
      count(by('heardAt')[clients] ?? 0),
    ];
  });
  const width = (column: number): number => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0));
  const lineOf = (row: readonly string[]): string => row.map((cell, n) => cell.padStart(width(n))).join('  ');
  return [`${lineOf(head)}  (times in ms)`, ...rows.map(lineOf), '', plateauLine()];

  function plateauLine(): string {
    const plateau = plateauOf(p95Of('ping'), p95Of('pingAtLeast'));
    if (plateau === undefined) return 'plateau: a run needs seven hundreds of clients to name it';
    const { us, leftAt } = plateau;
    const end = leftAt === undefined ? 'not left' : `left at ${reached[leftAt]} clients`;
    return `plateau: the p95 of pings is ${ms(us)} ms in the first hundreds; ${end}`;
  }
}
