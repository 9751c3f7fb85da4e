import type { Told } from '../../measure/declaration.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { count } from '../../units/words.js';
import { hundredsForAnEnd, plateauOf } from './hundreds.js';
import type { GameOptions } from './options.js';
import { type Row, rowsOf } from './rows.js';

const head = [
  ...['clients', 'playing', 'ping ms p50', 'p95', '≥', 'unanswered', 'delivery ms p50', 'p95', 'deliveries'],
  ...['loop ms p99', 'CPU %', 'MB'],
];

/** A row for each hundred of clients. */
export function gameLines(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
  told: Told<GameOptions>,
): string[] {
  const by = (name: string, clients: string): string =>
    count(((entries[name] ?? {}) as Record<string, number>)[clients] ?? 0);
  const time = (us: number | null | undefined): string => (us === null || us === undefined ? '–' : ms(us));
  const whole = (value: number | null, unit = 1): string => (value === null ? '–' : count(Math.round(value / unit)));
  const rows = rowsOf(metrics, entries, told);
  const cells = rows.map(({ clients, ping, pingAtLeast, delivery, readings }) => [
    ...[clients, by('playingAt', clients), time(ping?.p50), time(ping?.p95), time(pingAtLeast?.p95)],
    ...[by('unansweredAt', clients), time(delivery?.p50), time(delivery?.p95), by('heardAt', clients)],
    readings.eventLoopDelayP99Ms === null ? '–' : ms(readings.eventLoopDelayP99Ms * 1000),
    ...[whole(readings.cpuPercent), whole(readings.rssBytes, 1e6)],
  ]);
  const width = (column: number): number => Math.max(...[head, ...cells].map((row) => row[column]?.length ?? 0));
  const lineOf = (row: readonly string[]): string => row.map((cell, n) => cell.padStart(width(n))).join('  ');
  return [head, ...cells].map(lineOf);
}

/** Where the p95 of pings left its plateau, and why. */
export function plateauFinding(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
  told: Told<GameOptions>,
): string {
  const rows = rowsOf(metrics, entries, told);
  const plateau = plateauOf(
    rows.map(({ ping }) => ping?.p95 ?? null),
    rows.map(({ pingAtLeast }) => pingAtLeast?.p95 ?? null),
  );
  if (plateau === undefined) return 'no plateau is named: that needs the p95 of pings in five hundreds of clients';
  const { us, hundreds, leftAt } = plateau;
  const there = `plateau of ${ms(us)} ms`;
  if (hundreds < hundredsForAnEnd)
    return `the p95 of pings has a ${there}; where it ends needs ${hundredsForAnEnd} hundreds of clients`;
  const row = leftAt === undefined ? undefined : rows[leftAt];
  return row === undefined
    ? `the p95 of pings does not leave its ${there}`
    : `the p95 of pings leaves its ${there} at ${row.clients} clients: ${whyLeft(row, ms)}`;
}

/** A core this busy is full. */
const fullCorePercent = 95;
/** A target that waits this much for a core shares the machine with somebody who takes too much of it. */
const crowdedPercent = 10;

/** What the target’s readings say of a hundred with slow pings; nothing of the rig is in them. */
function whyLeft({ ping, readings }: Row, ms: (us: number | null) => string): string {
  const { cpuPercent, coreWaitPercent, eventLoopDelayP99Ms } = readings;
  const [cpu, waited, late] = [cpuPercent ?? 0, coreWaitPercent ?? 0, (eventLoopDelayP99Ms ?? 0) * 1000];
  const loop = `its loop ran ${ms(late)} ms late`;
  // All threads together can wait longer than a second in each.
  if (waited >= crowdedPercent)
    return `the machine was full: the target’s threads waited ${ms(waited * 10_000)} ms of each second for a core`;
  if (cpu >= fullCorePercent) return `the target’s CPU was at ${Math.round(cpu)} % of a core, and ${loop}`;
  if (late >= (ping?.p95 ?? 0) / 2) return `${loop} at ${Math.round(cpu)} % of a core`;
  return `neither its CPU (${Math.round(cpu)} % of a core) nor its loop says why`;
}
