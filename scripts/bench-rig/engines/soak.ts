import { count } from '../../../src/units/words.js';
import type { Bench, BenchContext } from '../bench.js';
import { growthBounds, growthFindings, memoryUntil } from '../growth.js';
import type { Collected } from '../processes/collected.js';
import { withTarget } from '../processes/places.js';
import { lackOf } from '../readers/engines.js';
import type { Held, Load } from '../readers/reader.js';
import { shardReader } from '../readers/shard.js';
import { sideNames } from './readers.js';

const audience = { subscribers: 1000, ratePerSecond: 10 };
const seconds = { warmUp: 10, full: 600, quick: 30 };
/** Samples beyond the cap become a histogram, which does not grow. A stopped machine ends no soak. */
const jobLoad = { samplesCap: 1000, leaseMs: 600_000 };

const bounds = growthBounds(`under ${count(audience.subscribers)} x ${audience.ratePerSecond}/s, native engine`);

/** Memory of a bench-runner whose native engine takes broadcasts for ten minutes: it must not grow. */
export const engineSoak: Bench = {
  name: 'engine-soak',
  isOnRequest: true,
  bounds: Object.values(bounds),
  async run(context) {
    const lack = await lackOf('native');
    if (lack !== undefined) return Object.values(bounds).map((bound) => ({ bound, lack }));
    const { ratePerSecond } = audience;
    const broadcasts = (context.isQuick ? seconds.quick : seconds.full) * ratePerSecond;
    const load: Load = { ...audience, warmUp: seconds.warmUp * ratePerSecond, broadcasts };
    const reader = shardReader(sideNames.native, 'native', { load: jobLoad, isInspected: true });
    return withTarget(async (target) => {
      const { readings, deliveries } = await reader.with({ target, signal: context.signal }, load, (held) =>
        whileDelivering(held, load, context),
      );
      return growthFindings(bounds, readings, `${count(deliveries)} deliveries, none lost`);
    });
  },
};

/** Reads the memory while all is delivered. */
async function whileDelivering(
  held: Held,
  { warmUp, broadcasts, ratePerSecond }: Load,
  context: BenchContext,
): Promise<{ readings: Collected[]; deliveries: number }> {
  const endMs = performance.now() + ((warmUp + broadcasts) * 1000) / ratePerSecond;
  const [{ units }, readings] = await Promise.all([held.deliver(), memoryUntil(endMs, held, context)]);
  return { readings, deliveries: units };
}
