import { minPayloadBytes } from '../../measure/samples/payload.js';
import { count } from '../../units/words.js';
import { asDelivery, connectionMetrics, connectionSamples, deliveryMetrics, leastOf, ofTarget } from '../metrics.js';
import { lastsMs } from '../pace.js';
import { drain, noPublisher, type Scenario } from '../scenario.js';
import { stepsLedger } from './ledger.js';
import { isKept, parseLimit } from './limit.js';
import { stepLines } from './lines.js';
import { stepsOptions } from './options.js';

/** Planned for each operation, unless its answer is awaited longer, and for the gates of each step. */
const plannedMs = { operation: 2000, gates: 2000 };

/** All clients that get one operation count once. */
const work = { name: 'operation', entry: 'sent' } as const;
const ofOperations = { independent: work } as const;

/** websocket-shootout: round trips of broadcasts and echoes under more and more clients. */
export const steps: Scenario<typeof stepsOptions> = {
  name: 'steps',
  question: 'How does broadcast time grow with the number of clients?',
  summary: 'how long a broadcast takes back to its sender and to every client, in steps of more and more clients',
  options: stepsOptions,
  without: { stages: 'Its clients already come in steps, by --step.' },
  metrics: {
    roundTrip: ofTarget(
      'from an operation being handed to its socket to its answer, unanswered ones included; the loop hides stalls',
      { stampedBy: 'audience', atLeast: 'roundTripAtLeast', unfinished: ['unanswered'] },
    ),
    roundTripAtLeast: leastOf('round trip', { unfinished: ['unanswered'] }),
    delivery: ofTarget(
      'from a broadcast being handed to its socket to its frame reaching each client’s of the same shard',
      { ...asDelivery, ...ofOperations },
    ),
    deliveryAtLeast: { ...deliveryMetrics.deliveryAtLeast, ...ofOperations },
    ...connectionMetrics,
    subscribe: {
      ...connectionMetrics.subscribe,
      meaning:
        'from the open WebSocket to the confirmed subscription, or to an echo where the protocol confirms nothing',
    },
  },
  needs(options) {
    if (options === undefined) return [];
    return options.mode === 'echo' ? ['echo'] : ['broadcast', 'acknowledge'];
  },
  stages: [
    {
      name: 'ramp',
      gate: 'step',
      isRound: true,
      isMeasured: true,
      summary: 'the clients of the step connect, evenly spaced, each proven',
    },
    { name: 'send', gate: 'start', isRound: true, isMeasured: true, summary: 'the operations, in a closed loop' },
    { ...drain('what is still under way arrives'), isRound: true },
  ],
  rounds: {
    count: (options) => options.steps,
    clients: ({ step }, round) => step * (round + 1),
    enough({ step, steps: of, limit: text }, { stepSends = 0, stepSlow = 0 }, round) {
      const limit = text === undefined ? undefined : parseLimit(text);
      if (limit === undefined || isKept(limit, stepSends, stepSlow)) return undefined;
      const broken = `step ${round} of ${of}, ${count(step * round)} clients, broke ${text}`;
      return `${broken}: ${stepSlow} of ${stepSends} round trips took longer`;
    },
  },
  work,
  publishes: false,
  failures: {
    nothing: [
      { got: 'answered', missing: ['unanswered'] },
      { got: 'delivered', missing: ['lost'] },
    ],
  },
  demand({ step, steps: of, sample, concurrent, paddingBytes, rampRatePerSecond, drainMs }) {
    const stepMs =
      lastsMs(step, rampRatePerSecond) +
      Math.ceil(sample / concurrent) * Math.max(plannedMs.operation, drainMs) +
      drainMs +
      plannedMs.gates;
    return {
      clients: step * of,
      publishesPerSecond: 0,
      payloadBytes: minPayloadBytes + paddingBytes,
      broadcasts: sample * of,
      durationMs: of * stepMs,
    };
  },
  sizes: ['sample', 'step'],
  independentAtMost({ step, steps: of, sample, mode }) {
    const delivered = mode === 'echo' ? 0 : sample * of;
    const clients = step * of;
    return {
      roundTrip: sample * of,
      roundTripAtLeast: sample * of,
      delivery: delivered,
      deliveryAtLeast: delivered,
      ...connectionSamples(clients),
    };
  },
  audience: async (context) => new (await import('./audience.js')).StepsAudience(context),
  publisher: async () => noPublisher,
  ...stepsLedger,
  thresholds: ['lost==0', 'unanswered==0', 'unsent==0'],
  figureLines: stepLines,
  headline: [
    { title: 'rtt p50', kind: 'figure', metric: 'roundTrip', figure: 'p50' },
    { title: 'rtt p95', kind: 'figure', metric: 'roundTrip', figure: 'p95' },
    { title: 'rtt max', kind: 'figure', metric: 'roundTrip', figure: 'max' },
    { title: 'delivery p50', kind: 'figure', metric: 'delivery', figure: 'p50' },
    { title: 'delivery p95', kind: 'figure', metric: 'delivery', figure: 'p95' },
    { title: 'delivery max', kind: 'figure', metric: 'delivery', figure: 'max' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
  ],
};
