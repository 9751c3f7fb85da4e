import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { ofStep } from './deal.js';

const nothing = { min: null, p50: null, p95: null, max: null, count: 0, unfinished: undefined };

/** A line per step in the form of websocket-bench; the last one complains about missing deliveries. */
export function stepLines(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
): string[] {
  const clients = (entries.clients ?? {}) as Record<string, number>;
  const lost = (entries.lostInStep ?? {}) as Record<string, number>;
  const rows = Object.entries(clients).map(([step, there]) => {
    const trip = metrics[ofStep('roundTrip', Number(step))] ?? nothing;
    const delivery = metrics[ofStep('delivery', Number(step))] ?? nothing;
    const time = (us: number | null): string => (us === null ? '–' : `${ms(us)}ms`);
    return [
      ...[`clients:`, String(there), '95per-rtt:', time(trip.p95), 'min-rtt:', time(trip.min)],
      ...['median-rtt:', time(trip.p50), 'max-rtt:', time(trip.max)],
      ...(delivery.count === 0
        ? []
        : ['to every client: p50', time(delivery.p50), 'p95', time(delivery.p95), 'max', time(delivery.max)]),
      ...(trip.unfinished === undefined ? [] : ['unanswered', String(trip.unfinished)]),
      ...(lost[step] === undefined ? [] : ['lost', String(lost[step])]),
    ];
  });
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const lines = rows.map((row) =>
    row
      .map((text, column) =>
        column % 2 === 0 ? `${column === 0 ? '' : '    '}${text}` : ` ${text.padStart(width(column))}`,
      )
      .join(''),
  );
  const [expected, got] = [entries.expected as number, entries.delivered as number];
  return got < expected ? [...lines, '', `Missing received broadcasts: expected ${expected}, got ${got}`] : lines;
}
