import type { ResultView } from '../../measure/declaration.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { jamFactsOf, jamsOf, restOf } from '../../measure/stats/jam.js';
import { robustSlope } from '../../measure/stats/trend.js';
import type { Verb } from '../../protocols/protocol.js';
import { duration, rate } from '../../units/unit.js';
import { broadcastFailures, check, countVisits, ledgerOf, total, visitLedger } from '../books/ledger.js';
import { arrivingBeside, latency } from '../latency.js';
import {
  arrivalMetrics,
  arrivalSamples,
  broadcastMetrics,
  broadcastTimes,
  broadcastWork,
  byAudience,
  deliveredColumn,
  figureColumns,
  lateColumn,
  lostClause,
  ofTarget,
  publishedSamples,
  publishMetrics,
} from '../metrics.js';
import type { Scenario, Sums } from '../scenario.js';
import { takesNone } from '../traffic/broadcasts.js';
import { eventsIn, lastsMs, perSecond } from '../traffic/schedule.js';
import { streamNotes, streamVerbs } from '../traffic/streams.js';
import {
  broadcastsOf,
  isInBatches,
  publishingClients,
  refusedOf,
  type ThroughputOptions,
  throughputAudience,
  throughputOptions,
  throughputPublisher,
} from './roles.js';

/** Fewest seconds that show a slope. Each second has the median of many broadcasts, so few are enough. */
const fewestSeconds = 4;
/** A run that sent less than this share of the rate counts as short. */
const sentShare = 0.98;

/** Says if the server keeps up with the rate, and until when. Undefined for batches, whose deliveries have no time. */
export function keepingUp(
  metrics: Readonly<Record<string, Summary>>,
  ledger: LedgerEntries,
  _ms: (us: number | null) => string,
  { options, medians, leastUs }: ResultView<ThroughputOptions>,
): string | undefined {
  // In waves of broadcasts a backlog that grows is no sign.
  if (isInBatches(options) || options.rateStages !== undefined) return undefined;
  // Latency follows the number of visitors where they come and go, so no slope is drawn.
  const seconds = options.stages === undefined ? medians('deliveryFromIntended') : [];
  // A run that ended early covers the broadcasts it attempted.
  const broadcasts = Math.min(broadcastsOf(options), Number(ledger.attempted ?? 0));
  const times = broadcastTimes(broadcasts, options);
  const slope = robustSlope(seconds, fewestSeconds);
  const facts = jamFactsOf(
    {
      ...{ metrics, ledger, declared: broadcastMetrics, times, leastUs },
      growthUs: () => slope && slope * lastsMs(broadcasts, options.ratePerSecond),
    },
    { untaken: undefined, cut: 0, cutBy: '', gone: undefined },
  );
  const { signs, isSure } = jamsOf(facts, restOf(facts));
  const { achievedPerSecond, heldBack, scheduleMs } = facts;
  const asked = rate.print(options.ratePerSecond);
  if (signs.length === 0) {
    const isShort = heldBack === 0 && achievedPerSecond < options.ratePerSecond * sentShare;
    const sent = isShort ? `the ${rate.print(achievedPerSecond)} that it was sent of ${asked}` : asked;
    return `The server keeps up with ${sent} for all ${duration.print(Math.round(scheduleMs / 100) * 100)}.`;
  }
  const grows = signs.find(({ sign }) => sign === 'backlog-grows');
  const text = grows ? [whenItGrows(seconds, slope ?? 0), grows.text].join('') : signs[0]?.text;
  return isSure
    ? `The server does not keep up with ${asked}: ${text}.`
    : `Undecided whether the server keeps up with ${asked}: ${text}, but by the marks that need not be its own.`;
}

/** Says from when on all latencies are higher than before, by more than half a step of the slope. */
function whenItGrows(seconds: readonly (readonly [atMs: number, us: number])[], usPerMs: number): string {
  const us = seconds.map(([, each]) => each);
  const [firstMs, nextMs] = seconds.map(([atMs]) => atMs);
  const leastUs = (usPerMs * ((nextMs ?? 0) - (firstMs ?? 0))) / 2;
  const from = us.findIndex((_, at) => at > 0 && Math.min(...us.slice(at)) > Math.max(...us.slice(0, at)) + leastUs);
  if (from < 0) return '';
  if (from === 1) return 'its backlog grows from the first second; ';
  const keptMs = ((seconds[from] as readonly [number, number])[0] - (firstMs as number)) as number;
  return `it does for ${duration.print(Math.round(keptMs / 1000) * 1000)}, then its backlog grows; `;
}

const toATenth = (value = 0): number => Math.round(value * 10) / 10;

type Backlogged = Pick<Sums, 'counts' | 'timeline' | 'series'>;

/** Returns, per second, the deliveries owed of acked broadcasts that left in it; empty for batches. */
function owedIn({ counts, timeline, series }: Backlogged): number[] {
  const { published = [] } = timeline;
  const { owedInAll, publishedInSecond } = series;
  if (!owedInAll || !publishedInSecond) return published.map((broadcasts) => broadcasts * (counts.subscribers ?? 0));
  // Each broadcast is owed to the clients that were there then, where clients come and go.
  const owed = published.map(() => 0);
  publishedInSecond.forEach((second, sequence) => {
    if (second > 0) owed[second - 1] = (owed[second - 1] as number) + (owedInAll[sequence] as number);
  });
  return owed;
}

/** Returns deliveries of acked broadcasts missing at the end of each second, losses included; empty for batches. */
export function backlogOf(sums: Backlogged): number[] {
  const { published, received = [] } = sums.timeline;
  if (!published) return [];
  const owed = owedIn(sums);
  let missing = 0;
  return Array.from({ length: Math.max(owed.length, received.length) }, (_, second) => {
    missing += (owed[second] ?? 0) - (received[second] ?? 0);
    return Math.max(0, missing);
  });
}

/** Returns the largest backlog, its second, and the seconds until only losses were left. */
export function peakOf(backlog: readonly number[]) {
  const backlogPeak = backlog.reduce((most, each) => Math.max(most, each), 0);
  if (backlogPeak === 0) return { backlogPeak, backlogPeakAtSecond: 0, backlogDrainedInSeconds: 0 };
  const peak = backlog.indexOf(backlogPeak);
  const rest = backlog.at(-1) ?? 0;
  const drained = backlog.findIndex((each, second) => second >= peak && each <= rest);
  return { backlogPeak, backlogPeakAtSecond: peak + 1, backlogDrainedInSeconds: drained - peak };
}

/** Adds rates and backlog to the ledger of a broadcast run. Reports a mismatch if the seconds do not add up. */
export const throughputLedger = ledgerOf({
  base: visitLedger,
  kinds: {
    given: ['latePublishes', 'offeredPerSecond', 'batches', 'backlogPeakAtSecond'],
    merit: ['achievedPerSecond', 'deliveriesPerSecond'],
    burden: ['backlogPeak', 'backlogDrainedInSeconds'],
  },
  sums: visitLedger.books.sums,
  count(sums) {
    const { counts, timeline } = sums;
    const { received = 0, batches } = counts;
    const entries = {
      ...visitLedger.ledger(sums).entries,
      latePublishes: counts.latePublishes ?? 0,
      offeredPerSecond: toATenth(counts.offeredPerSecond),
      achievedPerSecond: toATenth(counts.achievedPerSecond),
      deliveriesPerSecond: perSecond(received, sums.longestMs?.deliveries),
      ...(batches === undefined ? peakOf(backlogOf(sums)) : { batches }),
    };
    const inSeconds = check(received, 'received', total(timeline.received), 'the sum of the seconds');
    return { entries, breaks: [...countVisits(sums).breaks, ...inSeconds] };
  },
  lines({ of }, entries) {
    const publishes = `${of('offeredPerSecond')} offered, ${of('achievedPerSecond')} achieved`;
    const peak = `${of('backlogPeak')} deliveries missing at the peak, ${of('backlogPeakAtSecond')}`;
    return [
      ...visitLedger.ledgerLines(entries),
      [
        'rates',
        `${publishes}, ${of('deliveriesPerSecond')} deliveries per second; ${of('latePublishes')} publishes held back`,
      ],
      entries.batches === undefined
        ? ['backlog', `${peak} s after the start of the load; drained ${of('backlogDrainedInSeconds')} s later`]
        : ['batches', `${of('batches')} requests, each with up to a second of broadcasts`],
    ];
  },
});

const counted = 'deliveries are counted, but neither timed nor ordered';

const notes: Partial<Record<ThroughputOptions['publish'], string>> = {
  batches: `publishes left in batches, one request each; ${counted}`,
  'in-process': `a diagnostic: the target published by itself, in batches; ${counted}`,
};

const verbs: Partial<Record<ThroughputOptions['publish'], Verb>> = { batches: 'batch', clients: 'broadcast' };

/** Measures how many broadcasts a target fans out to N subscribers, the backlog, and the time to drain it. */
export const throughput: Scenario<typeof throughputOptions> = {
  name: 'throughput',
  question: 'Does the server keep up with this publish rate?',
  summary: 'broadcasts offered to N subscribers against what is achieved, the backlog, and the time to drain it',
  options: throughputOptions,
  metrics: {
    ...broadcastMetrics,
    publishAck: {
      ...publishMetrics.publishAck,
      meaning: `${publishMetrics.publishAck.meaning}; only with --publish http`,
    },
    drain: ofTarget('from a shard’s last publish to its last delivery, one sample for each worker', byAudience),
    ...arrivalMetrics,
  },
  needs(options) {
    const verb = options && verbs[options.publish];
    return verb ? [...streamVerbs(options), verb] : streamVerbs(options);
  },
  stages: latency.stages,
  arriving: (options) => arrivingBeside({ ...options, broadcasts: broadcastsOf(options) }),
  contradictions: refusedOf,
  work: broadcastWork,
  publishes: true,
  publishWay: ({ publish }) => publish,
  publishingClients,
  notes(options) {
    const note = notes[options.publish];
    return [...streamNotes(options), ...(note ? [note] : [])];
  },
  takesNone,
  failures: broadcastFailures,
  demand: (options, load) => latency.demand({ ...options, broadcasts: broadcastsOf(options) }, load),
  lasting: (_options, ratePerSecond, ms) => ({ broadcasts: eventsIn(ms, ratePerSecond), durationMs: ms }),
  sizes: ['broadcasts', 'durationMs', 'clients'],
  independentAtMost(options) {
    const most = {
      ...publishedSamples({ ...options, broadcasts: broadcastsOf(options) }),
      ...arrivalSamples(arrivingBeside({ ...options, broadcasts: broadcastsOf(options) })),
    };
    const none = { publishAck: 0, publishInTarget: 0 };
    if (isInBatches(options)) return { ...most, ...none, delivery: 0 };
    return options.publish === 'clients' ? { ...most, ...none } : most;
  },
  blockTimes: (options) => broadcastTimes(broadcastsOf(options), options),
  backlog: backlogOf,
  audience: async (context) => throughputAudience(context),
  publisher: async (context) => throughputPublisher(context),
  ...throughputLedger,
  finding: keepingUp,
  headline: [
    { title: 'achieved/s', kind: 'count', entry: 'achievedPerSecond' },
    { title: 'deliveries/s', kind: 'count', entry: 'deliveriesPerSecond' },
    ...figureColumns('delivery', 'p50', 'p99'),
    lateColumn('deliveryFromIntended'),
    deliveredColumn,
    { title: 'drain', kind: 'figure', metric: 'drain', figure: 'max' },
  ],
  sentence: ['{clients} clients got each broadcast in {delivery}', lostClause],
};
