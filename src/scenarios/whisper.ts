import { z } from 'zod';
import { shareOf } from '../units/text.js';
import { check, countsOf, deliveryFailures, deliverySum, ledgerOf, total, unlearnedInWords } from './books/ledger.js';
import {
  asDelivery,
  connectionMetrics,
  connectionSamples,
  deliveredColumn,
  deliveryFromIntended,
  deliveryMetrics,
  figureColumns,
  lateColumn,
  lostClause,
  ofRig,
  ofTarget,
  rankedWithLost,
} from './metrics.js';
import {
  countOption,
  drainMs,
  durationOption,
  payloadBytesOf,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from './options.js';
import { drain, exchangeGate, measured, noPublisher, type Scenario } from './scenario.js';
import { lastsMs, perSecond } from './traffic/schedule.js';
import { marksOfSends, sendsEach, sendsIn, slicesOfSends, slotsOfSends } from './traffic/send-schedule.js';
import { type SenderFigures, senders } from './traffic/senders.js';

export const whisperOptions = z.strictObject({
  clients: countOption('clients', 1000, [2, 10_000_000], 'clients that whisper, all shards together'),
  room: countOption('room', 10, [2, 10_000], 'clients per room; each whisper reaches all others in it'),
  ratePerSecond: rateOption('rate', 1, 1000, 'whispers per second of each client, on its own open schedule'),
  durationMs: durationOption('duration', 10_000, [1, 3_600_000], 'length of the measured part of the schedule'),
  payloadBytes: payloadBytesOf('the data in each whisper'),
  rampRatePerSecond,
  warmUp: warmUp(1, 'whispers', 10_000),
  drainMs: drainMs(5000, 'longest wait after the last whisper; later deliveries count as lost'),
});

export type WhisperOptions = z.output<typeof whisperOptions>;

/** Returns the clients of a full room: no more than there are. */
function roomSize({ clients, room }: { clients: number; room: number }): number {
  return Math.min(room, clients);
}

/** Counts whispers and what they owe, from the sends and from what arrived. */
export const whisperLedger = ledgerOf({
  kinds: {
    given: ['sent', 'expected', 'stray', 'untimed', 'unlearned'],
    merit: ['delivered', 'deliveriesPerSecond'],
    fault: ['unsent', 'lost', 'duplicate', 'late'],
  },
  sums: [deliverySum],
  count({ counts, causes, longestMs }) {
    const { attempted = 0, unsent = 0, owed = 0, delivered = 0, stray = 0, echoed = 0 } = counts;
    const entries = {
      ...countsOf(counts, ['unsent', 'delivered', 'lost', 'duplicate', 'late', 'untimed', 'unlearned']),
      stray: stray + echoed,
      sent: attempted,
      unsentByCause: causes.unsent ?? {},
      expected: owed,
      deliveriesPerSecond: perSecond(delivered, longestMs?.arrivals),
    };
    return { entries, breaks: check(unsent, 'unsent', total(causes.unsent), 'the sum over causes') };
  },
  lines({ number, of, parts, causes }) {
    const share = shareOf(number('delivered'), number('expected'));
    return [
      ['whispers', `${of('sent')} sent, ${of('unsent')} not sent${causes('unsentByCause')}`],
      ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${share}), ${of('deliveriesPerSecond')} per second`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
      ['untimed', `${of('untimed')} deliveries between shards: counted, not timed`],
      ...(number('unlearned') > 0 ? [['unlearned', unlearnedInWords] as const] : []),
    ];
  },
});

const work = { name: 'whisper', entry: 'sent' } as const;
const ofWhispers = { independent: work } as const;

const figures: SenderFigures = {
  ...{ connect: 'connect', connectAtLeast: 'connectAtLeast', subscribe: 'subscribe' },
  ...{ subscribeAtLeast: 'subscribeAtLeast', delivery: 'delivery', deliveryAtLeast: 'deliveryAtLeast' },
  ...{ deliveryFromIntended: 'deliveryFromIntended', publishLag: 'sendLag' },
};

/** Measures how long a message takes from a client to every other client of its room. */
export const whisper: Scenario<typeof whisperOptions> = {
  name: 'whisper',
  question: 'How long does a message take from one client to another?',
  summary: 'how long a message takes from client to client in rooms, every client sending on its own open schedule',
  options: whisperOptions,
  without: {
    stages: 'A whisper is owed to all of its room, and a worker cannot know who of other workers was there then.',
  },
  metrics: {
    ...rankedWithLost({
      delivery: ofTarget(
        'from a whisper being handed to its socket to its frame reaching another client’s of the same shard',
        { ...asDelivery, ...ofWhispers },
      ),
      deliveryFromIntended: ofTarget(
        'the same from the scheduled instant of the whisper: what a user feels when the target stalls',
        { ...deliveryFromIntended, ...ofWhispers },
      ),
      deliveryAtLeast: { ...deliveryMetrics.deliveryAtLeast, ...ofWhispers },
    }),
    publishLag: ofRig('how much later than scheduled the load generator sent a whisper'),
    ...connectionMetrics,
    subscribe: { ...connectionMetrics.subscribe, meaning: 'from the request to join the room to its confirmation' },
  },
  needs: () => ['subscribe', 'whisper'],
  stages: [
    { name: 'ramp', summary: 'clients connect and join their rooms, evenly spaced; each subscription is proven' },
    measured('whisper', 'start', 'each client whispers on its schedule, warm-up first'),
    { ...drain('what is still under way arrives; shards know what the others sent'), gate: exchangeGate },
  ],
  mostMarks: (options, shards) => marksOfSends(options.clients, sendsEach(options), shards),
  work,
  publishes: false,
  slots: slotsOfSends('whisper', 'delivery'),
  failures: deliveryFailures,
  demand(options) {
    const { clients, rampRatePerSecond, ratePerSecond, drainMs, payloadBytes } = options;
    const rampMs = lastsMs(clients, rampRatePerSecond);
    const whisperMs = lastsMs(sendsEach(options), ratePerSecond);
    const perSecond = clients * ratePerSecond;
    return {
      clients,
      publishesPerSecond: 0,
      sends: { perSecond, deliveriesPerSecond: perSecond * (roomSize(options) - 1) },
      payloadBytes,
      broadcasts: 1,
      durationMs: rampMs + whisperMs + drainMs,
    };
  },
  lasting: (_options, _ratePerSecond, ms) => ({ durationMs: ms }),
  sizes: ['durationMs', 'clients'],
  independentAtMost(options) {
    const { clients } = options;
    const whispers = clients * sendsIn(options);
    return { delivery: whispers, publishLag: whispers, ...connectionSamples(clients) };
  },
  blockTimes(options) {
    const everyMs = 1000 / options.ratePerSecond;
    const firstMs = options.warmUp * everyMs;
    const times = { stage: 'whisper', firstMs, everyMs, units: sendsIn(options), independentEach: options.clients };
    return { delivery: times, deliveryFromIntended: times };
  },
  async audience(context) {
    const { firstClient, options, stream } = context;
    const streamOf = (client: number): string => `${stream}-${Math.floor((firstClient + client) / roomSize(options))}`;
    return senders(context, {
      ...{ stage: 'whisper', slices: slicesOfSends(context), figures, streamOf },
      say: (clients, client, ...send) => clients.whisper?.(client, streamOf(client), ...send) ?? false,
    });
  },
  publisher: async () => noPublisher,
  ...whisperLedger,
  headline: [
    { title: 'deliveries/s', kind: 'count', entry: 'deliveriesPerSecond' },
    ...figureColumns('delivery', 'p50', 'p99', 'max'),
    lateColumn('deliveryFromIntended'),
    deliveredColumn,
  ],
  sentence: ['a message between {clients} clients took {delivery}', lostClause],
};
