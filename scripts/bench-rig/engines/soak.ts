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
const seconds = { first: 30, full: 600, quick: 30, timed: 5 };
/** A machine that stands still for a while ends no soak. */
const leaseMs = 120_000;

const bounds = growthBounds(`under ${count(audience.subscribers)} x ${audience.ratePerSecond}/s, native engine`);

/** Memory of a bench-runner whose native engine takes broadcasts for ten minutes: it must not grow. */
export const engineSoak: Bench = {
  name: 'engine-soak',
  isOnRequest: true,
  bounds: Object.values(bounds),
  async run(context) {
    const lack = await lackOf('native');
    if (lack !== undefined) return Object.values(bounds).map((bound) => ({ bound, lack }));
    const readForSeconds = context.isQuick ? seconds.quick : seconds.full;
    const load: Load = {
      ...audience,
      // Only timed deliveries fill the blocks of a result, whose memory is set aside at the start but not yet resident.
      warmUp: (seconds.first + readForSeconds) * audience.ratePerSecond,
      broadcasts: seconds.timed * audience.ratePerSecond,
    };
    const reader = shardReader(sideNames.native, 'native', { load: { leaseMs }, isInspected: true });
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
