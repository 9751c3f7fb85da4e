import { setTimeout as delay } from 'node:timers/promises';
import { sum } from 'simple-statistics';
import { withInspector } from './inspector.js';
import { rssBytesOf } from './process-files.js';

/** Freed pages go back to the kernel a little after a collection. */
const afterCollectionMs = 500;
const settledShare = 0.005;

/** The memory of a process that has collected its garbage, in bytes. */
export interface Collected {
  rssBytes: number;
  /** What the heaps of all its isolates use. */
  heapBytes: number;
}

/** Collects until the resident memory falls no more: the least of it, and what the last collection gave. */
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

/** The memory of a process without its garbage. One without an inspector has no heap and is read as it is. */
export async function collectedMemory(of: { pid: number; inspector?: string | undefined }): Promise<Collected> {
  const rssBytesNow = (): number => rssBytesOf(of.pid);
  if (of.inspector === undefined) return { rssBytes: rssBytesNow(), heapBytes: 0 };
  return withInspector(of.inspector, async (inspector) => {
    const { rssBytes, last } = await settled(() => inspector.collect(), rssBytesNow);
    return { rssBytes, heapBytes: sum(last) };
  });
}
