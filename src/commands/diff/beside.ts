import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import type { RunResult } from '../../results/result.js';
import { nameWithin, readRun, stampOf } from '../../results/store.js';
import type { KeptRun } from '../compare/assemble.js';
import { differences } from './differences.js';

/** So many of the newest tell well enough what changes between runs, and are read in half a second. */
const most = 12;

/**
 * The newest runs that are kept beside a run, are no younger, of its shape, target, versions and machine, and not void; none of `but`. What came later may
 * hold the very change that is looked for, and so may runs of a target that tells no versions.
 */
export async function runsBeside({ directory, result }: KeptRun, but: readonly string[]): Promise<KeptRun[]> {
  if (Object.keys(result.target.versions).length === 0) return [];
  const place = dirname(resolve(directory));
  const left = new Set([directory, ...but].map((each) => resolve(each)));
  const found: KeptRun[] = [];
  for (const name of await newestFirst(place, result)) {
    if (found.length === most) break;
    if (left.has(join(place, name))) continue;
    const own = join(dirname(directory), name);
    const other = await readOr(own);
    if (other && isOfOneKind(result, other)) found.push({ directory: own, result: other });
  }
  return found;
}

/** Of directories that by their name are of the scenario and target of a run, and no younger, those that are looked at. A comparison that was moved has its runs elsewhere, and none beside them. */
async function newestFirst(place: string, { scenario, target, startedAt }: RunResult): Promise<string[]> {
  const within = nameWithin(scenario, target.name);
  const last = stampOf(startedAt);
  try {
    const names = await readdir(place);
    const held = names.filter((name) => name.includes(within) && name.slice(0, last.length) <= last);
    return held
      .sort()
      .reverse()
      .slice(0, 3 * most);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** What holds no run, or one of another version of Ringside, is passed over. */
async function readOr(directory: string): Promise<RunResult | undefined> {
  try {
    return await readRun(directory);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

function isOfOneKind(one: RunResult, other: RunResult): boolean {
  const isEarlier = Date.parse(other.startedAt) <= Date.parse(one.startedAt);
  const isAlike = one.fingerprint === other.fingerprint && differences([one], [other]).length === 0;
  return isEarlier && isAlike && other.verdict.rig !== 'void';
}
