import { setTimeout as delay, setInterval } from 'node:timers/promises';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { median, probit, sum } from 'simple-statistics';
import type { BenchContext, Bound, Finding } from '../bench.js';
import { rssBytesOf } from './child.js';
import { CliProcess, resultIn } from './cli-process.js';
import { withInspector } from './inspector.js';
import { type BenchRunner, withBenchRunner, withDirectory } from './places.js';

const readingEveryMs = 5000;
const readingsPerMinute = 60_000 / readingEveryMs;

/** Bounds the growth during a soak: of the bench-runner's resident memory, and of the heaps of all its isolates. */
export type GrowthBounds = Record<keyof CollectedMemory, Bound>;

/** Returns the bounds of a soak. `under` describes the work of the bench-runner meanwhile. */
export function growthBounds(under: string): GrowthBounds {
  const none = { atMost: 0.05, print: (share: number) => `${(share * 100).toFixed(1)} %` };
  return {
    rssBytes: { ...none, what: `growth of memory ${under}` },
    heapBytes: { ...none, what: `growth of heaps ${under}` },
  };
}

/** Reads the memory of a process after garbage collection, every five seconds until `endMs` of `performance.now()`. */
export async function memoryUntil(
  endMs: number,
  of: Parameters<typeof collectedMemory>[0],
  { signal, say }: Pick<BenchContext, 'signal' | 'say'>,
): Promise<CollectedMemory[]> {
  const readings: CollectedMemory[] = [];
  for await (const _due of setInterval(readingEveryMs, undefined, { signal })) {
    // The last reading ends before the process goes on to other work.
    if (performance.now() > endMs - readingEveryMs) break;
    const reading = await collectedMemory(of);
    readings.push(reading);
    if (readings.length % readingsPerMinute === 0) say(`  ${inWords(reading)}`);
  }
  return readings;
}

export function growthFindings(bounds: GrowthBounds, readings: readonly CollectedMemory[], detail: string): Finding[] {
  return (Object.keys(bounds) as (keyof GrowthBounds)[]).map((of) => {
    const each = readings.map((reading) => reading[of]);
    const [first, last] = [each[0], each.at(-1)].map((bytes) => `${((bytes ?? 0) / 1e6).toFixed(1)} MB`);
    return { bound: bounds[of], value: growthOf(each), detail: `${detail}; ${first} to ${last}` };
  });
}

/**
 * Returns the growth from the median of the first minute's readings to that of the last. A shorter series uses its
 * halves.
 */
export function growthOf(readings: readonly number[], window = readingsPerMinute): number {
  const size = Math.min(window, Math.floor(readings.length / 2));
  if (size < 1) throw new Error(`growth needs two readings, there are ${readings.length}`);
  return median(readings.slice(-size)) / median(readings.slice(0, size)) - 1;
}

function inWords({ rssBytes, heapBytes }: CollectedMemory): string {
  return `${(rssBytes / 1e6).toFixed(1)} MB, of that ${(heapBytes / 1e6).toFixed(1)} MB in heaps`;
}

/** Lets the garbage collector and compiler finish, after the start and after the ramp. */
const settleMs = 5000;
const besideMs = 180_000;

/** Describes the connections that a bench-runner holds. It can be an inspected one. */
export interface Hold {
  connections: number;
  rampPerSecond: number;
  holdMs: number;
  isInspected?: boolean;
}

/**
 * Describes a bench-runner during its hold. `idleRssBytes` is from before the job. `endMs` is the end of the hold on
 * `performance.now()`.
 */
export type HoldingRunner = Pick<BenchRunner, 'pid' | 'inspector'> & { idleRssBytes: number; endMs: number };

/** Runs `work` during the hold of a real idle run. Throws if a connection is lost. */
export async function whileHeld<T>(
  { connections, rampPerSecond, holdMs, isInspected }: Hold,
  signal: AbortSignal,
  work: (holder: HoldingRunner) => Promise<T>,
): Promise<T> {
  const load = `--connections ${connections} --ramp-rate ${rampPerSecond}/s --settle ${settleMs}ms --hold ${holdMs}ms`;
  const hold = async (directory: string, { url, pid, inspector }: BenchRunner): Promise<T> => {
    await delay(settleMs, undefined, { signal });
    const idleRssBytes = rssBytesOf(pid);
    const job = ['--target', 'uws', '--shard', url, ...load.split(' ')];
    const args = ['run', 'idle', ...job, '--json', '--results', directory];
    const run = new CliProcess(args, signal, settleMs + holdMs + besideMs);
    try {
      await run.saw(/ hold /);
      const endMs = performance.now() + holdMs;
      await delay(settleMs, undefined, { signal });
      const value = await work({ pid, inspector, idleRssBytes, endMs });
      const { held, lost } = resultIn(await run.ended).ledger;
      if (held !== connections) throw new Error(`${held} of ${connections} connections were held, ${lost} lost`);
      return value;
    } finally {
      await run.stop();
    }
  };
  return withDirectory((directory) =>
    withBenchRunner(signal, (runner) => hold(directory, runner), { isInspected: isInspected ?? false }),
  );
}

/** Typical latencies of a fan-out are log-normal, with a median of 7 ms and a p99 of 45 ms. */
const medianUs = 7000;
const sigma = 0.8;

/** Returns `count` sorted latencies in microseconds. The same seed gives the same values. */
export function logNormalLatencies(count: number, seed: number): Uint32Array {
  const random = xoroshiro128plus(seed);
  const draw = (): number => medianUs * Math.exp(sigma * probit(uniformFloat64(random)));
  return Uint32Array.from({ length: count }, draw).sort();
}

/** Freed pages return to the kernel a little after a collection. */
const afterCollectionMs = 500;
const settledShare = 0.005;

/** Describes the memory of a process after garbage collection, in bytes. */
export interface CollectedMemory {
  rssBytes: number;
  /** Heap use of all its isolates. */
  heapBytes: number;
}

/** Collects until the resident memory stops falling. Returns its minimum and the result of the last collection. */
export async function settled<T>(
  collect: () => T | Promise<T>,
  rssBytesNow: () => number,
): Promise<{ rssBytes: number; last: T }> {
  for (let leastBytes = Number.POSITIVE_INFINITY; ; ) {
    const last = await collect();
    await delay(afterCollectionMs);
    const rssBytes = rssBytesNow();
    if (rssBytes > leastBytes * (1 - settledShare)) return { rssBytes: Math.min(rssBytes, leastBytes), last };
    leastBytes = rssBytes;
  }
}

/**
 * Reads the memory of a process after garbage collection. Without an inspector it has no heap figure and no collection.
 */
export async function collectedMemory(of: { pid: number; inspector?: string | undefined }): Promise<CollectedMemory> {
  const rssBytesNow = (): number => rssBytesOf(of.pid);
  if (of.inspector === undefined) return { rssBytes: rssBytesNow(), heapBytes: 0 };
  return withInspector(of.inspector, async (inspector) => {
    const { rssBytes, last } = await settled(() => inspector.collect(), rssBytesNow);
    return { rssBytes, heapBytes: sum(last) };
  });
}
