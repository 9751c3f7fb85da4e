import { takesNone } from '../broadcasts/first-publishes.js';
import { broadcastFailures } from '../broadcasts/ledger.js';
import { latency } from '../latency.js';
import { broadcastTimes, broadcastWork } from '../metrics.js';
import { drain, measured, type Scenario } from '../scenario.js';
import { visitLedger } from '../visits/ledger.js';
import { arrivingOf } from '../visits/options.js';
import { asLatency, soakAndBurstOptions } from './options.js';

/** Sockudo's benchmark: soaking clients, bursts of others that come and go, and a publisher that does not stop. */
export const soakAndBurst: Scenario<typeof soakAndBurstOptions> = {
  name: 'soak-and-burst',
  question: 'What do bursts of clients that come and go cost those that stay?',
  summary: 'broadcasts to clients that stay and to bursts of visitors that come and go meanwhile',
  options: soakAndBurstOptions,
  metrics: latency.metrics,
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', summary: 'the soaking clients connect and subscribe, evenly spaced; each subscription is proven' },
    measured('publish', 'start', 'warm-up, then measured broadcasts on one open schedule, while visitors come and go'),
    drain('what is still under way arrives'),
  ],
  arriving: arrivingOf,
  work: broadcastWork,
  publishes: true,
  takesNone,
  failures: broadcastFailures,
  demand: (options, load) => latency.demand(asLatency(options), load),
  sizes: ['ratePerSecond'],
  independentAtMost: (options) => latency.independentAtMost(asLatency(options)),
  blockTimes: (options) => broadcastTimes(asLatency(options).broadcasts, options),
  audience: async (context) =>
    new (await import('../broadcasts/audience.js')).BroadcastAudience({
      ...context,
      options: asLatency(context.options),
    }),
  publisher: async (context) => new (await import('../broadcasts/publisher.js')).BroadcastPublisher(context),
  ...visitLedger,
  thresholds: ['delivery.p95<100ms', 'delivery.mean<100ms'],
  headline: [
    { title: 'mean', kind: 'figure', metric: 'delivery', figure: 'mean' },
    { title: 'p50', kind: 'figure', metric: 'delivery', figure: 'p50' },
    { title: 'p95', kind: 'figure', metric: 'delivery', figure: 'p95' },
    { title: 'max', kind: 'figure', metric: 'delivery', figure: 'max' },
    { title: 'arrival p95', kind: 'figure', metric: 'arrival', figure: 'p95' },
    { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' },
  ],
};
