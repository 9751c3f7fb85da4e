import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { comparison, comparisonFile } from '../../results/comparison.js';
import { readKept } from '../../results/kept.js';
import { runFile, runResult } from '../../results/result.js';
import { scenarioOf } from '../../run/catalog.js';
import {
  progressFile,
  type SuiteBook,
  type SuiteProgress,
  type SuiteResult,
  suiteProgress,
  suiteResult,
  suiteResultFile,
} from './book.js';
import { type Done, slotKey } from './schedule.js';

/** The newest kept suite of a directory, with its scoreboards. Throws `ProblemError` if a file is missing. */
export async function readNewestBook(directory: string): Promise<SuiteBook> {
  const [found = directory] = await suiteDirectories(directory);
  return readBook(await readWhole(join(found, suiteResultFile), suiteResult), found);
}

/** A suite with its scoreboards. Throws `ProblemError` if one is missing. */
export async function readBook(suite: SuiteResult, directory: string): Promise<SuiteBook> {
  const boards = suite.entries.map(async ({ name, scenario }) => ({
    name,
    comparison: await readWhole(join(directory, name, comparisonFile), comparison),
    scenario: scenarioOf(scenario, directory),
  }));
  return { suite, boards: await Promise.all(boards) };
}

async function readWhole<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const kept = await readKept(path, schema);
  if (kept === undefined) throw new ProblemError([problem('badResult', `${path} is missing`)]);
  return kept;
}

/**
 * The directory itself if it holds a finished suite; otherwise those in it that do, newest first, of one name or any.
 * Throws `ProblemError` if there is none.
 */
export async function suiteDirectories(directory: string, name?: string): Promise<string[]> {
  const isFinished = (each: string): boolean => existsSync(join(each, suiteResultFile));
  const found = isFinished(directory) ? [directory] : (await begunIn(directory, name)).filter(isFinished);
  if (found.length > 0) return found;
  throw new ProblemError([problem('badResult', `${directory} holds no ${suiteResultFile}, nor a suite that does`)]);
}

/** Directories of suites of one name, or of any, newest first. */
async function begunIn(directory: string, name = '[a-z0-9-]+'): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const form = new RegExp(`^[\\d-]+T[\\d-]+Z-suite-${name}-[0-9a-f]{8}$`);
  const suites = names.filter((each) => form.test(each)).sort();
  return suites.reverse().map((each) => join(directory, each));
}

/** The suite to resume: in `directory`, or the newest incomplete one. Throws `ProblemError` if there is none. */
export async function readBegun(
  name: string,
  resultsDir: string,
  directory: string | undefined,
): Promise<{ progress: SuiteProgress; directory: string }> {
  for (const each of directory === undefined ? await begunIn(resultsDir, name) : [directory]) {
    const progress = await readKept(join(each, progressFile), suiteProgress);
    const isComplete =
      directory === undefined && (await readKept(join(each, suiteResultFile), suiteResult))?.isComplete;
    if (progress && !isComplete) return { progress, directory: each };
  }
  const place = directory ?? `${resultsDir} (suite ${name}, not complete)`;
  throw new ProblemError([problem('notFound', `--resume: expected a suite to continue, found none in ${place}`)]);
}

/** The finished runs of a suite by slot. A run that is unreadable is left out, so it runs again. */
export async function readDone(progress: SuiteProgress, directory: string): Promise<Done> {
  const runs = progress.runs.map(async (slot) => {
    const at = join(directory, slot.directory);
    const result = await readKept(join(at, runFile), runResult).catch((error: unknown) => {
      if (error instanceof ProblemError) return undefined;
      throw error;
    });
    return result ? [[slotKey(slot), { directory: at, result }] as const] : [];
  });
  return new Map((await Promise.all(runs)).flat());
}
