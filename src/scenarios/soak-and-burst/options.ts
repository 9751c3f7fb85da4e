import { z } from 'zod';
import { latencyOptions } from '../latency.js';
import { count, drainMs, rate } from '../options.js';
import { stages } from '../visits/options.js';
import { lengthMs, stagesOf } from '../visits/stages.js';

/** The burst of the benchmarks of Sockudo and Soketi: 50 s up to 250, 30 s there, then down and up again. */
const burst = '50s:250,30s:250,10s:100,10s:50,10s:100';

export const soakAndBurstOptions = z.strictObject({
  subscribers: count('subscribers', 250, [0, 10_000_000], 'clients that soak: there from the ramp to the end'),
  stages: stages.default(burst),
  ratePerSecond: rate('rate', 10, 100_000, 'broadcasts per second while the stages last, on an open schedule'),
  payloadBytes: latencyOptions.shape.payloadBytes,
  rampRatePerSecond: rate('ramp-rate', 5, 1e6, 'soaking clients opened per second, all shards together'),
  warmUp: latencyOptions.shape.warmUp,
  drainMs: drainMs(5000, 'longest wait of a leaving client, and after the last publish'),
});

export type SoakAndBurstOptions = z.output<typeof soakAndBurstOptions>;

/** The options of the same load as a run of broadcasts: as many of them as the rate makes while the stages last. */
export function asLatency<O extends Pick<SoakAndBurstOptions, 'stages' | 'ratePerSecond' | 'warmUp'>>(options: O) {
  const inAll = Math.floor((options.ratePerSecond * lengthMs(stagesOf(options.stages))) / 1000);
  return { ...options, broadcasts: Math.max(1, inAll - options.warmUp) };
}
