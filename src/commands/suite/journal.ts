import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError, problem } from '../../contract/problems.js';
import { askedOf, readJournal } from '../../experiment/journal.js';
import { experimentFile, type KeptJournal } from '../../results/journal.js';
import { readComparison, readExperiment, unlessMissing } from '../../results/store.js';
import type { SuiteResult } from '../../results/suite.js';
import { carried, scenarioOf } from '../../run/kept.js';
import type { SuiteBook } from './book.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';

export function runCount(entries: readonly PlannedEntry[]): number {
  return entries.reduce((sum, { plans, repeat }) => sum + plans.length * repeat, 0);
}

/** Milliseconds that a run takes beyond its load: starting processes, handing over samples, writing files. */
const overheadMs = 4000;

/** Returns the longest time that entries can take, in milliseconds. */
export function longestSuiteMs(entries: readonly PlannedEntry[]): number {
  const ofPlans = entries.flatMap(({ plans, repeat, scenario }) =>
    plans.map(({ options, load }) => repeat * (scenario.demand(options, load).durationMs + overheadMs)),
  );
  return ofPlans.reduce((sum, ms) => sum + ms, 0);
}

/** Returns what a suite must be asked again to go on. */
export function askedOfSuite({ name, hash, entries }: SuitePlan): KeptJournal['asked'] {
  const ofEntries = entries.flatMap((entry) => {
    const { shards, localShards } = entry.plans[0].fleet;
    return [
      [`${entry.name} on shards:`, shards.length || localShards],
      [`${entry.name} of shape`, fingerprintOf(entry)],
    ];
  });
  return askedOf([], {
    suite: name,
    'the file it began with, hash': hash.slice(0, 12),
    ...Object.fromEntries(ofEntries),
  });
}

/** Reads the newest kept suite of a directory, with its scoreboards. Throws `ProblemError` if a file is missing. */
export async function readNewestBook(directory: string): Promise<SuiteBook> {
  const [found = directory] = await suiteDirectories(directory);
  const suite = await readExperiment(found);
  if (suite?.kind !== 'suite') throw noSuite(found);
  return readBook(suite, found);
}

const noSuite = (directory: string) => new ProblemError([problem('badResult', `${directory} holds no finished suite`)]);

export async function readBook(suite: SuiteResult, directory: string): Promise<SuiteBook> {
  const boards = suite.entries.map(async ({ name, scenario }) => {
    const comparison = carried(await readComparison(join(directory, name)));
    return { name, comparison, scenario: scenarioOf(scenario, directory, [comparison]) };
  });
  return { suite, boards: await Promise.all(boards) };
}

/** Resolves with the directory, or the finished suites in it, newest first. Throws `ProblemError` if there is none. */
export async function suiteDirectories(directory: string, name?: string): Promise<string[]> {
  if (existsSync(join(directory, experimentFile))) return [directory];
  const found: string[] = [];
  for (const each of await begunIn(directory, name)) if ((await readSuiteIn(each)) !== undefined) found.push(each);
  if (found.length === 0) throw noSuite(directory);
  return found;
}

/** Returns undefined for a suite that has no result, or one that another version wrote. */
async function readSuiteIn(directory: string): Promise<SuiteResult | undefined> {
  const found = await readExperiment(directory).catch((error: unknown) => {
    if (error instanceof ProblemError) return undefined;
    throw error;
  });
  return found?.kind === 'suite' ? found : undefined;
}

async function begunIn(directory: string, name = '[a-z0-9-]+'): Promise<string[]> {
  const names = (await unlessMissing(readdir(directory), 'ENOTDIR')) ?? [];
  const form = new RegExp(`^[\\d-]+T[\\d-]+Z-suite-${name}-[0-9a-f]{8}$`);
  const suites = names.filter((each) => form.test(each)).sort();
  return suites.reverse().map((each) => join(directory, each));
}

/** Finds the suite to resume: in `directory`, or the newest incomplete one. Throws `ProblemError` if there is none. */
export async function readBegun(
  name: string,
  resultsDir: string,
  directory: string | undefined,
): Promise<{ kept: KeptJournal; directory: string }> {
  if (directory !== undefined) return { kept: await readJournal(directory), directory };
  for (const each of await begunIn(resultsDir, name)) {
    if ((await readSuiteIn(each))?.isComplete || !existsSync(join(each, experimentFile))) continue;
    return { kept: await readJournal(each), directory: each };
  }
  const place = `${resultsDir} (suite ${name}, not complete)`;
  throw new ProblemError([problem('notFound', `--resume: expected a suite to continue, found none in ${place}`)]);
}
