import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import { nameWithin, stampOf } from '../../results/keep.js';
import { readRun } from '../../results/kept.js';
import type { RunResult } from '../../results/result.js';
import type { KeptRun } from '../compare/assemble.js';
import { differences } from './differences.js';

/** This many runs show the noise between runs well enough, and take half a second to read. */
const most = 12;

/**
 * The newest earlier runs in the same directory with the same shape, target, versions and machine, without void ones
 * and those of `but`. Later runs may contain the change that is looked for, and so may a target without versions.
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
  const names = await readdir(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const earlier = names.filter((name) => name.includes(within) && name.slice(0, last.length) <= last).sort();
  return earlier.reverse().slice(0, 3 * most);
}

function isAlike(one: RunResult, other: RunResult): boolean {
  const isEarlier = Date.parse(other.startedAt) <= Date.parse(one.startedAt);
  const isSame = one.fingerprint === other.fingerprint && differences([one], [other]).length === 0;
  return isEarlier && isSame && other.verdict.rig !== 'void';
}
