import type { z } from 'zod';
import { causesInWords, count } from '../../units/words.js';
import { connectionMetrics } from '../connections.js';
import { NoPublisher } from '../no-publisher.js';
import { lastsMs } from '../pace.js';
import type { Ledger, MetricSpec, Scenario, Sums } from '../scenario.js';
import { connectOptions } from './options.js';
import { ConnectAudience } from './roles.js';

export type ConnectOptions = z.output<typeof connectOptions>;

const distribution = (meaning: string): MetricSpec => ({
  kind: 'distribution',
  unit: 'us',
  of: 'target',
  stampedBy: 'audience',
  meaning,
});

/** How fast and how many connections a target takes, each part of the handshake timed. */
export const connect: Scenario<typeof connectOptions> = {
  name: 'connect',
  question: 'How long does a client take to connect and subscribe?',
  summary: 'how long TCP connect, upgrade and subscription take, at a rate of arrivals',
  options: connectOptions,
  metrics: {
    handshake: distribution('from the start of the TCP connect to the confirmed subscription'),
    handshakeFromIntended: distribution(
      'the same from the instant the schedule wanted the arrival; not with --concurrency',
    ),
    tcp: distribution('from the start of the TCP connect to its establishment, TLS included'),
    connect: distribution(connectionMetrics.connect.meaning),
    subscribe: distribution(connectionMetrics.subscribe.meaning),
  },
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', gate: 'start', isMeasured: true, summary: 'connections arrive on the schedule and subscribe' },
  ],
  publishes: false,
  readyCount: 'subscribers',
  readyShare: 0,
  isCapacity: true,
  demand(options, load) {
    return {
      clients: options.connections,
      publishesPerSecond: 0,
      payloadBytes: 64,
      broadcasts: 1,
      durationMs: lastsMs(options.connections, options.ratePerSecond) + load.connectTimeoutMs + load.subscribeTimeoutMs,
    };
  },
  samplesAtMost: ({ connections, concurrency }) => ({
    handshake: connections,
    handshakeFromIntended: concurrency === undefined ? connections : 0,
    tcp: connections,
    connect: connections,
    subscribe: connections,
  }),
  audience: (context) => new ConnectAudience(context),
  publisher: () => new NoPublisher(),
  ledger: connectLedger,
  ledgerLines: (entries) => {
    const of = (name: string): string => count((entries[name] as number | undefined) ?? 0);
    const causes = (name: string): string =>
      causesInWords(entries[name] as Record<string, number> | undefined) || 'none';
    return [
      [
        'connections',
        `${of('asked')} asked, ${of('started')} started = ${of('opened')} opened + ${of('failed')} failed`,
      ],
      ['lost', causes('lostByCause')],
      ['failed', causes('failedByCause')],
    ];
  },
  headline: [
    { title: 'handshake p50', kind: 'figure', metric: 'handshake', figure: 'p50' },
    { title: 'handshake p99', kind: 'figure', metric: 'handshake', figure: 'p99' },
    { title: 'handshake p99 from intended', kind: 'figure', metric: 'handshakeFromIntended', figure: 'p99' },
    { title: 'opened', kind: 'share', part: 'opened', whole: 'asked' },
  ],
};

/** Every connection asked for was established, failed by a cause, or not started because the run ended first. */
function connectLedger({ counts, causes }: Sums): Ledger {
  const { asked = 0, started = 0, opened = 0, failed = 0, open = 0 } = counts;
  const lostByCause = { ...causes.close };
  const lost = Object.values(lostByCause).reduce((sum, each) => sum + each, 0);
  // Those that were not started, the run having ended first, have no cause of their own.
  const notOpened = failed + asked - started;
  const breaks: string[] = [];
  if (started !== opened + failed) breaks.push(`started ${started} is not opened + failed = ${opened + failed}`);
  if (opened !== open + lost) breaks.push(`opened ${opened} is not open + lost = ${open + lost}`);
  return {
    entries: { asked, started, opened, notOpened, failed, lost, failedByCause: { ...causes.connect }, lostByCause },
    breaks,
  };
}
