import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError, problem } from '../contract/problems.js';
import { experimentFile } from './journal.js';
import { runFile } from './result.js';
import { unlessMissing } from './store.js';

/** Where commands that read results look for the newest one. */
export const resultsRoot = 'results';

/** Names begin with a time. Those of runs and suites end with an id. */
const kept = /^[\d-]+T[\d-]+Z-(.+?)(?:-[0-9a-f]{8})?$/;

/** Returns the names of the results in a directory, the newest first. */
export async function newestResults(root: string): Promise<string[]> {
  const names = (await unlessMissing(readdir(root))) ?? [];
  const isKept = (name: string): boolean =>
    [runFile, experimentFile].some((file) => existsSync(join(root, name, file)));
  const found = names.filter((name) => kept.test(name) && isKept(name)).sort();
  return found.reverse();
}

/** Returns the directory of the newest result. Throws `ProblemError` if there is none. */
export async function latestResult(root: string = resultsRoot): Promise<string> {
  const [name] = await newestResults(root);
  if (name !== undefined) return join(root, name);
  throw new ProblemError([problem('badResult', `${root} holds no result`, 'Name the directory of one.')]);
}

/** Returns the newest result before another of its scenario and target. Throws `ProblemError` if there is none. */
export async function resultBefore(directory: string, root: string = resultsRoot): Promise<string> {
  const names = await newestResults(root);
  const place = names.findIndex((name) => join(root, name) === directory);
  const middle = kept.exec(names[place] ?? '')?.[1];
  const before = names.slice(place + 1).find((name) => kept.exec(name)?.[1] === middle);
  if (before !== undefined) return join(root, before);
  const message = `${root} holds no earlier result like ${directory}`;
  throw new ProblemError([problem('badResult', message, 'Name the directory of a baseline.')]);
}
