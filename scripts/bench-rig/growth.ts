import { setInterval } from 'node:timers/promises';
import { median } from 'simple-statistics';
import type { BenchContext, Bound, Finding } from './bench.js';
import { type Collected, collectedMemory } from './processes/collected.js';

const readingEveryMs = 5000;
const readingsPerMinute = 60_000 / readingEveryMs;

/** How much a soak may grow: the resident memory of its bench-runner, and the heaps of all isolates in it. */
export type GrowthBounds = Record<keyof Collected, Bound>;

/** The bounds of a soak. `under`: what the bench-runner does meanwhile. */
export function growthBounds(under: string): GrowthBounds {
  const none = { atMost: 0.05, print: (share: number) => `${(share * 100).toFixed(1)} %` };
  return {
    rssBytes: { ...none, what: `growth of memory ${under}` },
    heapBytes: { ...none, what: `growth of heaps ${under}` },
  };
}

/** Reads the memory of a process without its garbage, every five seconds until `endMs` of `performance.now()`. */
export async function memoryUntil(
  endMs: number,
  of: Parameters<typeof collectedMemory>[0],
  { signal, say }: Pick<BenchContext, 'signal' | 'say'>,
): Promise<Collected[]> {
  const readings: Collected[] = [];
  for await (const _due of setInterval(readingEveryMs, undefined, { signal })) {
    // The last reading is over when the process goes on to something else.
    if (performance.now() > endMs - readingEveryMs) break;
    const reading = await collectedMemory(of);
    readings.push(reading);
    if (readings.length % readingsPerMinute === 0) say(`  ${inWords(reading)}`);
  }
  return readings;
}

/** What a soak found. */
export function growthFindings(bounds: GrowthBounds, readings: readonly Collected[], detail: string): Finding[] {
  return (Object.keys(bounds) as (keyof GrowthBounds)[]).map((of) => {
    const each = readings.map((reading) => reading[of]);
    const [first, last] = [each[0], each.at(-1)].map((bytes) => `${((bytes ?? 0) / 1e6).toFixed(1)} MB`);
    return { bound: bounds[of], value: growthOf(each), detail: `${detail}; ${first} to ${last}` };
  });
}

/** Growth from the median of the first minute's readings, or half of a shorter series, to that of the last. */
export function growthOf(readings: readonly number[], window = readingsPerMinute): number {
  const size = Math.min(window, Math.floor(readings.length / 2));
  if (size < 1) throw new Error(`growth needs two readings, there are ${readings.length}`);
  return median(readings.slice(-size)) / median(readings.slice(0, size)) - 1;
}

function inWords({ rssBytes, heapBytes }: Collected): string {
  return `${(rssBytes / 1e6).toFixed(1)} MB, of that ${(heapBytes / 1e6).toFixed(1)} MB in heaps`;
}
