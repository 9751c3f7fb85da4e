import { byAudience, connectionMetrics, connectionSamples, pongNotes } from '../metrics.js';
import { lastsMs } from '../pace.js';
import type { Scenario } from '../scenario.js';
import { heldLedger } from './ledger.js';
import { idleOptions, isPinged, probeTimeoutMsOf, rampRateOf } from './options.js';

const probeBytes = 64;
const probeAttempts = 3;

/** How many connections a target holds, at what memory each, and what stopped it. */
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
  needs: (options) => (options === undefined || isPinged(options) ? [] : ['subscribe']),
  unpublished: ({ probe = 'ping' }) => ({ probe }),
  notes: (options, protocol) => [
    ...pongNotes(protocol),
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
      summary: 'one broadcast, or the pong to a ping, must reach every connection that is called held',
    },
  ],
  work: { name: 'connection', entry: 'held' },
  publishes: true,
  publishWay: (options) => (isPinged(options) ? undefined : 'http'),
  isCapacity: true,
  demand(options) {
    const rampMs = lastsMs(options.connections, rampRateOf(options));
    return {
      clients: options.connections,
      publishesPerSecond: 1,
      payloadBytes: probeBytes,
      broadcasts: probeAttempts,
      durationMs: rampMs + options.stallMs + options.settleMs + options.holdMs + probeTimeoutMsOf(options),
    };
  },
  sizes: ['connections'],
  independentAtMost: ({ connections }) => connectionSamples(connections),
  audience: async (context) => new (await import('./audience.js')).IdleAudience(context),
  publisher: async (context) => new (await import('./publisher.js')).IdlePublisher(context),
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
};
