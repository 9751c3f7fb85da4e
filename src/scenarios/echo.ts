import { z } from 'zod';
import { shareOf } from '../units/text.js';
import {
  check,
  countVisits,
  deliveryFailures,
  deliverySum,
  ledgerOf,
  total,
  visitBooks,
  visitLines,
} from './books/ledger.js';
import {
  arrivalMetrics,
  arrivalSamples,
  connectionMetrics,
  deliveredColumn,
  figureColumns,
  lateColumn,
  leastOf,
  ofRig,
  ofTarget,
  rankedWithLost,
} from './metrics.js';
import {
  choiceOption,
  countOption,
  drainMs,
  durationOption,
  payloadBytesOf,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from './options.js';
import { drain, measured, noPublisher, type Scenario } from './scenario.js';
import {
  arrivingOf,
  beyondSchedule,
  beyondSlots,
  lastsMs,
  perSecond,
  stagesOf,
  stagesOfClients,
  visitsOf,
} from './traffic/schedule.js';
import { marksOfSends, mostProofs, sendsEach, sendsIn, slicesOfSends, slotsOfSends } from './traffic/send-schedule.js';
import { echoLoop, type SenderFigures, senders } from './traffic/senders.js';

/** Ways in which a client comes to its next send. */
export const loops = ['open', 'closed'] as const;

export const echoOptions = z.strictObject({
  clients: countOption('clients', 1000, [1, 10_000_000], 'clients that send, all shards together'),
  loop: choiceOption('loop', loops, 'open', 'open: send on a schedule; closed: send after each echo'),
  ratePerSecond: rateOption('rate', 1, 1000, 'sends per second of each client; closed: only the first is scheduled'),
  durationMs: durationOption('duration', 10_000, [1, 3_600_000], 'length of the measured schedule or closed loop'),
  payloadBytes: payloadBytesOf('the data in each message'),
  rampRatePerSecond,
  stages: stagesOfClients('visitors beside the clients, who come, send and go: DURATION:CLIENTS, …').optional(),
  warmUp: warmUp(0, 'sends of each client', 10_000),
  drainMs: drainMs(5000, 'longest wait for an echo; later ones count as lost', 1),
});

export type EchoOptions = z.output<typeof echoOptions>;

/** Bounds of the table of a closed loop, which sends as often as it is answered. */
const closedMarks = { perSecond: 100_000, most: 2 ** 24 } as const;

/** Returns the most sends of a shard, for the size of its table. A closed loop ends when it is full. */
export function mostEchoes(options: EchoOptions, shards: number): number {
  const clients = options.clients + arrivingOf(options);
  if (options.loop === 'open') return marksOfSends(clients, sendsEach(options) + mostProofs, shards);
  const looped = Math.min(closedMarks.most, (closedMarks.perSecond * options.durationMs) / 1000);
  return marksOfSends(clients, mostProofs, shards) + Math.ceil(looped);
}

/** Returns the measured time of a run, in milliseconds: all periods of a schedule, or the time of a closed loop. */
export function scheduleMs({ loop, ...options }: Pick<EchoOptions, 'loop' | 'ratePerSecond' | 'durationMs'>): number {
  return loop === 'open' ? (sendsIn(options) * 1000) / options.ratePerSecond : options.durationMs;
}

/** Returns how long clients send, in milliseconds: all periods of the open schedule, or the time of the closed loop. */
export function sendingMs(options: EchoOptions): number {
  return options.loop === 'open' ? lastsMs(sendsEach(options), options.ratePerSecond) : options.durationMs;
}

/** Returns the reasons why these options cannot go together, in words. */
export function contradictionsOf(options: EchoOptions): string[] {
  const { loop, warmUp, stages } = options;
  return [
    ...(loop === 'closed' && warmUp > 0 ? [`--warm-up: expected 0 with --loop closed, received ${warmUp}`] : []),
    ...beyondSchedule(stages, sendingMs(options), '--duration'),
  ];
}

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
      roundTripAtLeast: ofRig('round trip without possible waits in the load generator; the truth lies between'),
    }),
    sendLag: ofRig('how much later than scheduled the load generator sent a message; not with --loop closed'),
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
    ...slotsOfSends('echo', 'roundTrip'),
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
    const perSecond = (clients + Math.max(0, ...stagesOf(stages).map((each) => each.clients))) * ratePerSecond;
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
    const proofs = { connect: clients, firstEcho: clients, ...arrivalSamples(visits) };
    if (loop === 'closed') return { ...proofs, roundTripFromIntended: 0, sendLag: 0 };
    const visitedMs = visitsOf(stagesOf(options.stages)).reduce(
      (sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(toMs, sendingMs(options)) - fromMs),
      0,
    );
    const ofVisitors = (visitedMs * ratePerSecond) / 1000;
    // Each visit can have one more send than periods, as it can begin and end anywhere within one.
    const sends = clients * sendsIn(options) + Math.ceil(ofVisitors) + visits;
    return { ...proofs, roundTrip: sends, sendLag: sends };
  },
  mostMarks: mostEchoes,
  blockTimes(options) {
    const firstMs = lastsMs(options.warmUp, options.ratePerSecond);
    const times = { stage: 'echo', firstMs, everyMs: scheduleMs(options) / slices, units: slices };
    return options.loop === 'open' ? { roundTrip: times, roundTripFromIntended: times } : { roundTrip: times };
  },
  async audience(context) {
    const { options, slots } = context;
    const isOpen = options.loop === 'open';
    return senders(context, {
      stage: 'echo',
      slices: slots ? slicesOfSends(context) : { count: slices, everyNs: (scheduleMs(options) * 1e6) / slices },
      figures: isOpen ? openFigures : closedFigures,
      say: (clients, client, ...send) => clients.echo?.(client, ...send) ?? false,
      loop: isOpen ? undefined : echoLoop(context),
    });
  },
  publisher: async () => noPublisher,
  ...echoLedger,
  headline: [
    { title: 'round trips/s', kind: 'count', entry: 'roundTripsPerSecond' },
    ...figureColumns('roundTrip', 'p50', 'p99', 'max'),
    lateColumn('roundTripFromIntended'),
    deliveredColumn,
  ],
  sentence: [
    '{clients} clients had each message back in {roundTrip}',
    { count: 'lost', none: 'nothing was lost', some: '{lost} of {expected} messages were lost' },
  ],
};
