import { setTimeout as delay } from 'node:timers/promises';
import { median } from 'simple-statistics';
import { count } from '../../../src/units/words.js';
import type { Bench, Bound } from '../bench.js';
import { whileHeld } from '../processes/held.js';
import { rssBytesOf } from '../processes/process-files.js';

const connections = 5000;
const minutes = { full: 10, quick: 2 };
const readingEveryMs = 5000;
const readingsPerMinute = 60_000 / readingEveryMs;

const growth: Bound = {
  what: `growth of a bench-runner's memory that holds ${count(connections)} connections`,
  atMost: 0.05,
  print: (share) => `${(share * 100).toFixed(1)} %`,
};

/** Memory of a bench-runner that holds connections for ten minutes: it must not grow. */
export const soak: Bench = {
  name: 'soak',
  isOnRequest: true,
  bounds: [growth],
  async run({ isQuick, signal, say }) {
    const holdMs = (isQuick ? minutes.quick : minutes.full) * 60_000;
    const readings = await whileHeld({ connections, rampPerSecond: 1000, holdMs }, signal, async ({ pid }) => {
      const read: number[] = [];
      // The last reading comes before the hold ends, so that none falls into the probe.
      for (let dueMs = 0; dueMs < holdMs; dueMs += readingEveryMs) {
        const bytes = read[read.push(rssBytesOf(pid)) - 1] as number;
        if (read.length % readingsPerMinute === 0) say(`  ${dueMs / 1000} s  ${(bytes / 1e6).toFixed(1)} MB`);
        await delay(readingEveryMs, undefined, { signal });
      }
      return read;
    });
    const detail = `${holdMs / 60_000} min, first minute to last`;
    return [{ bound: growth, value: growthOf(readings, readingsPerMinute), detail }];
  },
};

/** Growth from the median of the first `window` readings, or half of a shorter series, to that of the last. */
export function growthOf(readings: readonly number[], window: number): number {
  const size = Math.min(window, Math.floor(readings.length / 2));
  if (size < 1) throw new Error(`growth needs two readings, there are ${readings.length}`);
  return median(readings.slice(-size)) / median(readings.slice(0, size)) - 1;
}
