import { deliveryFailures } from '../broadcasts/ledger.js';
import {
  arrivalMetrics,
  arrivalSamples,
  asDelivery,
  byAudience,
  deliveryFromIntended,
  deliveryMetrics,
  leastOf,
  ofRig,
  ofTarget,
  rankedWithLost,
} from '../metrics.js';
import { drain, measured, noPublisher, type Scenario } from '../scenario.js';
import { arrivingOf } from '../visits/options.js';
import { lengthMs, stagesOf } from '../visits/stages.js';
import { gameCharts } from './charts.js';
import { gameLedger } from './ledger.js';
import { gameLines, plateauFinding } from './lines.js';
import { gameOptions, keysEach, keysPerSecond } from './options.js';
import { seatsPerRoom, tooManyKeys } from './seats.js';

/** All players that get one key count once. */
const work = { name: 'key', entry: 'typed' } as const;
const ofKeys = { independent: work } as const;

/** A typing game: players arrive without end, type, and ping, until the server is dead. */
export const game: Scenario<typeof gameOptions> = {
  name: 'game',
  question: 'How many players does a game server carry before it slows down?',
  summary: 'a typing game whose players keep arriving: matchmaking, rooms of six, keys to everybody, and pings',
  options: gameOptions,
  metrics: {
    ping: ofTarget('from a ping being handed to its socket to its answer, unanswered ones included', {
      ...byAudience,
      atLeast: 'pingAtLeast',
      unfinished: ['unanswered'],
    }),
    pingAtLeast: leastOf('ping', { unfinished: ['unanswered'] }),
    ...rankedWithLost({
      delivery: ofTarget('from a key being handed to its socket to its frame reaching a player’s of the same worker', {
        ...asDelivery,
        ...ofKeys,
      }),
      deliveryFromIntended: ofTarget('the same from the scheduled instant of the key', {
        ...deliveryFromIntended,
        ...ofKeys,
      }),
      deliveryAtLeast: { ...deliveryMetrics.deliveryAtLeast, ...ofKeys },
    }),
    publishLag: ofRig('how much later than scheduled the rig sent a key'),
    matchmaking: ofTarget('from the request for a seat to the answer', byAudience),
    ...arrivalMetrics,
    arrival: { ...arrivalMetrics.arrival, meaning: 'from the start of the TCP connect to the confirmed seat' },
  },
  needs: () => ['subscribe', 'echo', 'type'],
  stages: [
    { name: 'ramp', summary: 'nobody is there as yet' },
    measured('play', 'start', 'clients arrive, find a room, and play until the stages end or the server is dead'),
    drain('what is still under way arrives'),
  ],
  arriving: arrivingOf,
  contradictions(options) {
    const stages = stagesOf(options.stages);
    const falls = stages.some(({ clients }, n) => clients < (stages[n - 1]?.clients ?? 0));
    const tooMany = tooManyKeys(arrivingOf(options), keysEach(options));
    return [
      ...(falls ? [`--stages: expected a number of clients that never falls, received ${options.stages}`] : []),
      ...(tooMany ? [`--stages: expected fewer keys in all than there are numbers, received ${options.stages}`] : []),
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
      sends: { perSecond: keys + pings, deliveriesPerSecond: keys * seatsPerRoom + pings },
      payloadBytes: options.payloadBytes,
      broadcasts: 1,
      durationMs: lengthMs(stagesOf(options.stages)) + options.drainMs,
    };
  },
  sizes: [],
  independentAtMost(options) {
    const clients = arrivingOf(options);
    const keys = clients * keysEach(options);
    const pings = Math.ceil((clients * lengthMs(stagesOf(options.stages)) * options.pingsPerSecond) / 1000) + clients;
    const ofKey = { delivery: keys, deliveryFromIntended: keys, deliveryAtLeast: keys, publishLag: keys };
    return { ping: pings, pingAtLeast: pings, ...ofKey, matchmaking: clients, ...arrivalSamples(clients) };
  },
  audience: async (context) => new (await import('./audience.js')).GameAudience(context),
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
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
  ],
};
