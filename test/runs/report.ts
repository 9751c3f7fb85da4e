import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { latencyFlags } from '../latency.js';
import { keptDirectory, keptResult, workplace } from '../workplace.js';

export const place = workplace();

/** Where a page of that name is written. */
export const file = (name: string): string => join(place.folder, name);

/** Runs `ws` and `uws` once, and reports them: `one.html` has the run on `ws`, `two.html` has both. */
export async function twoReports(): Promise<{ directories: [string, string]; results: [RunResult, RunResult] }> {
  const run = (target: string) => place.measure(['run', 'latency', '--target', target, ...latencyFlags(7, 151)], 2);
  const [ws, uws] = [await run('ws'), await run('uws')];
  const directories: [string, string] = [keptDirectory(ws), keptDirectory(uws)];
  const made = await Promise.all([
    place.run(['report', directories[0], '--html', file('one.html')]),
    place.run(['report', ...directories, '--html', file('two.html')]),
  ]);
  expect(made.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  return { directories, results: [keptResult(ws), keptResult(uws)] };
}
