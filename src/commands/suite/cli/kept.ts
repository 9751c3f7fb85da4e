import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../../contract/problems.js';
import { comparison, comparisonFile } from '../../../results/comparison.js';
import { readKept } from '../../../results/kept.js';
import { runFile, runResult } from '../../../results/result.js';
import { scenarioOf } from '../../../run/catalog.js';
import { assemble } from '../../compare/assemble.js';
import { baselineDifference, baselineOf, freshBaseline, type Held } from '../baseline.js';
import {
  baselineFile,
  progressFile,
  type SuiteProgress,
  type SuiteResult,
  suiteProgress,
  suiteResult,
  suiteResultFile,
} from '../book.js';
import type { PlannedEntry } from '../plan.js';
import type { SuiteBook } from '../print/book.js';
import { slotKey } from '../schedule.js';
import type { SuiteOptions } from '../suite-options.js';
import type { Done } from '../walk.js';

/** The kept suite of a directory, or the newest, of that name or of any, of those that lie in it. Throws `ProblemError` where there is none. */
export async function readSuiteResult(directory: string, name = ''): Promise<KeptSuite> {
  const found = await suiteDirectory(directory, name);
  return { suite: await readWhole(join(found, suiteResultFile), suiteResult), directory: found };
}

interface KeptSuite {
  suite: SuiteResult;
  directory: string;
}

/** Where the kept suite lies. Throws `ProblemError` where there is none. */
async function suiteDirectory(directory: string, name: string): Promise<string> {
  const found = [directory, ...(await suitesIn(directory, name))].find((each) =>
    existsSync(join(each, suiteResultFile)),
  );
  if (found !== undefined) return found;
  throw new ProblemError([problem('badResult', `${directory} holds no ${suiteResultFile}, nor a suite that does`)]);
}

/** Reads a kept file that must be there. Throws `ProblemError` where it is not, or can't be read. */
async function readWhole<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const kept = await readKept(path, schema);
  if (kept === undefined) throw new ProblemError([problem('badResult', `${path} is not there`)]);
  return kept;
}

/** A suite with the scoreboards that lie beside it. Throws `ProblemError` where one is not there. */
export async function readBook(suite: SuiteResult, directory: string): Promise<SuiteBook> {
  const boards = suite.entries.map(async ({ name, scenario }) => {
    const kept = await readWhole(join(directory, name, comparisonFile), comparison);
    return { name, comparison: kept, scenario: scenarioOf(scenario, directory) };
  });
  return { suite, boards: await Promise.all(boards) };
}

/** What was begun in a directory, or in the newest one of a suite that is not complete. Throws `ProblemError` where there is none. */
export async function readBegun(
  name: string,
  resultsDir: string,
  directory: string | undefined,
): Promise<{ progress: SuiteProgress; directory: string }> {
  for (const each of directory === undefined ? await suitesIn(resultsDir, name) : [directory]) {
    const progress = await readKept(join(each, progressFile), suiteProgress);
    const isComplete =
      directory === undefined && (await readKept(join(each, suiteResultFile), suiteResult))?.isComplete;
    if (progress && !isComplete) return { progress, directory: each };
  }
  const place = directory ?? `${resultsDir} (suite ${name}, not complete)`;
  throw new ProblemError([
    problem('notFound', `--resume: expected a suite that was begun, received nothing in ${place}`),
  ]);
}

/** The runs that are done and whole; one that can't be read is made again. */
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

/** What a suite that was begun is held against: what it was begun with, as it lies beside its entries. */
export async function readHeld({ held }: SuiteProgress, directory: string): Promise<Map<string, Held>> {
  const read = Object.entries(held).map(async ([entry, each]): Promise<[string, Held]> => {
    if ('notHeld' in each) return [entry, each];
    const path = join(directory, entry, baselineFile);
    const kept = await readKept(path, comparison);
    return [entry, kept ? { comparison: kept, ...each } : { notHeld: `${path} is not there` }];
  });
  return new Map(await Promise.all(read));
}

/** Directories of suites of a name, or of any, the newest first. */
async function suitesIn(directory: string, name: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const form = new RegExp(`^[\\d-]+T[\\d-]+Z-suite-${name === '' ? '[a-z0-9-]+' : name}-[0-9a-f]{8}$`);
  return names
    .filter((each) => form.test(each))
    .sort()
    .reverse()
    .map((each) => join(directory, each));
}

/** What each entry is held against, by its name: what `--previous`, `--baseline` or the file names. Throws `ProblemError` with all that is not there or of another shape. */
export async function readBaselines(
  file: { path: string; name: string; baseline: string | undefined },
  entries: readonly PlannedEntry[],
  { previousDir, baselineDir }: SuiteOptions,
): Promise<Map<string, Held>> {
  const given = previousDir ?? baselineDir;
  const fromFile = (path: string): string => resolve(dirname(file.path), path);
  const common = given ?? (file.baseline === undefined ? undefined : fromFile(file.baseline));
  const isPrevious = previousDir !== undefined;
  const suite = common === undefined ? undefined : await suiteToHold(common, file.name, isPrevious);
  const problems: Problem[] = [];
  const held = new Map<string, Held>();
  for (const entry of entries) {
    const found =
      given === undefined && entry.baseline !== undefined
        ? await ownBaseline(entry, fromFile(entry.baseline), problems)
        : suite && ('notHeld' in suite ? suite : await counterpart(entry, suite, isPrevious));
    if (found) held.set(entry.name, found);
  }
  if (problems.length > 0) throw new ProblemError(problems);
  return held;
}

async function suiteToHold(directory: string, name: string, isPrevious: boolean): Promise<KeptSuite | NotHeld> {
  const found = await suiteDirectory(directory, name);
  const suite = await readToHold(join(found, suiteResultFile), suiteResult, isPrevious);
  return 'notHeld' in suite ? suite : { suite, directory: found };
}

type NotHeld = Extract<Held, { notHeld: string }>;

/**
 * A kept file that something is held against, or why it can't be. Nights go on over a change of what is kept: what another version kept of the previous
 * one is told, and is no mistake. Throws `ProblemError` where a baseline that was asked for by name can't be read.
 */
async function readToHold<S extends z.ZodType>(
  path: string,
  schema: S,
  isPrevious: boolean,
): Promise<z.output<S> | NotHeld> {
  try {
    return (await readKept(path, schema)) ?? { notHeld: `${path} is not there` };
  } catch (error) {
    if (!isPrevious || !(error instanceof ProblemError)) throw error;
    const [first, ...others] = error.problems;
    const more = others.length > 0 ? `, and ${others.length} more` : '';
    return { notHeld: `this version can’t read ${first?.message}${more}` };
  }
}

/** The entry of that name in another suite. A suite may have changed since: that is told, and is no mistake. */
async function counterpart(entry: PlannedEntry, { suite, directory }: KeptSuite, isPrevious: boolean): Promise<Held> {
  const outcome = suite.entries.find(({ name }) => name === entry.name);
  if (!outcome) return { notHeld: `${directory} has no entry ${entry.name}` };
  const place = join(directory, entry.name);
  const path = join(place, comparisonFile);
  const kept = await readToHold(path, comparison, isPrevious);
  if ('notHeld' in kept) return kept;
  const difference = baselineDifference(entry, kept);
  if (difference !== undefined) return { notHeld: `${path} is of another shape: ${difference}` };
  if (!isPrevious) return freshBaseline(kept, path);
  const baseline = outcome.baseline ? await readToHold(join(place, baselineFile), comparison, isPrevious) : undefined;
  if (baseline && 'notHeld' in baseline) return baseline;
  const next = baselineOf({ outcome, comparison: kept, baseline, isInterrupted: suite.exit === 'interrupted' });
  return next ? { directory: place, ...next } : { notHeld: `${path} has no run that can be believed` };
}

/** What the entry itself names: a run, a comparison, or a suite with an entry of that name. */
async function ownBaseline(entry: PlannedEntry, path: string, problems: Problem[]): Promise<Held | undefined> {
  const run = await readKept(join(path, runFile), runResult);
  const kept = run
    ? assemble(entry.scenario, [{ directory: path, result: run }], '')
    : ((await readKept(join(path, comparisonFile), comparison)) ??
      (await readKept(join(path, entry.name, comparisonFile), comparison)));
  if (!kept) {
    problems.push(problem('badResult', `${entry.name}: baseline: ${path} holds no run, comparison, or suite with it`));
    return undefined;
  }
  const difference = baselineDifference(entry, kept);
  if (difference === undefined) return freshBaseline(kept, path);
  problems.push(
    problem('shapesDiffer', `${entry.name}: baseline: ${path}: ${difference}`, 'Keep a baseline of this shape.'),
  );
  return undefined;
}
