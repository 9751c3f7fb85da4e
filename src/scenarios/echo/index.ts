import { shareOf } from '../../units/text.js';
import { countVisits, deliveryFailures, deliverySum, visitBooks, visitLines } from '../books/broadcasts.js';
import { check, ledgerOf, total } from '../books/ledger.js';
import {
  arrivalMetrics,
  arrivalSamples,
  connectionMetrics,
  leastOf,
  ofRig,
  ofTarget,
  rankedWithLost,
} from '../metrics.js';
import { lastsMs, perSecond } from '../pace.js';
import { arrivingOf, beyondSlots, mostAtOnce, stagesOf, visitedMs } from '../roster/stages.js';
import { drain, measured, noPublisher, type Scenario } from '../scenario.js';
import { leastSlotMs, roundsOfSends, sendsIn, slicesOfSends, spreadShare } from '../traffic/send-schedule.js';
import type { SenderFigures } from '../traffic/senders.js';
import { contradictionsOf, echoesEach, echoOptions, mostEchoes, scheduleMs, sendingMs } from './options.js';

/** Parts of the schedule over which intervals are drawn. Round trips in one slice depend on each other. */
const slices = 256;

/** Counts the echoes: sends, echoes that came back, and the sends that miss theirs in the table at the end. */
export const echoLedger = ledgerOf({
  base: { books: visitBooks },
  kinds: {
    given: ['sent', 'expected', 'stray', 'proofs'],
    merit: ['delivered', 'roundTripsPerSecond'],
    fault: ['unsent', 'lost', 'duplicate', 'late', 'proofsLost'],
  },
  sums: [deliverySum, ...visitBooks.sums],
  count({ counts, causes, longestMs }) {
    const visits = countVisits({ counts, causes });
    const of = (name: string): number => counts[name] ?? 0;
    const entries = {
      sent: of('attempted'),
      unsent: of('unsent'),
      unsentByCause: causes.unsent ?? {},
      expected: of('attempted'),
      delivered: of('answered'),
      lost: of('unanswered'),
      duplicate: of('duplicate'),
      late: of('late'),
      // No log of other shards tells what an unclear one is: it is nobody's echo.
      stray: of('stray') + of('echoed') + of('unclear'),
      proofs: of('proofs'),
      proofsLost: of('proofsLost'),
      roundTripsPerSecond: perSecond(of('answered'), longestMs?.arrivals),
      ...visits.entries,
    };
    const unsent = check(of('unsent'), 'unsent', total(causes.unsent), 'the sum over causes');
    return { entries, breaks: [...unsent, ...visits.breaks] };
  },
  lines(reader, entries) {
    const { number, of, parts, causes } = reader;
    const share = shareOf(number('delivered'), number('expected'));
    return [
      ['sends', `${of('sent')} sent, ${of('unsent')} not sent${causes('unsentByCause')}`],
      ['echoes', `${of('expected')} = ${parts(deliverySum)}  (${share}), ${of('roundTripsPerSecond')} per second`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
      ...(number('proofsLost') === 0
        ? []
        : ([['first echoes', `${of('proofs')} asked for, ${of('proofsLost')} lost`]] as const)),
      ...visitLines(reader, entries),
    ];
  },
});

const closedFigures: SenderFigures = {
  ...{ roundTrip: 'answer', roundTripAtLeast: 'answerAtLeast', connect: 'connect', connectAtLeast: 'connectAtLeast' },
  ...{ firstEcho: 'subscribe', firstEchoAtLeast: 'subscribeAtLeast' },
};
const openFigures: SenderFigures = {
  ...closedFigures,
  roundTripFromIntended: 'answerFromIntended',
  sendLag: 'sendLag',
};

/** Measures how long a message takes from a client to the target and back to the same client. */
export const echo: Scenario<typeof echoOptions> = {
  name: 'echo',
  question: 'How long does a message take to the server and back?',
  summary: 'how long a message takes from each client to the target and back, on open schedules or in a closed loop',
  options: echoOptions,
  metrics: {
    ...rankedWithLost({
      roundTrip: ofTarget(
        'from a message being handed to the socket to its echo reaching it; a closed loop hides stalls',
        { atLeast: 'roundTripAtLeast' },
      ),
      roundTripFromIntended: ofTarget(
        'the same from the scheduled instant of the send: what a user feels when the target stalls',
        { fromIntended: { sent: 'roundTrip', lag: 'sendLag' } },
      ),
      roundTripAtLeast: ofRig(
        'round trip without the time that the message or its echo may have waited in the rig; the truth lies between',
      ),
    }),
    sendLag: ofRig('how much later than scheduled the rig sent a message; not with --loop closed'),
    connect: connectionMetrics.connect,
    connectAtLeast: connectionMetrics.connectAtLeast,
    firstEcho: {
      ...connectionMetrics.subscribe,
      atLeast: 'firstEchoAtLeast',
      meaning: 'from the first time that a client is asked for an echo to the echo that proves it, counted apart',
    },
    firstEchoAtLeast: leastOf('first echo'),
    ...arrivalMetrics,
    arrival: { ...arrivalMetrics.arrival, meaning: 'from the start of a visitor’s TCP connect to its first echo' },
  },
  needs: () => ['echo'],
  stages: [
    {
      name: 'ramp',
      summary: 'clients connect, evenly spaced; each is proven by a first echo, asked for again if it stays away',
    },
    measured('echo', 'start', 'each client sends, by its schedule with warm-up first, or in its loop'),
    drain('what is still under way arrives'),
  ],
  arriving: arrivingOf,
  contradictions: contradictionsOf,
  work: { name: 'message', entry: 'sent' },
  publishes: false,
  slots: {
    stage: 'echo',
    metric: 'roundTrip',
    atLeast: 'roundTripAtLeast',
    came: 'came',
    missing: 'missing',
    share: { part: 'delivered', whole: 'expected' },
    options: roundsOfSends,
    spreadShare,
    leastSlotMs,
    contradictions: (options) => [
      ...beyondSlots(options),
      ...(options.loop === 'closed'
        ? ['--loop: expected open with --design paired, which makes the schedule, received closed']
        : []),
    ],
  },
  failures: deliveryFailures,
  demand({ clients, loop, ratePerSecond, rampRatePerSecond, durationMs, warmUp, drainMs, payloadBytes, stages }) {
    const rampMs = lastsMs(clients, rampRatePerSecond);
    const warmUpMs = lastsMs(warmUp, ratePerSecond);
    const perSecond = (clients + mostAtOnce(stagesOf(stages))) * ratePerSecond;
    return {
      clients: clients + arrivingOf({ stages }),
      publishesPerSecond: 0,
      // A closed loop sends as often as it is answered.
      ...(loop === 'open' && { sends: { perSecond, deliveriesPerSecond: perSecond } }),
      payloadBytes,
      broadcasts: 1,
      durationMs: rampMs + warmUpMs + durationMs + drainMs,
    };
  },
  lasting: (_options, _ratePerSecond, ms) => ({ durationMs: ms }),
  sizes: ['durationMs', 'clients'],
  independentAtMost(options) {
    const { clients, loop, ratePerSecond } = options;
    const visits = arrivingOf(options);
    const proofs = {
      ...{ connect: clients, connectAtLeast: clients, firstEcho: clients, firstEchoAtLeast: clients },
      ...arrivalSamples(visits),
    };
    // A closed loop has no schedule, and sends as often as it is answered.
    if (loop === 'closed') return { ...proofs, roundTripFromIntended: 0, sendLag: 0 };
    const ofVisitors = (visitedMs(stagesOf(options.stages), sendingMs(options)) * ratePerSecond) / 1000;
    // Each visit can have one more send than periods, as it can begin and end anywhere within one.
    const sends = clients * sendsIn(options) + Math.ceil(ofVisitors) + visits;
    return { ...proofs, roundTrip: sends, roundTripFromIntended: sends, roundTripAtLeast: sends, sendLag: sends };
  },
  mostMarks: mostEchoes,
  blockTimes(options) {
    const firstMs = lastsMs(options.warmUp, options.ratePerSecond);
    const times = { stage: 'echo', firstMs, everyMs: scheduleMs(options) / slices, units: slices };
    return options.loop === 'open' ? { roundTrip: times, roundTripFromIntended: times } : { roundTrip: times };
  },
  async audience(context) {
    const { Senders } = await import('../traffic/senders.js');
    const { EchoLoop } = await import('./echo-loop.js');
    const { options, slots, totalClients } = context;
    const { ratePerSecond, warmUp } = options;
    const isOpen = options.loop === 'open';
    const loop = isOpen ? undefined : new EchoLoop(context);
    return new Senders(context, {
      ...{ stage: 'echo', warmUpMs: lastsMs(warmUp, ratePerSecond) },
      slices: slots ? slicesOfSends(context) : { count: slices, everyNs: (scheduleMs(options) * 1e6) / slices },
      lastsMs: sendingMs(options),
      intervalMs: isOpen ? lastsMs(1, totalClients * ratePerSecond) : 0,
      figures: isOpen ? openFigures : closedFigures,
      say: (clients, client, ...send) => clients.echo?.(client, ...send) ?? false,
      begin(client, sends, fromNs, untilNs) {
        if (loop) loop.begin(client, fromNs);
        else
          sends.every(client, { ratePerSecond, count: echoesEach(options), warmUp, isAnswered: true, fromNs, untilNs });
      },
      loop,
    });
  },
  publisher: async () => noPublisher,
  ...echoLedger,
  headline: [
    { title: 'round trips/s', kind: 'count', entry: 'roundTripsPerSecond' },
    { title: 'p50', kind: 'figure', metric: 'roundTrip', figure: 'p50' },
    { title: 'p99', kind: 'figure', metric: 'roundTrip', figure: 'p99' },
    { title: 'max', kind: 'figure', metric: 'roundTrip', figure: 'max' },
    { title: 'p99 from intended', kind: 'figure', metric: 'roundTripFromIntended', figure: 'p99' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
  ],
  sentence: [
    '{clients} clients had each message back in {roundTrip}',
    { count: 'lost', none: 'nothing was lost', some: '{lost} of {expected} messages were lost' },
  ],
};
