import type { ClientChart, TargetReading, Told } from '../../measure/declaration.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import type { GameOptions } from './options.js';
import { type Row, rowsOf } from './rows.js';

/** Pings, deliveries, and the target’s loop, CPU and memory against the number of clients. */
export function gameCharts(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  told: Told<GameOptions>,
): readonly ClientChart[] {
  const rows = rowsOf(metrics, entries, told);
  const clients = rows.map((row) => Number(row.clients));
  const heardAt = (entries.heardAt ?? {}) as Record<string, number>;
  const chart = (title: string, unit: string, lines: Readonly<Record<string, (row: Row) => number | null>>) => ({
    ...{ title, unit, clients },
    lines: Object.entries(lines).map(([label, of]) => ({ label, values: rows.map(of) })),
  });
  const ms = (us: number | null | undefined): number | null => (us === null || us === undefined ? null : us / 1000);
  const reading =
    (name: TargetReading, of = 1) =>
    (row: Row) => {
      const value = row.readings[name];
      return value === null ? null : value / of;
    };
  return [
    chart('Pings', 'ms', {
      p50: ({ ping }) => ms(ping?.p50),
      p95: ({ ping }) => ms(ping?.p95),
      p99: ({ ping }) => ms(ping?.p99),
      'p95 without the rig': ({ pingAtLeast }) => ms(pingAtLeast?.p95),
    }),
    chart('Deliveries', 'ms', {
      p50: ({ delivery }) => ms(delivery?.p50),
      p95: ({ delivery }) => ms(delivery?.p95),
      p99: ({ delivery }) => ms(delivery?.p99),
    }),
    chart('Delivered', 'per second', {
      delivered: ({ clients: each, seconds }) => (seconds > 0 ? (heardAt[each] ?? 0) / seconds : null),
    }),
    chart('Event loop of the target', 'ms', { 'p99 delay': reading('eventLoopDelayP99Ms') }),
    chart('CPU of the target', '% of a core', {
      CPU: reading('cpuPercent'),
      'waiting for a core': reading('coreWaitPercent'),
    }),
    chart('Memory of the target', 'MB', { resident: reading('rssBytes', 1e6) }),
  ];
}
