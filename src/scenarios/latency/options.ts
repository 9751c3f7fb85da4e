import { z } from 'zod';
import { broadcasts, drainMs, payloadBytes, rampRatePerSecond, rate, subscribers, warmUp } from '../options.js';
import { stages } from '../visits/options.js';

export const latencyOptions = z.strictObject({
  subscribers,
  broadcasts: broadcasts(500),
  ratePerSecond: rate('rate', 20, 100_000, 'broadcasts per second, all shards together, on an open schedule'),
  payloadBytes,
  rampRatePerSecond,
  stages: stages.optional(),
  warmUp: warmUp(10),
  drainMs: drainMs(5000, 'longest wait after the last publish; later deliveries count as lost'),
});

export type LatencyOptions = z.output<typeof latencyOptions>;
