import { ledgerSum } from '../../measure/ledger.js';
import { duration } from '../../units/unit.js';
import { deliveryFailures, recoveredInWords, replayLedger } from '../books/broadcasts.js';
import { check, countsOf, ledgerOf, total } from '../books/ledger.js';
import {
  broadcastDemand,
  broadcastSamples,
  broadcastTimes,
  broadcastWork,
  keepingLength,
  offlineMetrics,
  publishMetrics,
  reconnectMetrics,
  replayedDeliveryMetrics,
  waitMetric,
} from '../metrics.js';
import { leastOnlineMs } from '../roster/drops.js';
import { drain, measured, type Scenario } from '../scenario.js';
import { streamNotes, streamsRefused, streamVerbs } from '../streams.js';
import { takesNone } from '../traffic/broadcasts.js';
import { jitterOptions } from './options.js';

const counted = [
  ...['planned', 'drops', 'skipped', 'notDue', 'cuts', 'back'],
  ...['attempts', 'failedAttempts', 'underWay', 'resumes', 'recovered'],
] as const;

const attemptSum = ledgerSum(['attempts', 'attempts to come back'], {
  back: 'back',
  failedAttempts: 'failed',
  underWay: 'under way',
});

const dropSum = ledgerSum(['planned', 'drops planned'], {
  drops: ['made', 'good'],
  skipped: 'skipped, the client being away',
  notDue: 'not due',
});

/** Adds every drop and its outcome to the ledger of replays. */
export const jitterLedger = ledgerOf({
  base: replayLedger,
  kinds: {
    given: ['planned', 'drops', 'skipped', 'notDue', 'attempts', 'underWay', 'resumes'],
    merit: ['back', 'recovered'],
    fault: ['cuts', 'notBack', 'failedAttempts'],
  },
  sums: [...replayLedger.books.sums, attemptSum, dropSum],
  count({ counts, causes, series }) {
    const { entries } = replayLedger.ledger({ counts, series });
    const of = countsOf(counts, counted);
    const { drops = 0, cuts = 0, back = 0 } = of;
    const { close = {}, reconnect = {}, notBack: notBackByCause = {} } = causes;
    const notBack = total(notBackByCause);
    return {
      entries: { ...entries, ...of, ...{ notBack, notBackByCause, cutByCause: close, failedByCause: reconnect } },
      breaks: check(drops + cuts, 'drops + cuts', back + notBack, 'back + notBack'),
    };
  },
  lines: ({ number, of, causes, parts }, entries) => [
    ...replayLedger.ledgerLines(entries),
    ['drops', `${of('planned')} planned = ${parts(dropSum, {}, ['notDue'])}`],
    ...(number('cuts') === 0 ? [] : [['cut', `${of('cuts')} by the target${causes('cutByCause')}`] as const]),
    [
      'returns',
      `${of('back')} back + ${of('notBack')} not${causes('notBackByCause')}${recoveredInWords(entries, 'back')}`,
    ],
    ['reconnects', `${of('attempts')} attempts = ${parts(attemptSum, { failedAttempts: 'failedByCause' })}`],
  ],
});

/** Measures the deliveries to subscribers that keep losing their network, each for the same time. */
export const jitter: Scenario<typeof jitterOptions> = {
  name: 'jitter',
  question: 'What do clients miss when their network keeps dropping?',
  summary: 'what reaches N subscribers that keep losing their network, and what is replayed to them',
  options: jitterOptions,
  without: { stages: 'Its clients already leave and come back all the time, by --every.' },
  metrics: {
    ...replayedDeliveryMetrics('back'),
    ...offlineMetrics('how long each dropped client was away: from the drop to its subscription confirmed again'),
    ...reconnectMetrics,
    wait: waitMetric,
    ...publishMetrics,
  },
  needs: streamVerbs,
  notes: streamNotes,
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is proven' },
    measured(
      'publish',
      'start',
      'warm-up, then measured broadcasts on one open schedule, while clients drop out and come back',
    ),
    drain('what is still under way or replayed arrives'),
  ],
  contradictions({ everyMs, offlineMs, ...options }) {
    const leastMs = offlineMs + leastOnlineMs;
    if (everyMs >= leastMs) return streamsRefused(options);
    const [least, every, offline] = [leastMs, everyMs, offlineMs].map((ms) => duration.print(ms));
    const tooOften = `--every: expected at least ${least}, which is --offline ${offline} + 1s, received ${every}`;
    return [tooOften, ...streamsRefused(options)];
  },
  work: broadcastWork,
  publishes: true,
  takesNone,
  demand: (options) => ({
    // The run awaits clients that are away for one drain, and deliveries for another.
    ...broadcastDemand(options, options.offlineMs + options.drainMs),
    // Each drop leaves one half-open socket, until the target ends it.
    ...(options.dropMode === 'vanish' && {
      halfOpen: Math.ceil((options.clients * options.broadcasts * 1000) / (options.ratePerSecond * options.everyMs)),
    }),
  }),
  lasting: keepingLength,
  sizes: ['broadcasts'],
  independentAtMost: broadcastSamples,
  blockTimes: (options) => broadcastTimes(options.broadcasts, options),
  audience: async (context) => new (await import('./audience.js')).JitterAudience(context),
  publisher: async (context) => new (await import('../traffic/broadcasts.js')).BroadcastPublisher(context),
  failures: deliveryFailures,
  ...jitterLedger,
  headline: [
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
    { title: 'lost online', kind: 'count', entry: 'lostOnline' },
    { title: 'recovered', kind: 'share', part: 'recovered', whole: 'resumes' },
    { title: 'live p50', kind: 'figure', metric: 'delivery', figure: 'p50' },
    { title: 'live p95', kind: 'figure', metric: 'delivery', figure: 'p95' },
    { title: 'replayed p99', kind: 'figure', metric: 'replayed', figure: 'p99' },
    { title: 'offline p50', kind: 'figure', metric: 'offline', figure: 'p50' },
  ],
  sentence: [
    'clients whose network kept dropping got {delivered/expected} of all deliveries',
    'live ones took {delivery}',
    { count: 'resumes', none: '', some: '{recovered} of {resumes} returns recovered what they had missed' },
    {
      count: 'lostOnline',
      none: 'nothing was lost while they were online',
      some: '{lostOnline} were lost while online',
    },
  ],
};
