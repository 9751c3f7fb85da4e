import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import { isPart } from '../../contract/stop-reasons.js';
import { lowerMedian } from '../../measure/stats/estimate.js';
import type { KeptRun } from '../../results/comparison.js';
import { canonicalJson } from '../../results/fingerprint.js';
import type { RunResult } from '../../results/result.js';
import { nameWithin, stampOf } from '../../results/store.js';
import { unlessMissing } from '../../results/whole-file.js';
import { readRun } from '../../run/kept.js';

/** Core speeds whose ratio exceeds this are of different machines. Readings of one core vary by a tenth. */
const speedApart = 1.3;

/** What else differs between runs of one shape, by the first run of each side. Empty if a side has no runs. */
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

function circumstances({ target, tool, environment, job, shards }: RunResult): Record<string, unknown> {
  const engines = new Set(shards.flatMap(({ result }) => (result?.rig.engines ?? []).map(({ name }) => name)));
  return {
    target: target.name,
    ringside: tool.version,
    ...prefixed('version of ', target.versions),
    ...prefixed('setting ', target.settings),
    ...prefixed('machine ', environment.driver),
    shards: job.shards,
    workers: job.load.workers,
    engine: engines.size === 0 ? undefined : [...engines].sort().join(' + '),
  };
}

function prefixed(prefix: string, entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [`${prefix}${name}`, value]));
}

function inWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** This many runs show the noise between runs well enough, and take half a second to read. */
const most = 12;

/** The newest earlier runs beside a run that are alike, whole and not void, without those of `but`. */
export async function runsBeside({ directory, result }: KeptRun, but: readonly string[]): Promise<KeptRun[]> {
  if (Object.keys(result.target.versions).length === 0) return [];
  const place = dirname(resolve(directory));
  const left = new Set([directory, ...but].map((each) => resolve(each)));
  const found: KeptRun[] = [];
  for (const name of await newestFirst(place, result)) {
    if (found.length === most) break;
    if (left.has(join(place, name))) continue;
    const own = join(dirname(directory), name);
    const other = await readRun(own).catch((error: unknown) => {
      if (error instanceof ProblemError) return undefined;
      throw error;
    });
    if (other && isAlike(result, other)) found.push({ directory: own, result: other });
  }
  return found;
}

/** Directories whose names have the scenario and target of a run and no later time. A moved comparison has none. */
async function newestFirst(place: string, { scenario, target, startedAt }: RunResult): Promise<string[]> {
  const within = nameWithin(scenario, target.name);
  const last = stampOf(startedAt);
  const names = (await unlessMissing(readdir(place))) ?? [];
  const earlier = names.filter((name) => name.includes(within) && name.slice(0, last.length) <= last).sort();
  return earlier.reverse().slice(0, 3 * most);
}

function isAlike(one: RunResult, other: RunResult): boolean {
  const isEarlier = Date.parse(other.startedAt) <= Date.parse(one.startedAt);
  const isSame = one.fingerprint === other.fingerprint && differences([one], [other]).length === 0;
  return isEarlier && isSame && other.verdict.rig !== 'void' && !isPart(other.stop.code);
}
