import type { BlockTimes } from '../../measure/samples/over-time.js';

/** When the measured broadcasts are scheduled, for every metric with blocks by broadcast. */
export function broadcastTimes(
  broadcasts: number,
  { ratePerSecond, warmUp }: { ratePerSecond: number; warmUp: number },
): Record<string, BlockTimes> {
  const everyMs = 1000 / ratePerSecond;
  const times = { stage: 'publish', firstMs: warmUp * everyMs, everyMs, units: broadcasts };
  return { delivery: times, deliveryFromIntended: times, publishAck: times };
}
