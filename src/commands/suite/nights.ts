import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { assemble } from '../../experiment/compare.js';
import { askedOf, readJournal } from '../../experiment/journal.js';
import { usualMs } from '../../experiment/paired/start-size.js';
import type { Comparison } from '../../results/comparison.js';
import type { SuiteResult } from '../../results/experiment.js';
import { experimentFile, type KeptJournal } from '../../results/journal.js';
import { firstDifference } from '../../results/likeness.js';
import { runFile, runResult } from '../../results/result.js';
import { readComparison, readDocument, readExperiment, unlessMissing } from '../../results/store.js';
import { carried, scenarioOf } from '../../run/kept.js';
import { shapeOf } from '../../run/plan/plan.js';
import { type HeldBaseline, heldBaseline, type SuiteBook } from './conclude.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';
import type { SuiteText } from './read.js';

/** File in the directory of an entry: its baseline, or why it has none. */
const baselineFile = 'baseline.json';

export function runCount(entries: readonly PlannedEntry[]): number {
  return entries.reduce((sum, { plans, repeat }) => sum + plans.length * repeat, 0);
}

/** Milliseconds that a run takes beyond its load: starting processes, handing over samples, writing files. */
const overheadMs = 4000;

/** Returns the longest time that entries can take, in milliseconds. */
export function longestSuiteMs(entries: readonly PlannedEntry[]): number {
  const ofPlans = entries.flatMap(({ plans, repeat, scenario, pairs }) =>
    pairs
      ? [(pairs.design.paired.budgetMs ?? usualMs) + overheadMs]
      : plans.map(({ options, load }) => repeat * (scenario.demand(options, load).durationMs + overheadMs)),
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

const noSuite = (directory: string) => problemError('badResult', `${directory} holds no finished suite`);

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
  throw problemError('notFound', `--resume: expected a suite to continue, found none in ${place}`);
}

/** Reads the baselines: from `--baseline`, the entry or the suite file. Throws `ProblemError` if one is missing. */
export async function readBaselines(
  { path, file: { name, baseline } }: Pick<SuiteText, 'path' | 'file'>,
  entries: readonly PlannedEntry[],
  fromFlag: string | undefined,
): Promise<Map<string, HeldBaseline>> {
  // Paths in the file are relative to its directory.
  const fromFile = (place: string): string => resolve(dirname(path), place);
  const common = fromFlag ?? (baseline === undefined ? undefined : fromFile(baseline));
  const nights = common === undefined ? undefined : await suiteDirectories(common, name);
  const problems: Problem[] = [];
  const held = new Map<string, HeldBaseline>();
  // `ringside history` judges the ratios of pairs.
  for (const entry of entries.filter(({ pairs }) => !pairs)) {
    if (fromFlag === undefined && entry.baseline !== undefined) {
      const own = await ownBaseline(entry, fromFile(entry.baseline));
      if ('code' in own) problems.push(own);
      else held.set(entry.name, own);
    } else if (nights) held.set(entry.name, await newestNight(entry, nights, nights[0] === common));
  }
  if (problems.length > 0) throw new ProblemError(problems);
  return held;
}

/** Reads the newest night of the same shape with a valid run. Throws `ProblemError` if the named one is unreadable. */
async function newestNight(entry: PlannedEntry, nights: readonly string[], isNamed: boolean): Promise<HeldBaseline> {
  const whyNot: string[] = [];
  for (const night of nights) {
    const directory = join(night, entry.name);
    const kept = await readComparison(directory).catch((error: unknown) => {
      if (isNamed || !(error instanceof ProblemError)) throw error;
      return error.problems[0]?.message;
    });
    const fault = typeof kept === 'object' ? unfit(entry, kept) : kept;
    if (typeof kept === 'object' && fault === undefined) return { comparison: carried(kept), directory };
    whyNot.push(`${directory}: ${fault}`);
  }
  return { notHeld: `${whyNot[0]}${whyNot.length > 1 ? `; ${whyNot.length - 1} older nights do not fit either` : ''}` };
}

function unfit(entry: PlannedEntry, kept: Comparison): string | undefined {
  const difference = shapeChange(entry, kept);
  if (difference !== undefined) return `another shape: ${difference}`;
  const isMeasured = kept.rows.some(({ runs }) => runs.some(({ result }) => result.verdict.rig !== 'void'));
  return isMeasured ? undefined : 'no valid run';
}

async function ownBaseline(entry: PlannedEntry, path: string): Promise<HeldBaseline | Problem> {
  const run = await readDocument(join(path, runFile), runResult);
  const inPath = await readExperiment(path);
  const found = inPath?.kind === 'comparison' ? inPath : await readExperiment(join(path, entry.name));
  const kept = run
    ? assemble(entry.scenario, [{ directory: path, result: carried(run) }], '')
    : found?.kind === 'comparison' && found;
  const place = `${entry.name}: baseline: ${path}`;
  if (!kept) return problem('badResult', `${place} holds no run, no comparison and no suite with this entry`);
  if (kept.paired) return problem('badResult', `${place} holds a paired comparison; a baseline needs whole runs`);
  const difference = shapeChange(entry, kept);
  if (difference === undefined) return { comparison: carried(kept), directory: path };
  return problem('shapesDiffer', `${place}: ${difference}`, 'Keep a baseline of this shape.');
}

/** Returns each baseline for the directory of its entry, so that a resumed suite compares with the same one. */
export function baselineDocuments(held: ReadonlyMap<string, HeldBaseline>): Record<string, object> {
  return Object.fromEntries([...held].map(([entry, each]) => [join(entry, baselineFile), each]));
}

/** Reads the baselines that a suite began with, by entry. */
export async function readHeld(
  entries: readonly Pick<PlannedEntry, 'name'>[],
  directory: string,
): Promise<Map<string, HeldBaseline>> {
  const read = entries.map(async ({ name }): Promise<[string, HeldBaseline][]> => {
    const held = await readDocument(join(directory, name, baselineFile), heldBaseline);
    return held ? [[name, held]] : [];
  });
  return new Map((await Promise.all(read)).flat());
}

/** Returns the first difference in shape between an entry and a scoreboard; undefined if there is none. */
export function shapeChange(entry: PlannedEntry, kept: Comparison): string | undefined {
  if (kept.fingerprint === fingerprintOf(entry)) return undefined;
  const [run] = kept.rows.flatMap(({ runs }) => runs);
  const shape = JSON.parse(JSON.stringify(shapeOf(entry.plans[0])));
  const difference = run && firstDifference(run.result.shape, shape);
  return difference ?? `shape ${kept.fingerprint} and ${fingerprintOf(entry)}`;
}
