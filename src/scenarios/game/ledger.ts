import type { ResultView, TargetReading } from '../../measure/declaration.js';
import { type LedgerEntries, ledgerSum } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { countText, shareOf } from '../../units/text.js';
import { check, countsOf, deliverySum, ledgerOf, none, total, unlearnedInWords } from '../books/ledger.js';
import { ofStep } from '../steps/loop.js';
import { type GameOptions, PlayerBuckets } from './role.js';

const head = [
  ...['clients', 'playing', 'ping ms p50', 'p95', '≥', 'unanswered', 'delivery ms p50', 'p95', 'deliveries'],
  ...['loop ms p99', 'CPU %', 'MB'],
];

/** Prints a row for each bucket of 100 clients. */
export function gameLines(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
  told: ResultView<GameOptions>,
): string[] {
  const by = (name: string, clients: string): string =>
    countText(((entries[name] ?? {}) as Record<string, number>)[clients] ?? 0);
  const time = (us: number | null | undefined): string => (us === null || us === undefined ? '–' : ms(us));
  const whole = (value: number | null, unit = 1): string =>
    value === null ? '–' : countText(Math.round(value / unit));
  const rows = playerRows(metrics, entries, told);
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

/** Says where the p95 of pings left its plateau, and why. */
export function plateauFinding(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
  told: ResultView<GameOptions>,
): string {
  const rows = playerRows(metrics, entries, told);
  const plateau = pingPlateauOf(
    rows.map(({ ping }) => ping?.p95 ?? null),
    rows.map(({ pingAtLeast }) => pingAtLeast?.p95 ?? null),
  );
  if (plateau === undefined) return 'no plateau is named: that needs the p95 of pings in five hundreds of clients';
  const { us, hundreds, leftAt } = plateau;
  const there = `plateau of ${ms(us)} ms`;
  if (hundreds < bucketsForAnEnd)
    return `the p95 of pings has a ${there}; where it ends needs ${bucketsForAnEnd} hundreds of clients`;
  const row = leftAt === undefined ? undefined : rows[leftAt];
  return row === undefined
    ? `the p95 of pings does not leave its ${there}`
    : `the p95 of pings leaves its ${there} at ${row.clients} clients: ${whyLeft(row, ms)}`;
}

/** CPU share, in percent, from which a core counts as full. */
const fullCorePercent = 95;
/** Share of time that the target waits for a core, in percent, from which the machine counts as full. */
const crowdedPercent = 10;

/** Names the reason for slow pings in a bucket, by the target’s readings only, without those of the rig. */
function whyLeft({ ping, readings }: PlayerRow, ms: (us: number | null) => string): string {
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

const arrivalSum = ledgerSum(['arrivals', 'arrivals planned'], {
  playersStayed: ['played to the end', 'good'],
  playersCut: 'cut by the target',
  arrivalsFailed: 'failed',
  arrivalsUnready: 'under way at the end',
  arrivalsNotDue: 'not due',
});

const pingSum = ledgerSum(['pings', 'pings sent'], { answered: 'answered', unanswered: 'unanswered' });

const counted = [
  ...['typed', 'unsent', 'delivered', 'lost', 'unclear', 'duplicate', 'late', 'stray', 'untimed', 'unlearned'],
  ...['arrivals', ...arrivalSum.parts.map(([part]) => part)],
  ...['pings', 'pingsUnsent', 'answered', 'unanswered', 'deadWorkers'],
];

function byClients(series: Uint32Array): Record<string, number> {
  return Object.fromEntries([...series].map((count, hundred) => [`${(hundred + 1) * 100}`, count]));
}

/** Counts keys and what each owes to those who played in its room then, pings, and what became of the players. */
export const gameLedger = ledgerOf({
  kinds: {
    given: [
      ...['typed', 'expected', 'arrivals', 'arrivalsNotDue', 'arrivalsUnready', 'pings', 'unclear', 'stray'],
      ...['untimed', 'unlearned'],
    ],
    merit: ['delivered', 'playersStayed', 'answered'],
    fault: [
      ...['lost', 'unsent', 'playersCut', 'arrivalsFailed', 'unanswered', 'pingsUnsent', 'duplicate', 'late'],
      'deadWorkers',
    ],
  },
  sums: [deliverySum, arrivalSum, pingSum],
  count({ counts, causes, series }) {
    const { playingAt = none, heardAt = none, pingsAt = none, answeredAt = none } = series;
    const of = countsOf(counts, counted);
    const { arrived = 0, attempted = 0, owed = 0 } = counts;
    const { playersStayed = 0, playersCut = 0, pings = 0, arrivalsFailed = 0, unsent = 0, pingsUnsent = 0 } = of;
    const entries = {
      expected: owed,
      ...of,
      unsentByCause: causes.unsent ?? {},
      arrivalsFailedByCause: causes.arrive ?? {},
      playersCutByCause: causes.close ?? {},
      playingAt: byClients(playingAt),
      heardAt: byClients(heardAt),
      unansweredAt: byClients(pingsAt.map((sent, hundred) => sent - (answeredAt[hundred] as number))),
    };
    const breaks = [
      ...check(attempted, 'attempted', Number(of.typed) + pings, 'typed + pings'),
      ...check(arrived, 'arrived', playersStayed + playersCut, 'playersStayed + playersCut'),
      ...check(unsent + pingsUnsent, 'unsent', total(causes.unsent), 'the sum over causes'),
      ...check(arrivalsFailed, 'arrivalsFailed', total(causes.arrive), 'the sum of its causes'),
      ...check(pings, 'pings', total(pingsAt), 'the sum over hundreds'),
    ];
    const unfinished = Object.fromEntries(
      Object.values(entries.unansweredAt).flatMap((missing, n) =>
        ['ping', 'pingAtLeast'].map((metric) => [ofStep(metric, n + 1), missing]),
      ),
    );
    return { entries, breaks, unfinished };
  },
  lines({ number, of, parts, causes }) {
    const byCause = { playersCut: 'playersCutByCause', arrivalsFailed: 'arrivalsFailedByCause' };
    const unsent = number('unsent') + number('pingsUnsent');
    const unclear = number('unclear') > 0 ? `, ${of('unclear')} unclear, as a player came or was cut` : '';
    const quiet = ['playersCut', 'arrivalsFailed', 'arrivalsUnready', 'arrivalsNotDue'];
    return [
      ['arrivals', `${of('arrivals')} planned = ${parts(arrivalSum, byCause, quiet)}`],
      ['keys', `${of('typed')} typed, ${of('unsent')} not sent`],
      [
        'deliveries',
        `${of('expected')} = ${parts(deliverySum)}  (${shareOf(number('delivered'), number('expected'))})`,
      ],
      ['pings', `${of('pings')} = ${parts(pingSum)}; ${of('pingsUnsent')} not sent`],
      ...(unsent > 0 ? [['not sent', `${unsent} keys and pings${causes('unsentByCause')}`] as const] : []),
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray${unclear}`],
      ['untimed', `${of('untimed')} deliveries between shards: counted, not timed`],
      ...(number('unlearned') > 0 ? [['unlearned', unlearnedInWords] as const] : []),
    ];
  },
});

/** Holds the figures of one bucket of 100 clients, measured while it arrived. */
export interface PlayerRow {
  clients: string;
  seconds: number;
  ping: Summary | undefined;
  pingAtLeast: Summary | undefined;
  delivery: Summary | undefined;
  readings: Record<TargetReading, number | null>;
}

/** Returns the buckets of clients in which a ping was sent. */
export function playerRows(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  { options, reading }: ResultView<GameOptions>,
): PlayerRow[] {
  const hundreds = new PlayerBuckets(options.stages);
  const of = (metric: string, hundred: number): Summary | undefined => metrics[ofStep(metric, hundred + 1)];
  return Object.keys((entries.playingAt ?? {}) as object)
    .map((clients, hundred) => {
      const [fromMs, toMs] = hundreds.spanMs(hundred);
      const read = (name: TargetReading): number | null => reading('play', name, fromMs, toMs);
      const readings = {
        cpuPercent: read('cpuPercent'),
        coreWaitPercent: read('coreWaitPercent'),
        eventLoopDelayP99Ms: read('eventLoopDelayP99Ms'),
        rssBytes: read('rssBytes'),
      };
      const [ping, pingAtLeast, delivery] = [of('ping', hundred), of('pingAtLeast', hundred), of('delivery', hundred)];
      return { clients, seconds: (toMs - fromMs) / 1000, ping, pingAtLeast, delivery, readings };
    })
    .filter(({ ping }) => (ping?.count ?? 0) + (ping?.unfinished ?? 0) > 0);
}

/** A p95 left its plateau if it is `times` the plateau in `inARow` successive buckets. */
const left = { times: 3, inARow: 2 };
const plateauHundreds = 5;
/** Least number of buckets that can show whether the plateau was left. */
export const bucketsForAnEnd = plateauHundreds + left.inARow;

export interface PingPlateau {
  us: number;
  hundreds: number;
  /** The bucket, counted from 0, that left the plateau for good; undefined if none did. */
  leftAt: number | undefined;
}

/** Finds the plateau of p95s by bucket, and its end by their lower ends. Undefined if there are too few buckets. */
export function pingPlateauOf(
  p95: readonly (number | null)[],
  atLeast: readonly (number | null)[],
): PingPlateau | undefined {
  const from = p95.findIndex((us) => us !== null);
  if (from < 0) return undefined;
  const first = p95.slice(from, from + plateauHundreds).filter((us) => us !== null);
  if (first.length < plateauHundreds) return undefined;
  const us = first.sort((a, b) => a - b)[Math.floor(plateauHundreds / 2)] as number;
  const isAbove = (hundred: number): boolean => {
    const least = atLeast[hundred];
    // A bucket without any answer has no figure.
    return p95[hundred] === null || (least !== null && least !== undefined && least > us * left.times);
  };
  const inARow = (hundred: number): boolean =>
    Array.from({ length: left.inARow }, (_, n) => hundred + n).every(isAbove);
  const hundreds = p95.length - from;
  const candidates = Array.from(
    { length: Math.max(0, hundreds - plateauHundreds - 1) },
    (_, n) => from + plateauHundreds + n,
  );
  return { us, hundreds, leftAt: candidates.find(inARow) };
}
