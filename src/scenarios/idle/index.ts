import { ledgerSum } from '../../measure/ledger.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { openGauge } from '../../measure/series.js';
import { causesInWords } from '../../units/text.js';
import { check, ledgerOf, openedSum, total } from '../books/ledger.js';
import { byAudience, connectionMetrics, connectionSamples, pongNotes } from '../metrics.js';
import type { Scenario } from '../scenario.js';
import { lastsMs } from '../traffic/schedule.js';
import { streamNotes, streamsRefused, streamVerbs } from '../traffic/streams.js';
import { idleAudience, idleOptions, idlePublisher, isPinged, probeTimeoutMsOf, rampRateOf } from './roles.js';

type Causes = Record<string, number>;

const heldSum = ledgerSum(['opened', 'connections opened'], { held: 'held', lost: 'lost' });

/** Compares lost connections by cause with their sum over stages. Returns each mismatch in words. */
function stageBreaks(lostByCause: Causes, stages: readonly Causes[]): string[] {
  const byStage = sumCounts(stages);
  const names = Object.keys(sumCounts([lostByCause, byStage]));
  return names.flatMap((cause) => {
    const [all, inStages] = [lostByCause[cause] ?? 0, byStage[cause] ?? 0];
    return all === inStages ? [] : [`lost by ${cause} ${all} is not ramp + hold + probe = ${inStages}`];
  });
}

const lossTitles = {
  lostInRampByCause: 'in the ramp',
  lostInHoldByCause: 'in the hold',
  lostAtProbeByCause: 'at the probe',
};

/** Counts held connections: open at the end and reached by the probe. All others are lost. */
export const heldLedger = ledgerOf({
  kinds: { given: ['asked'], merit: ['opened', 'peak', 'held', 'proven'], fault: ['notOpened', 'lost'] },
  sums: [heldSum, openedSum],
  count({ counts, causes, timeline }) {
    const { asked = 0, opened = 0, open = 0, held = 0, proven = 0, started = 0, failed = 0 } = counts;
    const failedByCause = { ...causes.connect };
    const notStarted = asked - started;
    if (notStarted > 0) failedByCause['not-started'] = notStarted;
    const notOpened = total(failedByCause);
    const lostByCause = { ...causes.close };
    const lostAtProbeByCause = { ...causes.lostAtProbe };
    if (open > held) lostByCause.unproven = lostAtProbeByCause.unproven = open - held;
    const byStage = {
      lostInRampByCause: { ...causes.lostInRamp },
      lostInHoldByCause: { ...causes.lostInHold },
      lostAtProbeByCause,
    };
    const lost = total(lostByCause);
    const { peak } = openGauge(timeline);
    const entries = { asked, opened, notOpened, peak, held, proven, lost, lostByCause, ...byStage, failedByCause };
    const unprobed = open > 0 && counts.probesAttempted && !counts.probesAcked;
    const breaks = [
      // Without an open connection the probe has nothing to prove.
      ...(unprobed ? ['no probe was acked: nothing is proven'] : []),
      ...check(started, 'started', opened + failed, 'opened + failed'),
      ...(peak < open ? [`the gauge's peak ${peak} is below the ${open} open at the end`] : []),
      ...stageBreaks(lostByCause, Object.values(byStage)),
    ];
    return { entries, breaks };
  },
  lines({ of, parts }, entries) {
    const causes = (name: string): string => causesInWords(entries[name] as Causes | undefined);
    const losses = Object.entries(lossTitles).flatMap(([name, title]) => {
      const words = causes(name);
      return words === '' ? [] : [`${title} ${words}`];
    });
    return [
      ['connections', `${of('asked')} asked, ${of('opened')} opened = ${parts(heldSum)}, peak ${of('peak')}`],
      ['proven', `${of('proven')} reached by the probe`],
      ['lost', losses.join('; ') || 'none'],
      ['failed', causes('failedByCause') || 'none'],
    ];
  },
});

const probeBytes = 64;
const probeAttempts = 3;

/** Measures how many connections a target holds, the memory of each, and what stopped it. */
export const idle: Scenario<typeof idleOptions> = {
  name: 'idle',
  question: 'How many open connections does the server hold, and what stops it?',
  summary: 'how many connections a target holds, proven by a broadcast or a ping, and what stopped it',
  options: idleOptions,
  without: { stages: 'Its clients stay from the ramp to the end, as it measures what each of them costs.' },
  metrics: {
    ...connectionMetrics,
    connect: { ...connectionMetrics.connect, ...byAudience },
    subscribe: { ...connectionMetrics.subscribe, ...byAudience },
  },
  needs(options) {
    if (options === undefined || (isPinged(options) && (options.streams ?? 1) === 1)) return [];
    return streamVerbs(options);
  },
  contradictions: streamsRefused,
  unpublished: ({ probe = 'ping' }) => ({ probe }),
  notes: (options, protocol) => [
    ...pongNotes(protocol),
    ...streamNotes(options),
    ...(isPinged(options) ? ['no broadcast: a connection is held if it answered a ping frame at the end'] : []),
  ],
  stages: [
    {
      name: 'ramp',
      isMeasured: true,
      summary: 'connections are opened, evenly spaced, until all are up or none comes up any more',
    },
    { name: 'hold', gate: 'hold', summary: 'settle, then hold; heartbeats are answered' },
    {
      name: 'probe',
      gate: 'probe',
      isClosing: true,
      summary: 'one broadcast to each stream, or the pong to a ping, must reach every connection that is called held',
    },
  ],
  work: { name: 'connection', entry: 'held' },
  publishes: true,
  publishWay: (options) => (isPinged(options) ? undefined : 'http'),
  isCapacity: true,
  demand(options) {
    const rampMs = lastsMs(options.clients, rampRateOf(options));
    return {
      clients: options.clients,
      publishesPerSecond: 1,
      payloadBytes: probeBytes,
      broadcasts: probeAttempts * (options.streams ?? 1),
      durationMs: rampMs + options.stallMs + options.settleMs + options.durationMs + probeTimeoutMsOf(options),
    };
  },
  sizes: ['clients'],
  independentAtMost: ({ clients }) => connectionSamples(clients),
  audience: async (context) => idleAudience(context),
  publisher: async (context) => idlePublisher(context),
  failures: { nothing: [{ got: 'held', missing: ['lost'] }] },
  ...heldLedger,
  headline: [
    { title: 'asked', kind: 'count', entry: 'asked' },
    { title: 'held', kind: 'count', entry: 'held' },
    { title: 'lost', kind: 'count', entry: 'lost' },
    { title: 'connect p50', kind: 'figure', metric: 'connect', figure: 'p50' },
    { title: 'connect p99', kind: 'figure', metric: 'connect', figure: 'p99' },
    { title: 'bytes per connection', kind: 'footprint' },
  ],
  sentence: ['the server held {held} of {asked} connections', 'each took {footprint}', 'they opened in {connect}'],
};
