import { setTimeout as delay } from 'node:timers/promises';
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
const seconds = { warmUp: 3, first: 30, full: 600, quick: 30, last: 5 };
/** A machine that stands still for a while ends no soak. Raw samples belong to a result: a histogram does not grow. */
const jobLoad = { leaseMs: 120_000, samplesCap: 1000 };

const bounds = growthBounds(`under ${count(audience.subscribers)} x ${audience.ratePerSecond}/s, native engine`);

/** Memory of a bench-runner that times broadcasts for ten minutes on its native engine: it must not grow. */
export const engineSoak: Bench = {
  name: 'engine-soak',
  isOnRequest: true,
  bounds: Object.values(bounds),
  async run(context) {
    const lack = await lackOf('native');
    if (lack !== undefined) return Object.values(bounds).map((bound) => ({ bound, lack }));
    const readForSeconds = context.isQuick ? seconds.quick : seconds.full;
    const timedSeconds = seconds.first + readForSeconds + seconds.last - seconds.warmUp;
    const load: Load = {
      ...audience,
      warmUp: seconds.warmUp * audience.ratePerSecond,
      broadcasts: timedSeconds * audience.ratePerSecond,
    };
    const reader = shardReader(sideNames.native, 'native', { load: jobLoad, isInspected: true });
    const readings = await withTarget((target) =>
      reader.with({ target, signal: context.signal }, load, (held) =>
        whileDelivering(held, { ...context, readForSeconds }),
      ),
    );
    const deliveries = count((load.warmUp + load.broadcasts) * load.subscribers);
    return growthFindings(bounds, readings, `${deliveries} deliveries, none lost`);
  },
};

/** Reads the memory while all is delivered, once buffers have filled and the hot path is compiled. */
async function whileDelivering(
  held: Held,
  { signal, say, readForSeconds }: BenchContext & { readForSeconds: number },
): Promise<Collected[]> {
  const read = async (): Promise<Collected[]> => {
    await delay(seconds.first * 1000, undefined, { signal });
    return memoryUntil(performance.now() + readForSeconds * 1000, held, { signal, say });
  };
  const [readings] = await Promise.all([read(), held.deliver()]);
  return readings;
}
