import { z } from 'zod';
import { broadcastFailures, visitLedger } from './books/ledger.js';
import { latency, latencyOptions, subscribers } from './latency.js';
import { broadcastTimes, broadcastWork, deliveredColumn, figureColumns, lostClause } from './metrics.js';
import { countOption, drainMs, rateOption } from './options.js';
import { drain, measured, type Scenario } from './scenario.js';
import { publishBroadcasts, takesNone } from './traffic/broadcasts.js';
import { arrivingOf, lengthMs, stages, stagesOf } from './traffic/schedule.js';
import { streamDistribution, streamNotes, streamOptions, streamsRefused, streamVerbs } from './traffic/streams.js';

/** The burst of the benchmarks of Sockudo and Soketi: 50 s up to 250, 30 s there, then down and up again. */
const burst = '50s:250,30s:250,10s:100,10s:50,10s:100';

export const soakAndBurstOptions = z.strictObject({
  clients: countOption('clients', 250, [0, 10_000_000], 'clients that soak: there from the ramp to the end'),
  stages: stages.default(burst),
  ratePerSecond: rateOption('rate', 10, 100_000, 'broadcasts per second while the stages last, on an open schedule'),
  payloadBytes: latencyOptions.shape.payloadBytes,
  rampRatePerSecond: rateOption('ramp-rate', 5, 1e6, 'soaking clients opened per second, all shards together'),
  ...streamOptions,
  streamDistribution,
  warmUp: latencyOptions.shape.warmUp,
  drainMs: drainMs(5000, 'longest wait of a leaving client, and after the last publish'),
});

export type SoakAndBurstOptions = z.output<typeof soakAndBurstOptions>;

/** Returns the options of the same load as a run of broadcasts. */
export function asLatency<O extends Pick<SoakAndBurstOptions, 'stages' | 'ratePerSecond' | 'warmUp'>>(options: O) {
  const inAll = Math.floor((options.ratePerSecond * lengthMs(stagesOf(options.stages))) / 1000);
  return { ...options, broadcasts: Math.max(1, inAll - options.warmUp) };
}

/** Repeats Sockudo's benchmark: soaking clients, bursts of visitors, and a publisher that does not stop. */
export const soakAndBurst: Scenario<typeof soakAndBurstOptions> = {
  name: 'soak-and-burst',
  question: 'What do bursts of clients that come and go cost those that stay?',
  summary: 'broadcasts to clients that stay and to bursts of visitors that come and go meanwhile',
  options: soakAndBurstOptions,
  without: { duration: 'It lasts as long as its stages: give --stages.' },
  metrics: latency.metrics,
  needs: streamVerbs,
  notes: streamNotes,
  contradictions: streamsRefused,
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
    subscribers({
      ...context,
      options: asLatency(context.options),
    }),
  publisher: async (context) => publishBroadcasts(context),
  ...visitLedger,
  thresholds: ['delivery.p95<100ms', 'delivery.mean<100ms'],
  headline: [
    ...figureColumns('delivery', 'mean', 'p50', 'p95', 'max'),
    { title: 'arrival p95', kind: 'figure', metric: 'arrival', figure: 'p95' },
    deliveredColumn,
  ],
  sentence: ['clients got each broadcast in {delivery}', lostClause],
};
