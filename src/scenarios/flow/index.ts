import type { DescribedModule } from '../../contract/job.js';
import type { MetricSpec, StageSpec } from '../../measure/declaration.js';
import { countText } from '../../units/text.js';
import { duration, rate } from '../../units/unit.js';
import {
  byAudience,
  connectionMetrics,
  figureColumns,
  lateColumn,
  leastOf,
  ofRig,
  ofTarget,
  rankedWithLost,
} from '../metrics.js';
import { drain, exchangeGate, measured, noPublisher, type Scenario } from '../scenario.js';
import { flowLedger, leftInWords } from './ledger.js';
import { arrivalsOf, type FlowOptions, flowOptions, sizeOfFlow, slicesOf } from './options.js';

const family = { isFamily: true } as const;
const optional = { isOptional: true } as const;
const ofSends = { independent: { name: 'send', entry: 'owing' } } as const;
const unanswered = { unfinished: ['unanswered'] } as const;
const unansweredAsks = { unfinished: ['asksUnanswered'] } as const;

const deliveries: Record<string, MetricSpec> = rankedWithLost({
  delivery: ofTarget('from a declared send being handed to its socket to its frame reaching a member of its group', {
    ...{ ...ofSends, ...family, atLeast: 'deliveryAtLeast' },
  }),
  deliveryFromIntended: ofTarget(
    'the same from the scheduled instant of the send: what a user feels when the target stalls',
    {
      ...{ ...ofSends, fromIntended: { sent: 'delivery', lag: 'sendLag' } },
    },
  ),
  deliveryAtLeast: leastOf('delivery', ofSends),
});

const answers: Record<string, MetricSpec> = {
  answer: ofTarget('from a declared send being handed to its socket to its mark coming back to its sender', {
    ...{ ...unanswered, ...family, atLeast: 'answerAtLeast' },
  }),
  answerFromIntended: ofTarget('the same from the scheduled instant of the send', {
    ...{ ...unanswered, fromIntended: { sent: 'answer', lag: 'sendLag' } },
  }),
  answerAtLeast: leastOf('answer', unanswered),
};

const closed = 'closed, as a slow answer delays what comes next';

const waits: Record<string, MetricSpec> = {
  ask: ofTarget(`from the send of an \`ask\` to the arrival of its answer; ${closed}`, {
    ...{ ...unansweredAsks, ...family, ...optional, ...byAudience, atLeast: 'askAtLeast' },
  }),
  askAtLeast: leastOf('ask', { ...unansweredAsks, ...optional }),
  http: ofTarget(`from an HTTP request to the end of its answer; ${closed}`, {
    ...{ ...family, ...optional, ...byAudience, unfinished: ['requestsFailed'] },
  }),
  spread: ofTarget('from the first client of a worker that has a message of a stream to each of its others', {
    ...{ ...family, ...optional, ...byAudience },
  }),
};

/** How flows end: a shard must know what the others sent, and no socket may close before all has come. */
export const flowEnd: readonly StageSpec[] = [
  { name: 'settle', isMeasured: true, isClosing: true, summary: 'the last declared sends leave' },
  { ...drain('what is still under way arrives; shards know what the others sent'), gate: exchangeGate },
  { name: 'close', gate: 'close', isClosing: true, summary: 'sockets close, as nothing is under way on any shard' },
];

/** Runs the flow of a user: each client lives by the code of a module, which declares what the target owes. */
export const flow: Scenario<typeof flowOptions> = {
  name: 'flow',
  question: 'How does the server carry clients that do what your own code says?',
  summary: 'clients that live by a module of yours, which declares what the target owes them',
  options: flowOptions,
  runsModules: true,
  metrics: {
    ...deliveries,
    ...answers,
    ...waits,
    reaction: ofRig('from the arrival of a message to your code that awaits it by `ask`, `next` or `on`', optional),
    sendLag: ofRig('how much later than scheduled the load generator sent a declared send'),
    connect: { ...connectionMetrics.connect, ...byAudience },
    connectAtLeast: connectionMetrics.connectAtLeast,
  },
  needs: () => [],
  stages: [
    { name: 'ramp', summary: 'the module loads, and no client begins' },
    measured('live', 'start', 'clients begin on their schedule, and each lives by the flow'),
    ...flowEnd,
  ],
  notes: (options) => [planInWords(options)],
  arriving: (options) => sizeOfFlow(options).clients,
  contradictions(options) {
    const { clients, durationMs } = sizeOfFlow(options);
    const { arrivalsPerSecond, stages } = options;
    if (stages !== undefined) {
      const beside = { clients: options.clients, arrivals: arrivalsPerSecond, duration: options.durationMs };
      const given = Object.entries(beside).filter(([, value]) => value !== undefined);
      return given.map(([flag, value]) => `--${flag}: expected nothing with --stages, received ${value}`);
    }
    const most = Math.floor((arrivalsOf(options) * durationMs) / 1000);
    if (clients <= Math.max(1, most)) return [];
    return [`--clients: expected at most ${most}, as many as begin by --arrivals in --duration, received ${clients}`];
  },
  work: { name: 'client', entry: 'begun' },
  publishes: false,
  failures: {
    nothing: [
      { got: 'came', missing: ['notConnected', 'requestsFailed'] },
      { got: 'connected', of: 'connects', missing: ['notConnected'] },
      { got: 'delivered', of: 'owed', missing: ['lost'] },
      { got: 'answered', of: 'answersOwed', missing: ['unanswered'] },
      { got: 'asksAnswered', of: 'asks', missing: ['asksUnanswered'] },
      { got: 'requestsAnswered', of: 'requests', missing: ['requestsFailed'] },
      { got: 'streamCame', of: 'streamOwed', missing: ['streamLost'] },
    ],
  },
  demand(options) {
    const { clients, durationMs } = sizeOfFlow(options);
    // What a flow sends is known when it runs.
    const none = { publishesPerSecond: 0, payloadBytes: 64, broadcasts: 1 };
    return { clients, ...none, durationMs: durationMs + options.drainMs };
  },
  mostMarks: ({ mostSends }) => mostSends,
  lasting: (_options, _ratePerSecond, ms) => ({ durationMs: ms }),
  sizes: ['durationMs', 'clients'],
  independentAtMost: () => ({}),
  blockTimes(options) {
    const { count: units, everyNs } = slicesOf(options);
    const times = {
      stage: 'live',
      firstMs: 0,
      everyMs: everyNs / 1e6,
      units,
      independentEach: sizeOfFlow(options).clients,
    };
    return { delivery: times, deliveryFromIntended: times, answer: times, answerFromIntended: times };
  },
  audience: (context) => context.flow(context.options),
  publisher: async () => noPublisher,
  ...flowLedger,
  finding: (_metrics, entries) => leftInWords(entries),
  headline: [
    ...figureColumns('delivery', 'p50', 'p99', 'max'),
    lateColumn('deliveryFromIntended'),
    { title: 'answer p99', kind: 'figure', metric: 'answer', figure: 'p99' },
    { title: 'ask p99', kind: 'figure', metric: 'ask', figure: 'p99' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'owed' },
    { title: 'left', kind: 'count', entry: 'left' },
  ],
  sentence: [
    'deliveries took {delivery}',
    'answers took {answer}',
    'replies took {ask}',
    {
      count: 'owed',
      none: '{received} messages came',
      some: { count: 'lost', none: 'nothing was lost', some: '{lost} of {owed} deliveries were lost' },
    },
  ],
};

function planInWords(options: FlowOptions): string {
  const { clients, durationMs } = sizeOfFlow(options);
  const [many, time] = [`${countText(clients)} clients`, duration.print(durationMs)];
  if (options.stages !== undefined) return `${many} come and go in stages for ${time}`;
  return `${many} begin, ${rate.print(arrivalsOf(options))}, and the load ends after ${time} at the latest`;
}

/** Adds the metrics and thresholds that modules declare to their scenario. Results and thresholds then know them. */
export function withModules(
  scenario: Scenario,
  modules: readonly (Pick<DescribedModule, 'metrics'> & { thresholds?: readonly string[] })[],
): Scenario {
  if (modules.length === 0) return scenario;
  const declared = modules.flatMap(({ metrics }) => Object.entries(metrics));
  const specOf = (meaning: string): MetricSpec => ({
    kind: 'distribution',
    unit: 'us',
    meaning,
    of: 'target',
    stampedBy: 'audience',
  });
  return {
    ...scenario,
    metrics: { ...scenario.metrics, ...Object.fromEntries(declared.map(([name, text]) => [name, specOf(text)])) },
    thresholds: [...(scenario.thresholds ?? []), ...modules.flatMap(({ thresholds = [] }) => thresholds)],
  };
}
