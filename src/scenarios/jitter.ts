import { z } from 'zod';
import { ledgerSum } from '../measure/ledger.js';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { duration } from '../units/unit.js';
import { Deliveries } from './books/deliveries.js';
import { check, countsOf, deliveryFailures, ledgerOf, recoveredInWords, replayLedger, total } from './books/ledger.js';
import { presenceOf } from './books/presence.js';
import {
  bracketed,
  broadcastDemand,
  broadcastSamples,
  broadcastTimes,
  broadcastWork,
  deliveredColumn,
  keepingLength,
  publishMetrics,
  reconnectMetrics,
  replayedDeliveryMetrics,
  waitMetric,
} from './metrics.js';
import {
  broadcasts,
  choiceOption,
  clientsOption,
  drainMs,
  durationOption,
  payloadBytes,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from './options.js';
import { leastOnlineMs, planDrops, spreads } from './roster/drops.js';
import { planRamp } from './roster/ramp.js';
import { createRoster } from './roster/roster.js';
import { type AudienceContext, drain, measured, type Role, type Scenario } from './scenario.js';
import { publishBroadcasts, takesNone } from './traffic/broadcasts.js';
import { dueAtNs, lastsMs } from './traffic/schedule.js';
import { streamDistribution, streamNotes, streamOptions, streamsRefused, streamVerbs } from './traffic/streams.js';

/** Shortest offline window: a shorter one compares the reconnect delays of client libraries. */
export const MIN_OFFLINE_MS = 2000;

export const jitterOptions = z.strictObject({
  clients: clientsOption,
  broadcasts: broadcasts(120),
  ratePerSecond: rateOption('rate', 2, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  payloadBytes,
  rampRatePerSecond,
  ...streamOptions,
  streamDistribution,
  warmUp: warmUp(4),
  everyMs: durationOption('every', 15_000, [1000, 86_400_000], 'mean time between drops, at least --offline + 1s'),
  spread: choiceOption('spread', spreads, 'exponential', 'drop at seeded random intervals, or at fixed ones'),
  offlineMs: z
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .overwrite((asked) => Math.max(asked, MIN_OFFLINE_MS))
    .default(MIN_OFFLINE_MS)
    .meta({
      flag: 'offline',
      unit: 'duration',
      help: `how long a dropped client has no network, at least ${MIN_OFFLINE_MS / 1000}s`,
    }),
  dropMode: choiceOption('drop', ['reset', 'close', 'vanish'], 'reset', 'TCP reset, WebSocket close, or half open'),
  drainMs: drainMs(5000, 'longest wait for clients and late deliveries after the last broadcast'),
});

export type JitterOptions = z.output<typeof jitterOptions>;

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
    ...bracketed(
      'offline',
      'audience',
      'how long each dropped client was away: from the drop to its subscription confirmed again',
    ),
    ...reconnectMetrics,
    wait: waitMetric,
    ...publishMetrics,
  },
  needs: streamVerbs,
  notes: streamNotes,
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is proven' },
    measured('publish', 'start', 'warm-up, then measured broadcasts, while clients drop out and come back'),
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
  audience: async (context) => jitterAudience(context),
  publisher: async (context) => publishBroadcasts(context),
  failures: deliveryFailures,
  ...jitterLedger,
  headline: [
    deliveredColumn,
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

/** Holds the subscribers of one worker, each of which loses its network again and again. */
export function jitterAudience(context: AudienceContext<JitterOptions>): Role {
  const { board, clientCount, options } = context;
  const { drainMs, offlineMs, rampRatePerSecond, ratePerSecond, warmUp } = options;
  const presence = presenceOf(context, clientCount);
  const book = new Deliveries(context, { presence });
  const roster = createRoster(context, { deliveries: (batch) => book.take(batch) });
  const ramp = planRamp(roster, {
    subscribed: (client) => book.admit(client),
    lost: (client) => book.dismiss(client),
  });
  const drops = planDrops(roster, options, presence);
  const { returning } = drops;
  const tickUntil = (isOver: (nowNs: number) => boolean, signal: AbortSignal): Promise<void> =>
    roster.waitUntil(isOver, signal, () => drops.tick());

  /** Lasts until all are back from the last window, so that the drain is the same for every client. */
  const publish = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    const endNs = startAtNs + dueAtNs(board.size, ratePerSecond);
    if (roster.hasClients('publish to')) {
      presence.begin(startAtNs);
      const lengthMs = lastsMs(board.size - warmUp, ratePerSecond);
      drops.begin(startAtNs, startAtNs + dueAtNs(warmUp, ratePerSecond), { ...options, lengthMs });
    }
    const limitNs = endNs + (offlineMs + drainMs) * 1e6;
    await tickUntil((nowNs) => nowNs >= limitNs || (nowNs >= endNs && returning.away === 0), signal);
  };

  const drained = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    const endNs = startAtNs + drainMs * 1e6;
    const isComplete = (): boolean => returning.away === 0 && book.haveAll((client) => roster.isThere(client));
    await tickUntil((nowNs) => nowNs >= endNs || isComplete(), signal);
    book.close();
  };

  return {
    async stage(name, startAtNs, signal) {
      if (name === 'ramp') await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond }, signal);
      if (name === 'publish') await publish(startAtNs, signal);
      if (name === 'drain') await drained(startAtNs, signal);
    },
    progress() {
      const { away } = returning;
      const subscribers = roster.there + away;
      return { ...ramp.progress(), subscribers, offline: away, drops: drops.drops, received: book.received };
    },
    bins: () => book.times.bins,
    report() {
      const [counted, ramped, dropped] = [book.report(), ramp.report(), drops.report()];
      return {
        counts: {
          ...{ ...ramped.counts, ...counted.counts, ...dropped.counts },
          open: ramped.counts.open + returning.members,
        },
        causes: {
          ...dropped.causes,
          connect: ramped.causes.connect,
          close: sumCounts([ramped.causes.close, dropped.causes.close]),
        },
        timeline: ramped.timeline,
        samples: { ...counted.samples, ...dropped.samples },
        series: counted.series,
      };
    },
    dispose: () => roster.dispose(),
  };
}
