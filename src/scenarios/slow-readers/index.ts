import type { ResultView } from '../../measure/declaration.js';
import { ledgerSum } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { estimate, interval95, ratioOf } from '../../measure/stats/estimate.js';
import { plural } from '../../units/text.js';
import {
  broadcastFailures,
  broadcastLedger,
  check,
  ledgerOf,
  none,
  ofAcked,
  recoveredInWords,
  total,
} from '../books/ledger.js';
import {
  broadcastDemand,
  broadcastMetrics,
  broadcastTimes,
  broadcastWork,
  byAudience,
  deliveredColumn,
  deliveryMetrics,
  figureColumns,
  leastOf,
  lostClause,
  ofBroadcasts,
  ofTarget,
  publishedSamples,
} from '../metrics.js';
import { drain, measured, type Scenario } from '../scenario.js';
import { publishBroadcasts, takesNone } from '../traffic/broadcasts.js';
import { lastsMs } from '../traffic/schedule.js';
import {
  broadcastsBefore,
  type SlowReadersOptions,
  slowClients,
  slowReadersAudience,
  slowReadersOptions,
} from './audience.js';

const slowSum = ledgerSum(['slowExpected', 'deliveries to slow readers expected'], {
  slowRead: 'read in time',
  slowReadLater: ['read later', 'good'],
  slowRecovered: ['recovered after a cut', 'good'],
  slowLostByCut: 'lost by a cut',
  slowDropped: 'not sent by the target',
});

const readerSum = ledgerSum(['slowReaders', 'slow readers'], { slowStayed: ['stayed', 'good'], slowCut: 'cut' });

const backSum = ledgerSum(['slowCut', 'slow readers cut'], { slowBack: ['came back', 'good'], slowNotBack: 'did not' });

/** Counts what slow readers are owed beside what the others are: a target may drop it, or cut them. */
export const slowReadersLedger = ledgerOf({
  base: broadcastLedger,
  kinds: {
    given: ['slowReaders', 'slowExpected', 'resumes'],
    merit: [
      ...['deliveredBefore', 'deliveredBeside', 'slowRead', 'slowReadLater', 'slowRecovered'],
      ...['slowStayed', 'slowBack', 'recovered'],
    ],
    fault: ['lostBefore', 'lostBeside'],
    burden: ['slowCut', 'slowNotBack', 'slowLostByCut', 'slowDropped'],
  },
  sums: [
    ...broadcastLedger.books.sums,
    {
      ...ledgerSum(['delivered', 'delivered'], { deliveredBefore: 'before', deliveredBeside: 'beside' }),
      isDetail: true,
    },
    { ...ledgerSum(['lost', 'lost'], { lostBefore: 'before', lostBeside: 'beside' }), isDetail: true },
    slowSum,
    readerSum,
    backSum,
  ],
  count({ counts, causes, series }) {
    const { subscribers = 0, slowReaders = 0 } = counts;
    const { entries } = broadcastLedger.ledger({
      counts: { ...counts, subscribers: subscribers - slowReaders },
      series,
    });
    const { acked = none } = series;
    const half = broadcastsBefore({ broadcasts: acked.length });
    const ofHalf = (name: string, isBefore: boolean): number =>
      ofAcked(
        { acked: acked.map((each, n) => Number(each > 0 && n < half === isBefore)), [name]: series[name] ?? none },
        name,
      );
    const [slowRead, slowReadLater, slowRecovered] = ['slowRead', 'slowReadLater', 'slowRecovered'].map((name) =>
      ofAcked(series, name),
    ) as [number, number, number];
    const { slowCut = {}, notBack = {} } = causes;
    const came = slowRead + slowReadLater + slowRecovered;
    return {
      entries: {
        ...entries,
        ...{ deliveredBefore: ofHalf('delivered', true), deliveredBeside: ofHalf('delivered', false) },
        ...{ lostBefore: ofHalf('missing', true), lostBeside: ofHalf('missing', false) },
        ...{ slowExpected: total(acked) * slowReaders, slowRead, slowReadLater, slowRecovered },
        ...{ slowLostByCut: ofAcked(series, 'slowMissedByCut'), slowDropped: ofAcked(series, 'slowMissed') },
        ...{ slowReaders, slowStayed: counts.slowStayed ?? 0, slowCut: total(slowCut) },
        ...{ slowBack: counts.slowBack ?? 0, slowNotBack: total(notBack), resumes: counts.resumes ?? 0 },
        ...{ recovered: counts.recovered ?? 0, slowCutByCause: slowCut, slowNotBackByCause: notBack },
      },
      breaks: check(ofAcked(series, 'slowDelivered'), 'slowDelivered', came, 'read + read later + recovered'),
    };
  },
  lines({ of, parts, number }, entries) {
    const backed = parts(backSum, { slowNotBack: 'slowNotBackByCause' });
    const returns = `${of('slowCut')} = ${backed}${recoveredInWords(entries, 'slowBack')}`;
    return [
      ...broadcastLedger.ledgerLines(entries),
      ['slow readers', `${of('slowReaders')} = ${parts(readerSum, { slowCut: 'slowCutByCause' })}`],
      ...(number('slowCut') === 0 ? [] : [['cut ones', returns] as const]),
      ['owed to them', `${of('slowExpected')} = ${parts(slowSum)}`],
    ];
  },
});

const { delivery, deliveryFromIntended } = deliveryMetrics;
const ofHealthy = 'of healthy readers';
const [beside, before] = ['while others read slowly', 'while all read'];
const withLost = (half: 'Before' | 'Beside') => ({ unfinished: [`lost${half}`], samplesOf: `delivered${half}` });

const metrics = {
  ...broadcastMetrics,
  delivery: { ...delivery, ...withLost('Beside'), meaning: `${ofHealthy}, ${beside}: ${delivery.meaning}` },
  deliveryFromIntended: { ...deliveryFromIntended, ...withLost('Beside') },
  deliveryAtLeast: { ...deliveryMetrics.deliveryAtLeast, ...withLost('Beside') },
  deliveryBefore: {
    ...{ ...delivery, ...withLost('Before'), atLeast: 'deliveryBeforeAtLeast' },
    meaning: `${ofHealthy}, ${before}: ${delivery.meaning}`,
  },
  deliveryBeforeFromIntended: {
    ...{ ...deliveryFromIntended, ...withLost('Before') },
    fromIntended: { sent: 'deliveryBefore', lag: 'publishLag' },
  },
  deliveryBeforeAtLeast: leastOf('delivery before', { ...ofBroadcasts, ...withLost('Before') }),
  cutAfter: ofTarget('from the instant when some clients began to read slowly to the cut of one of them', byAudience),
};

/** Returns a figure of healthy readers beside slow ones over that before, and its 95 % interval with the rig's part. */
export function costOf(
  figure: 'p50' | 'p99',
  summaries: Readonly<Record<string, Summary>>,
  { intervalUs, leastUs }: Pick<ResultView, 'intervalUs' | 'leastUs'>,
): { ratio: number; low: number; high: number } | undefined {
  const [one, other] = ['delivery', 'deliveryBefore'].map((metric) => {
    const us = summaries[metric]?.[figure];
    const known = us ? estimate([us], [intervalUs(metric, figure)]) : undefined;
    return known && us ? { known, leastShare: (leastUs(metric, figure) ?? us) / us } : undefined;
  });
  if (!one || !other) return undefined;
  const ratio = ratioOf(one.known, other.known);
  const [low, high] = interval95(ratio);
  return { ratio: Math.exp(ratio.centre), low: low * one.leastShare, high: high / other.leastShare };
}

function costInWords(...asked: Parameters<typeof costOf>): string[] {
  const [figure] = asked;
  const cost = costOf(...asked);
  if (cost === undefined) return [];
  const { ratio, low, high } = cost;
  const isSure = low > 1 || high < 1;
  const range = isSure ? `${low.toFixed(2)} to ${high.toFixed(2)}` : 'undecided';
  return [`${figure} of healthy readers, beside slow ones over before: ${ratio.toFixed(2)} (${range})`];
}

const megabyte = 1e6;

/** Compares the growth of the target's memory with what slow readers had not read at the end. */
function memoryInWords(unread: number, { options, reading }: ResultView<SlowReadersOptions>): string[] {
  const { warmUp, broadcasts, ratePerSecond, payloadBytes } = options;
  const [halfMs, endMs] = [warmUp + broadcastsBefore(options), warmUp + broadcasts].map((each) =>
    lastsMs(each, ratePerSecond),
  ) as [number, number];
  const [from, to] = [halfMs, endMs].map((atMs) => reading('publish', 'rssBytes', Math.max(0, atMs - 3000), atMs));
  const unreadBytes = unread * payloadBytes;
  const held = `${(unreadBytes / megabyte).toFixed(1)} MB waited for slow readers at the end`;
  if (from == null || to == null || unread === 0) return [held];
  const grew = to - from;
  const each = grew > 0 ? `, ${(grew / unreadBytes).toFixed(2)} MB per MB` : '';
  return [`${held}; the target's memory changed by ${(grew / megabyte).toFixed(1)} MB${each}`];
}

/** Measures what clients that read slowly, or not at all, cost the target and the others. */
export const slowReaders: Scenario<typeof slowReadersOptions> = {
  name: 'slow-readers',
  question: 'What do clients that do not read cost the others and the server?',
  summary: 'what clients that read slowly or not at all cost the others and the target, and whom it cuts',
  options: slowReadersOptions,
  without: { stages: 'Its healthy clients stay, as their deliveries before and beside slow readers are compared.' },
  metrics,
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is proven' },
    measured('publish', 'start', 'warm-up and measured broadcasts; from the middle on, some read slowly or not'),
    drain('slow readers read freely, and cut ones come back; what the target kept for them arrives'),
  ],
  contradictions(options, load) {
    const { slow, stopped } = slowClients(options);
    const healthy = options.clients - slow - stopped;
    const asked = `--slow ${options.slow} and --stopped of ${plural(options.clients, 'client')}`;
    return [
      ...(healthy > 0 ? [] : [`--clients: expected a healthy reader beside ${asked}, received none`]),
      ...(load?.client === 'library' ? [`--client: expected wire, as libraries always read, received library`] : []),
    ];
  },
  notes: ({ broadcasts, payloadBytes }) => {
    const leaves = ((broadcasts - broadcastsBefore({ broadcasts })) * payloadBytes) / megabyte;
    return [
      `a stopped client leaves ${leaves.toFixed(1)} MB; Linux holds 4 MB of a connection before a target's own memory`,
    ];
  },
  work: broadcastWork,
  publishes: true,
  takesNone,
  demand: (options) => broadcastDemand(options),
  sizes: ['broadcasts', 'clients'],
  independentAtMost(options) {
    const [half, rest] = [broadcastsBefore(options), options.broadcasts - broadcastsBefore(options)];
    const { slow, stopped } = slowClients(options);
    return {
      ...publishedSamples(options),
      ...{ delivery: rest, deliveryBefore: half, cutAfter: slow + stopped },
    };
  },
  blockTimes(options) {
    const { warmUp, broadcasts } = options;
    const half = broadcastsBefore(options);
    const first = broadcastTimes(half, options);
    const second = broadcastTimes(broadcasts - half, { ...options, warmUp: warmUp + half });
    const { publishAck } = broadcastTimes(broadcasts, options);
    return { ...second, ...(publishAck && { publishAck }), ...(first.delivery && { deliveryBefore: first.delivery }) };
  },
  audience: async (context) => slowReadersAudience(context),
  publisher: async (context) => publishBroadcasts(context),
  failures: broadcastFailures,
  ...slowReadersLedger,
  figureLines: (summaries, entries, _ms, view) => [
    ...costInWords('p50', summaries, view),
    ...costInWords('p99', summaries, view),
    ...memoryInWords(
      ['slowReadLater', 'slowRecovered', 'slowLostByCut'].reduce((sum, name) => sum + Number(entries[name] ?? 0), 0),
      view,
    ),
  ],
  headline: [
    ...figureColumns('delivery', 'p50', 'p99'),
    { title: 'p50 before', kind: 'figure', metric: 'deliveryBefore', figure: 'p50' },
    { title: 'p99 before', kind: 'figure', metric: 'deliveryBefore', figure: 'p99' },
    deliveredColumn,
    { title: 'slow readers cut', kind: 'share', part: 'slowCut', whole: 'slowReaders' },
    { title: 'dropped for them', kind: 'count', entry: 'slowDropped' },
  ],
  sentence: [
    'healthy readers got each broadcast in {delivery}, and in {deliveryBefore} before others stopped reading',
    lostClause,
    { count: 'slowCut', none: 'no slow reader was cut', some: '{slowCut} of {slowReaders} slow readers were cut' },
    {
      count: 'slowBack',
      none: '',
      some: '{slowBack} came back, and got {slowRecovered} deliveries that they had missed',
    },
    { count: 'slowDropped', none: '', some: '{slowDropped} deliveries were dropped for slow readers that stayed' },
  ],
};
