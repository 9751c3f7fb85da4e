import { setTimeout as delay } from 'node:timers/promises';
import { count } from '../../../src/units/words.js';
import type { Bench, Bound } from '../bench.js';
import { growthOf } from '../benches/soak.js';
import { withTarget } from '../processes/places.js';
import { rssBytesOf } from '../processes/process-files.js';
import { lackOf, loadOf } from '../readers/engines.js';
import type { Held, Load } from '../readers/reader.js';
import { shardReader } from '../readers/shard.js';
import { sideNames } from './readers.js';

/** So many publishes that V8 collects what they leave several times: at a tenth of them it would wait for longer. */
const audience = { subscribers: 100, ratePerSecond: 100 };
const minutes = { full: 10, quick: 0.5 };
const readingEveryMs = 5000;
const readingsPerMinute = 60_000 / readingEveryMs;
const warmUpSeconds = 10;
/** Beyond this, samples become a histogram, which does not grow. */
const samplesCap = 1000;

const growth: Bound = {
  what: `growth of memory under ${count(audience.subscribers)} x ${audience.ratePerSecond}/s, native engine`,
  atMost: 0.05,
  print: (share) => `${(share * 100).toFixed(1)} %`,
};

/** Memory of a bench-runner whose native engine takes broadcasts for ten minutes: it must not grow. */
export const engineSoak: Bench = {
  name: 'engine-soak',
  isOnRequest: true,
  bounds: [growth],
  async run({ isQuick, signal, say }) {
    const lack = await lackOf('native');
    if (lack !== undefined) return [{ bound: growth, lack }];
    const { ratePerSecond } = audience;
    const seconds = (isQuick ? minutes.quick : minutes.full) * 60;
    const load: Load = { ...audience, warmUp: warmUpSeconds * ratePerSecond, broadcasts: seconds * ratePerSecond };
    const reader = shardReader(sideNames.native, 'native', { load: { ...loadOf('native'), samplesCap } });
    return withTarget(async (target) => {
      const { readings, deliveries } = await reader.with({ target, signal }, load, (held) =>
        whileDelivering(held, signal),
      );
      const [first, last] = [readings[0] ?? 0, readings.at(-1) ?? 0].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`);
      say(`  ${first} at first, ${last} in the end`);
      const detail = `${count(deliveries)} deliveries, none lost; ${first} to ${last}`;
      return [{ bound: growth, value: growthOf(readings, readingsPerMinute), detail }];
    });
  },
};

/** Reads the memory until all is delivered. */
async function whileDelivering(held: Held, signal: AbortSignal): Promise<{ readings: number[]; deliveries: number }> {
  const readings: number[] = [];
  let isOver = false;
  const delivering = held.deliver().finally(() => {
    isOver = true;
  });
  // A failure is thrown below, when the last reading is over.
  delivering.catch(() => undefined);
  while (!isOver) {
    await delay(readingEveryMs, undefined, { signal });
    readings.push(rssBytesOf(held.pid));
  }
  return { readings, deliveries: (await delivering).units };
}
