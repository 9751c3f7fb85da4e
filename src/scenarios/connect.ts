import { z } from 'zod';
import { ledgerSum } from '../measure/ledger.js';
import { causesInWords } from '../units/text.js';
import { check, ledgerOf, openedSum, total } from './books/ledger.js';
import { bracketed, byAudience, connectionMetrics, connectionSamples, ofRig, ofTarget, pongNotes } from './metrics.js';
import { countOption, durationOption, optionalCount, rateOption } from './options.js';
import { planRamp } from './roster/ramp.js';
import { createRoster } from './roster/roster.js';
import { type AudienceContext, measured, noPublisher, type Role, type Scenario } from './scenario.js';
import { eventsIn, lastsMs } from './traffic/schedule.js';
import { RateMeter } from './traffic/send-schedule.js';

export const connectOptions = z.strictObject({
  clients: countOption('clients', 2000, [1, 10_000_000], 'clients to connect; each stays open until the end'),
  ratePerSecond: rateOption('rate', 500, 1e6, 'arrivals per second, all shards together, on an open schedule'),
  concurrency: optionalCount('concurrency', [1, 100_000], 'no schedule: so many handshakes per worker at once'),
  stallMs: durationOption('stall', 15_000, [1000, 600_000], 'end the run when no connection opens for this long'),
});

export type ConnectOptions = z.output<typeof connectOptions>;

const startedSum = ledgerSum(['started', 'connections started'], { opened: 'opened', failed: 'failed' });

/** Counts the connections asked for: established, failed by a cause, or not started because the run ended first. */
export const connectLedger = ledgerOf({
  kinds: { given: ['asked', 'started'], merit: ['opened'], fault: ['notOpened', 'failed', 'lost'] },
  sums: [startedSum, openedSum],
  count({ counts, causes }) {
    const { asked = 0, started = 0, opened = 0, failed = 0, open = 0 } = counts;
    const lostByCause = { ...causes.close };
    const lost = total(lostByCause);
    // Connections that were not started because the run ended first have no cause of their own.
    const notOpened = failed + asked - started;
    return {
      entries: { asked, started, opened, notOpened, failed, lost, failedByCause: { ...causes.connect }, lostByCause },
      breaks: check(opened, 'opened', open + lost, 'open + lost'),
    };
  },
  lines({ of, parts }, { lostByCause, failedByCause }) {
    const causes = (by: unknown): string => causesInWords(by as Record<string, number> | undefined) || 'none';
    return [
      ['connections', `${of('asked')} asked, ${of('started')} started = ${parts(startedSum)}`],
      ['lost', causes(lostByCause)],
      ['failed', causes(failedByCause)],
    ];
  },
});

/** Measures how fast and how many connections a target takes. It times each part of the handshake. */
export const connect: Scenario<typeof connectOptions> = {
  name: 'connect',
  question: 'How long does a client take to connect and subscribe?',
  summary: 'how long TCP connect, upgrade and subscription take, at a rate of arrivals',
  options: connectOptions,
  without: {
    stages: 'Its clients already come on an open schedule, by --rate, and there is no traffic to come into.',
    duration: 'It ends when all clients are open: give --clients and --rate, or hold them with `ringside run idle`.',
  },
  metrics: {
    ...bracketed('handshake', 'audience', 'from the start of the TCP connect to the confirmed subscription'),
    handshakeFromIntended: ofTarget('the same from the scheduled instant of the arrival; not with --concurrency', {
      fromIntended: { sent: 'handshake', lag: 'connectLag' },
    }),
    connectLag: ofRig('how much later than scheduled the load generator began a connection; not with --concurrency'),
    ...bracketed('tcp', 'audience', 'from the start of the TCP connect to its establishment'),
    ...bracketed('tls', 'audience', 'from established TCP to the end of the TLS handshake; only over wss://'),
    ...connectionMetrics,
    connect: { ...connectionMetrics.connect, ...byAudience },
    subscribe: { ...connectionMetrics.subscribe, ...byAudience },
  },
  needs: () => [],
  notes: (_options, protocol) => pongNotes(protocol),
  stages: [measured('ramp', 'start', 'connections arrive on the schedule and subscribe')],
  work: { name: 'connection', entry: 'opened' },
  publishes: false,
  isCapacity: true,
  demand(options, load) {
    return {
      clients: options.clients,
      publishesPerSecond: 0,
      payloadBytes: 64,
      broadcasts: 1,
      durationMs: lastsMs(options.clients, options.ratePerSecond) + load.connectTimeoutMs + load.subscribeTimeoutMs,
    };
  },
  lasting: (_options, ratePerSecond, ms) => ({ clients: eventsIn(ms, ratePerSecond) }),
  sizes: ['clients'],
  independentAtMost: ({ clients, concurrency }) => ({
    ...{ handshake: clients, tcp: clients, tls: clients },
    handshakeFromIntended: concurrency === undefined ? clients : 0,
    connectLag: concurrency === undefined ? clients : 0,
    ...connectionSamples(clients),
  }),
  audience: async (context) => connectAudience(context),
  publisher: async () => noPublisher,
  ...connectLedger,
  headline: [
    { title: 'handshake p50', kind: 'figure', metric: 'handshake', figure: 'p50' },
    { title: 'handshake p99', kind: 'figure', metric: 'handshake', figure: 'p99' },
    { title: 'handshake p99, late sends included', kind: 'figure', metric: 'handshakeFromIntended', figure: 'p99' },
    { title: 'opened', kind: 'share', part: 'opened', whole: 'asked' },
  ],
  sentence: [
    '{opened} of {asked} clients connected and subscribed in {handshake}',
    { count: 'lost', none: '', some: '{lost} were cut off again' },
  ],
};

/** A schedule that is always ahead, so that only the concurrency limits the rate. */
const unpacedPerSecond = 1e9;

/** Opens connections on a schedule, or with a fixed number of handshakes under way, and times each part. */
export function connectAudience(context: AudienceContext<ConnectOptions>): Role {
  const { concurrency, ratePerSecond, stallMs } = context.options;
  const isScheduled = concurrency === undefined;
  const established = new RateMeter();
  const roster = createRoster(context, { deliveries: () => undefined });
  const ramp = planRamp(roster, { subscribed: () => established.count(context.nowNs()) });
  const pace = isScheduled ? { ratePerSecond } : { ratePerSecond: unpacedPerSecond, maxPending: concurrency };
  return {
    stage: (_name, startAtNs, signal) => ramp.run(startAtNs, { ...pace, stallMs }, signal),
    progress: () => ramp.progress(),
    report() {
      const { counts, causes, timeline, samples } = ramp.report();
      const { handshakeFromIntended, connectLag, ...asTheyCame } = samples;
      return {
        counts: {
          ...counts,
          ...(isScheduled && ramp.arrivalRates()),
          subscribers: counts.open,
          establishedPerSecond: established.perSecond,
        },
        causes,
        timeline,
        // Without a schedule no arrival was intended at an instant.
        samples: isScheduled ? samples : asTheyCame,
        series: {},
      };
    },
    dispose: () => roster.dispose(),
  };
}
