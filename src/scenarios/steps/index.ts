import { type LedgerEntries, ledgerSum } from '../../measure/ledger.js';
import type { Summary } from '../../measure/samples/distribution.js';
import { minPayloadBytes } from '../../measure/samples/payload.js';
import { countText, shareOf } from '../../units/text.js';
import { deliverySum, ledgerOf, none, total } from '../books/ledger.js';
import {
  asDelivery,
  connectionMetrics,
  connectionSamples,
  deliveredColumn,
  deliveryMetrics,
  leastOf,
  lostClause,
  ofTarget,
} from '../metrics.js';
import { drain, noPublisher, type Scenario } from '../scenario.js';
import { lastsMs } from '../traffic/schedule.js';
import { stepsAudience } from './audience.js';
import { keepsLimit, ofStep, parseLimit, stepsOptions } from './loop.js';

const operationSum = ledgerSum(['sent', 'operations sent'], { answered: 'answered', unanswered: 'unanswered' });

/** Counts operations and deliveries, owed to all that are connected when a step begins. Steps count from 1. */
export const stepsLedger = ledgerOf({
  kinds: {
    given: ['sent', 'expected', 'stray'],
    merit: ['answered', 'delivered'],
    fault: ['unsent', 'unanswered', 'lost', 'duplicate', 'late'],
  },
  sums: [deliverySum, operationSum],
  count({ counts, series }) {
    const of = (name: string): number => counts[name] ?? 0;
    const { sent = none, unanswered = none, owed = none, missing = none, members = none } = series;
    const sample = members.length > 0 ? sent.length / members.length : 1;
    const clients: Record<string, number> = {};
    const lostInStep: Record<string, number> = {};
    const unfinished: Record<string, number> = {};
    const independent: Record<string, number> = {};
    let expected = 0;
    let lost = 0;
    sent.forEach((times, n) => {
      if (times === 0) return;
      const step = String(Math.floor(n / sample) + 1);
      clients[step] = members[Number(step) - 1] as number;
      expected += owed[n] as number;
      lost += missing[n] as number;
      lostInStep[step] = (lostInStep[step] ?? 0) + (missing[n] as number);
      const trip = ofStep('roundTrip', Number(step));
      unfinished[trip] = (unfinished[trip] ?? 0) + (unanswered[n] as number);
      const delivery = ofStep('delivery', Number(step));
      independent[delivery] = (independent[delivery] ?? 0) + 1;
    });
    const entries = {
      sent: of('attempted'),
      unsent: of('unsent'),
      answered: of('answered'),
      unanswered: total(unanswered),
      expected,
      delivered: of('received'),
      lost,
      duplicate: of('duplicate') + of('answeredAgain'),
      late: of('late') + of('answeredLate'),
      stray: of('stray') + of('answeredWrongly'),
      clients,
      lostInStep: Object.fromEntries(Object.entries(lostInStep).filter(([, each]) => each > 0)),
    };
    const twice = sent.reduce((sum, times) => sum + (times > 1 ? 1 : 0), 0);
    return { entries, breaks: twice > 0 ? [`${twice} operations were sent twice`] : [], unfinished, independent };
  },
  lines({ number, of, parts }) {
    const share = shareOf(number('delivered'), number('expected'));
    return [
      ['operations', `${of('sent')} = ${parts(operationSum)}, ${of('unsent')} not sent`],
      ['deliveries', `${of('expected')} = ${parts(deliverySum)}  (${share})`],
      ['beside', `${of('duplicate')} duplicate, ${of('late')} late, ${of('stray')} stray`],
    ];
  },
});

const nothing = { min: null, p50: null, p95: null, max: null, count: 0, unfinished: undefined };

/** Prints a line per step in the form of websocket-bench. The last one complains about missing deliveries. */
export function stepLines(
  metrics: Readonly<Record<string, Summary>>,
  entries: LedgerEntries,
  ms: (us: number | null) => string,
): string[] {
  const clients = (entries.clients ?? {}) as Record<string, number>;
  const lost = (entries.lostInStep ?? {}) as Record<string, number>;
  const rows = Object.entries(clients).map(([step, there]) => {
    const trip = metrics[ofStep('roundTrip', Number(step))] ?? nothing;
    const delivery = metrics[ofStep('delivery', Number(step))] ?? nothing;
    const time = (us: number | null): string => (us === null ? '–' : `${ms(us)}ms`);
    return [
      ...[`clients:`, String(there), '95per-rtt:', time(trip.p95), 'min-rtt:', time(trip.min)],
      ...['median-rtt:', time(trip.p50), 'max-rtt:', time(trip.max)],
      ...(delivery.count === 0
        ? []
        : ['to every client: p50', time(delivery.p50), 'p95', time(delivery.p95), 'max', time(delivery.max)]),
      ...(trip.unfinished === undefined ? [] : ['unanswered', String(trip.unfinished)]),
      ...(lost[step] === undefined ? [] : ['lost', String(lost[step])]),
    ];
  });
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const lines = rows.map((row) =>
    row
      .map((text, column) =>
        column % 2 === 0 ? `${column === 0 ? '' : '    '}${text}` : ` ${text.padStart(width(column))}`,
      )
      .join(''),
  );
  const [expected, got] = [entries.expected as number, entries.delivered as number];
  return got < expected ? [...lines, '', `Missing received broadcasts: expected ${expected}, got ${got}`] : lines;
}

/** Planned milliseconds for each operation, unless its answer is awaited longer, and for the gates of each step. */
const plannedMs = { operation: 2000, gates: 2000 };

const work = { name: 'operation', entry: 'sent' } as const;
const ofOperations = { independent: work } as const;

/** Repeats websocket-shootout: round trips of broadcasts and echoes under more and more clients. */
export const steps: Scenario<typeof stepsOptions> = {
  name: 'steps',
  question: 'How does broadcast time grow with the number of clients?',
  summary: 'how long a broadcast takes back to its sender and to every client, in steps of more and more clients',
  options: stepsOptions,
  without: {
    stages: 'Its clients already come in steps, by --step.',
    duration: 'It ends after its last step: give --steps and --sample.',
  },
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
      if (limit === undefined || keepsLimit(limit, stepSends, stepSlow)) return undefined;
      const broken = `step ${round} of ${of}, ${countText(step * round)} clients, broke ${text}`;
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
    const delivery = mode === 'echo' ? 0 : sample * of;
    return { roundTrip: sample * of, delivery, ...connectionSamples(step * of) };
  },
  audience: async (context) => stepsAudience(context),
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
    deliveredColumn,
  ],
  sentence: ['broadcasts were back at their sender in {roundTrip}', 'clients got them in {delivery}', lostClause],
};
