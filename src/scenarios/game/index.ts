import type { ClientChart, ResultView, TargetReading } from '../../measure/declaration.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { deliveryFailures } from '../books/ledger.js';
import { flowEnd } from '../flow/index.js';
import {
  asDelivery,
  byAudience,
  deliveredColumn,
  deliveryFromIntended,
  deliveryMetrics,
  leastOf,
  lostClause,
  ofRig,
  ofTarget,
  rankedWithLost,
} from '../metrics.js';
import { measured, noPublisher, type Scenario } from '../scenario.js';
import { arrivingOf, lengthMs, stagesOf } from '../traffic/schedule.js';
import { gameLedger, gameLines, type PlayerRow, plateauFinding, playerRows } from './ledger.js';
import { type GameOptions, gameOptions, gameRole, keysPerSecond, mostSends, rowsOf } from './role.js';

const playersPerRoom = 6;
/** Most sends of all players: their table then has 2.5 GB. */
const mostRows = 2 ** 26;

const work = { name: 'key', entry: 'typed' } as const;
const ofKeys = { independent: work } as const;

/** A typing game: players keep arriving, type and ping until the server is dead. */
export const game: Scenario<typeof gameOptions> = {
  name: 'game',
  question: 'How many players does a game server carry before it slows down?',
  summary: 'a typing game whose players keep arriving: matchmaking, rooms of six, keys to everybody, and pings',
  options: gameOptions,
  without: { duration: 'It lasts as long as its stages: give --stages.' },
  metrics: {
    ping: ofTarget('from a ping being handed to its socket to its answer, unanswered ones included', {
      ...byAudience,
      atLeast: 'pingAtLeast',
      unfinished: ['unanswered'],
    }),
    pingAtLeast: leastOf('ping', { unfinished: ['unanswered'] }),
    ...rankedWithLost({
      delivery: ofTarget('from a key being handed to its socket to its frame reaching a player’s of the same shard', {
        ...asDelivery,
        ...ofKeys,
      }),
      deliveryFromIntended: ofTarget('the same from the scheduled instant of the key', {
        ...deliveryFromIntended,
        ...ofKeys,
      }),
      deliveryAtLeast: { ...deliveryMetrics.deliveryAtLeast, ...ofKeys },
    }),
    publishLag: ofRig('how much later than scheduled the load generator sent a key or a ping'),
    matchmaking: ofTarget('from the request for a seat to the answer', byAudience),
    arrival: ofTarget('from the start of the TCP connect to the confirmed seat, by the clock of the flow', byAudience),
    arrivalLag: ofRig('how much later than scheduled the load generator began a client'),
  },
  needs: () => ['play'],
  stages: [
    { name: 'ramp', summary: 'nobody is there as yet' },
    measured('play', 'start', 'clients arrive, find a room, and play until the stages end or the server is dead'),
    ...flowEnd,
  ],
  arriving: arrivingOf,
  mostMarks: rowsOf,
  contradictions(options) {
    const stages = stagesOf(options.stages);
    const falls = stages.some(({ clients }, n) => clients < (stages[n - 1]?.clients ?? 0));
    const rows = rowsOf(options, 1);
    return [
      ...(falls ? [`--stages: expected a number of clients that never falls, received ${options.stages}`] : []),
      ...(rows > mostRows ? [`--stages: expected at most ${mostRows} keys and pings, received ${options.stages}`] : []),
    ];
  },
  work,
  publishes: false,
  failures: deliveryFailures,
  demand(options) {
    const clients = arrivingOf(options);
    const keys = clients * keysPerSecond(options);
    const pings = clients * options.pingsPerSecond;
    return {
      clients,
      publishesPerSecond: 0,
      sends: { perSecond: keys + pings, deliveriesPerSecond: keys * playersPerRoom + pings },
      payloadBytes: options.payloadBytes,
      broadcasts: 1,
      durationMs: lengthMs(stagesOf(options.stages)) + options.drainMs,
    };
  },
  sizes: [],
  independentAtMost(options) {
    const { keys, pings } = mostSends(options);
    const clients = arrivingOf(options);
    return {
      ...{ ping: pings, publishLag: keys + pings, delivery: keys },
      ...{ matchmaking: clients, arrival: clients, arrivalLag: clients },
    };
  },
  audience: async (context) => gameRole(context),
  publisher: async () => noPublisher,
  ...gameLedger,
  figureLines: gameLines,
  finding: plateauFinding,
  clientCharts: gameCharts,
  headline: [
    { title: 'ping p50', kind: 'figure', metric: 'ping', figure: 'p50' },
    { title: 'ping p95', kind: 'figure', metric: 'ping', figure: 'p95' },
    { title: 'delivery p50', kind: 'figure', metric: 'delivery', figure: 'p50' },
    { title: 'delivery p95', kind: 'figure', metric: 'delivery', figure: 'p95' },
    { title: 'played', kind: 'share', part: 'playersStayed', whole: 'arrivals' },
    deliveredColumn,
  ],
  sentence: ['pings took {ping}', 'keys reached the others in {delivery}', lostClause],
};

/** Returns charts over the number of clients: pings, deliveries, and the target’s loop, CPU and memory. */
export function gameCharts(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  told: ResultView<GameOptions>,
): readonly ClientChart[] {
  const rows = playerRows(metrics, entries, told);
  const clients = rows.map((row) => Number(row.clients));
  const heardAt = (entries.heardAt ?? {}) as Record<string, number>;
  const chart = (title: string, unit: string, lines: Readonly<Record<string, (row: PlayerRow) => number | null>>) => ({
    ...{ title, unit, clients },
    lines: Object.entries(lines).map(([label, of]) => ({ label, values: rows.map(of) })),
  });
  const ms = (us: number | null | undefined): number | null => (us === null || us === undefined ? null : us / 1000);
  const times = (of: 'ping' | 'delivery') => ({
    ...{ p50: (row: PlayerRow) => ms(row[of]?.p50), p95: (row: PlayerRow) => ms(row[of]?.p95) },
    p99: (row: PlayerRow) => ms(row[of]?.p99),
  });
  const reading =
    (name: TargetReading, of = 1) =>
    (row: PlayerRow) => {
      const value = row.readings[name];
      return value === null ? null : value / of;
    };
  return [
    chart('Pings', 'ms', {
      ...times('ping'),
      'p95 without the load generator': ({ pingAtLeast }) => ms(pingAtLeast?.p95),
    }),
    chart('Deliveries', 'ms', times('delivery')),
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
