import { countText, shareOf } from '../../units/text.js';
import { duration, rate } from '../../units/unit.js';
import { deliveryFailures, deliverySum } from '../books/broadcasts.js';
import { check, ledgerOf, none, total } from '../books/ledger.js';
import {
  asDelivery,
  connectionMetrics,
  connectionSamples,
  deliveryFromIntended,
  deliveryMetrics,
  lostClause,
  ofRig,
  ofTarget,
  rankedWithLost,
} from '../metrics.js';
import { lastsMs, perSecond } from '../pace.js';
import { drain, measured, noPublisher, type Scenario } from '../scenario.js';
import { leastSlotMs, roundsOfSends, sendsIn, spreadShare } from '../traffic/send-schedule.js';
import { whisperOptions, whispersEach } from './options.js';
import { roomAtMost, roomSize } from './rooms.js';

/** Counts from three independent sources, all by sender: sends, counted deliveries, and the bit tables. */
export const whisperLedger = ledgerOf({
  kinds: {
    given: ['sent', 'expected', 'stray', 'untimed'],
    merit: ['delivered', 'deliveriesPerSecond'],
    fault: ['unsent', 'lost', 'duplicate', 'late'],
  },
  sums: [deliverySum],
  count({ counts, causes, series, longestMs }) {
    const { sends = none, peers = none, heard = none, marked = none } = series;
    const owedBy = (sender: number): number => (sends[sender] as number) * (peers[sender] ?? 0);
    let expected = 0;
    let lost = 0;
    sends.forEach((_, sender) => {
      expected += owedBy(sender);
      lost += owedBy(sender) - (marked[sender] ?? 0);
    });
    const entries = {
      sent: counts.attempted ?? 0,
      unsent: counts.unsent ?? 0,
      unsentByCause: causes.unsent ?? {},
      expected,
      delivered: total(heard),
      lost,
      duplicate: counts.duplicate ?? 0,
      late: counts.late ?? 0,
      stray: counts.stray ?? 0,
      untimed: counts.untimed ?? 0,
      deliveriesPerSecond: perSecond(total(heard), longestMs?.deliveries),
    };
    const breaks = [
      ...check(entries.unsent, 'unsent', total(entries.unsentByCause), 'the sum over causes'),
      ...check(entries.sent, 'sent', total(sends), 'the sum over senders'),
    ];
    return { entries, breaks };
  },
  lines({ number, of, parts, causes }) {
    const share = shareOf(number('delivered'), number('expected'));
    return [
      ['whispers', `${of('sent')} sent, ${of('unsent')} not sent${causes('unsentByCause')}`],
      ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${share}), ${of('deliveriesPerSecond')} per second`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
      ['untimed', `${of('untimed')} deliveries between workers: counted, not timed`],
    ];
  },
});

/** A whisper counts once for all clients of a room that receive it. */
const work = { name: 'whisper', entry: 'sent' } as const;
const ofWhispers = { independent: work } as const;

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
        'from a whisper being handed to its socket to its frame reaching another client’s of the same worker',
        { ...asDelivery, ...ofWhispers },
      ),
      deliveryFromIntended: ofTarget(
        'the same from the scheduled instant of the whisper: what a user feels when the target stalls',
        { ...deliveryFromIntended, ...ofWhispers },
      ),
      deliveryAtLeast: { ...deliveryMetrics.deliveryAtLeast, ...ofWhispers },
    }),
    publishLag: ofRig('how much later than scheduled the rig sent a whisper'),
    ...connectionMetrics,
    subscribe: { ...connectionMetrics.subscribe, meaning: 'from the request to join the room to its confirmation' },
  },
  needs: () => ['subscribe', 'whisper'],
  stages: [
    { name: 'ramp', summary: 'clients connect and join their rooms, evenly spaced; each subscription is proven' },
    measured('whisper', 'start', 'each client whispers on its schedule, warm-up first'),
    drain('what is still under way arrives'),
  ],
  contradictions(options) {
    const { room, ratePerSecond, durationMs } = options;
    const each = whispersEach(options);
    const most = roomAtMost(each);
    if (roomSize(options) <= most) return [];
    const asked = `--rate ${rate.print(ratePerSecond)} for --duration ${duration.print(durationMs)}`;
    const makes = `makes ${countText(each)} whispers of each client`;
    return [`--room: expected at most ${most}, as ${asked} ${makes}, received ${room}`];
  },
  work,
  publishes: false,
  slots: {
    stage: 'whisper',
    metric: 'delivery',
    atLeast: 'deliveryAtLeast',
    came: 'delivered',
    missing: 'missing',
    share: { part: 'delivered', whole: 'expected' },
    options: roundsOfSends,
    spreadShare,
    leastSlotMs,
  },
  failures: deliveryFailures,
  demand(options) {
    const { clients, rampRatePerSecond, ratePerSecond, drainMs, payloadBytes } = options;
    const rampMs = lastsMs(clients, rampRatePerSecond);
    const whisperMs = lastsMs(whispersEach(options), ratePerSecond);
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
    return {
      delivery: whispers,
      deliveryFromIntended: whispers,
      deliveryAtLeast: whispers,
      publishLag: whispers,
      ...connectionSamples(clients),
    };
  },
  blockTimes(options) {
    const everyMs = 1000 / options.ratePerSecond;
    const firstMs = options.warmUp * everyMs;
    const times = { stage: 'whisper', firstMs, everyMs, units: sendsIn(options), independentEach: options.clients };
    return { delivery: times, deliveryFromIntended: times };
  },
  audience: async (context) => new (await import('./audience.js')).WhisperAudience(context),
  publisher: async () => noPublisher,
  ...whisperLedger,
  headline: [
    { title: 'deliveries/s', kind: 'count', entry: 'deliveriesPerSecond' },
    { title: 'p50', kind: 'figure', metric: 'delivery', figure: 'p50' },
    { title: 'p99', kind: 'figure', metric: 'delivery', figure: 'p99' },
    { title: 'max', kind: 'figure', metric: 'delivery', figure: 'max' },
    { title: 'p99 from intended', kind: 'figure', metric: 'deliveryFromIntended', figure: 'p99' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
  ],
  sentence: ['a message between {clients} clients took {delivery}', lostClause],
};
