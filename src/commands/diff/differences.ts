import { lowerMedian } from '../../measure/stats/estimate.js';
import { canonicalJson } from '../../results/fingerprint.js';
import type { RunResult } from '../../results/result.js';

/** Core speeds whose ratio exceeds this are of different machines. Readings of one core vary by a tenth. */
const speedApart = 1.3;

/**
 * What else differs between runs of one shape: target, versions, settings, machine, shards and workers of the first run
 * of each side, and the median speed of a core. Empty if a side has no runs.
 */
export function differences(before: readonly RunResult[], after: readonly RunResult[]): string[] {
  const [first, otherFirst] = [before[0], after[0]];
  if (!first || !otherFirst) return [];
  const [one, other] = [circumstances(first), circumstances(otherFirst)];
  const named = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((place) => canonicalJson(one[place]) !== canonicalJson(other[place]))
    .map((place) => `${place}: ${inWords(one[place])} and ${inWords(other[place])}`);
  if (!hasOtherSpeed(before, after)) return named;
  return [...named, `speed of a core: ${speedOf(before).toFixed(0)} and ${speedOf(after).toFixed(0)} steps/µs`];
}

/** Whether core speeds differ so much that this alone may explain a change. */
export function hasOtherSpeed(before: readonly RunResult[], after: readonly RunResult[]): boolean {
  const [one, other] = [speedOf(before), speedOf(after)];
  return Number.isFinite(one + other) && Math.max(one, other) > speedApart * Math.min(one, other);
}

/** Median over runs of the slowest core of their shards, before or after the load; infinite if all shards were lost. */
function speedOf(runs: readonly RunResult[]): number {
  const slowest = runs
    .map(({ shards }) => Math.min(...shards.flatMap(({ result }) => result?.rig.shard.coreSpeed ?? [])))
    .filter(Number.isFinite);
  return slowest.length > 0 ? lowerMedian(slowest) : Number.POSITIVE_INFINITY;
}

function circumstances({ target, tool, environment, job }: RunResult): Record<string, unknown> {
  return {
    target: target.name,
    ringside: tool.version,
    ...prefixed('version of ', target.versions),
    ...prefixed('setting ', target.settings),
    ...prefixed('machine ', environment.driver),
    shards: job.shards,
    workers: job.load.workers,
  };
}

function prefixed(prefix: string, entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [`${prefix}${name}`, value]));
}

function inWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
