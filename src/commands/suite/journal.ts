import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { comparison, comparisonFile, type KeptRun } from '../../results/comparison.js';
import { resultVersion, runFile, runResult } from '../../results/result.js';
import { type ResultStore, readDocument, unlessMissing } from '../../results/store.js';
import { carried, scenarioOf } from '../../run/kept.js';
import {
  type HeldBaseline,
  type SuiteBook,
  type SuiteProgress,
  type SuiteResult,
  suiteProgress,
  suiteProgressFile,
  suiteResult,
  suiteResultFile,
} from './book.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';

export type Slot = Omit<SuiteProgress['runs'][number], 'directory'>;

export type Done = Map<string, KeptRun>;

/**
 * Returns the runs of an entry in order. Targets are interleaved (A B C A B C), so that slow drift affects all alike.
 */
export function suiteSlots({ name, plans, repeat }: Pick<PlannedEntry, 'name' | 'plans' | 'repeat'>): Slot[] {
  return Array.from({ length: repeat }, (_, round) =>
    plans.map(({ target }) => ({ entry: name, target: target.name, round })),
  ).flat();
}

export function runCount(entries: readonly PlannedEntry[]): number {
  return entries.reduce((sum, { plans, repeat }) => sum + plans.length * repeat, 0);
}

export function slotKey({ entry, target, round }: Slot): string {
  return `${entry} ${target} ${round}`;
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

/**
 * Holds the directory and the progress of a running suite. The progress is on disk after each run, so that the suite
 * can be resumed.
 */
export interface SuiteJournal {
  directory: string;
  progress: SuiteProgress;
}

export async function writeProgress({ directory, progress }: SuiteJournal, store: ResultStore): Promise<void> {
  await store.keep(directory, { [suiteProgressFile]: progress });
}

/** Records a finished run, which is kept in `runDirectory`. */
export async function recordRun(
  journal: SuiteJournal,
  slot: Slot,
  runDirectory: string,
  store: ResultStore,
): Promise<void> {
  journal.progress.runs.push({ ...slot, directory: relative(journal.directory, runDirectory) });
  await writeProgress(journal, store);
}

export function begun(plan: SuitePlan, baselines: ReadonlyMap<string, HeldBaseline>, startedAt: string): SuiteProgress {
  const { name, hash, seed } = plan;
  const held = Object.fromEntries(
    [...baselines].map(([entry, each]) => [entry, 'notHeld' in each ? each : { directory: each.directory }]),
  );
  const entries = plan.entries.map(markOf);
  return { schema: resultVersion, tool: thisTool, name, hash, seed, startedAt, entries, held, runs: [] };
}

/** Returns why a suite can't resume with this plan; empty if it can. Pure. */
export function resumeProblems({ tool, name, hash, entries }: SuiteProgress, plan: SuitePlan, at: string): Problem[] {
  const hint = 'Start the suite anew, or resume with the version and the file that it began with.';
  const refuse = (what: string, before: unknown, now: unknown): Problem[] =>
    before === now ? [] : [problem('badFile', `--resume ${at}: expected ${what} ${before}, received ${now}`, hint)];
  const different = [
    refuse('Ringside', tool.version, thisTool.version),
    refuse('suite', name, plan.name),
    refuse('the file it began with, hash', hash.slice(0, 12), plan.hash.slice(0, 12)),
  ].find((problems) => problems.length > 0);
  if (different) return different;
  return plan.entries.map(markOf).flatMap((now) => {
    const before = entries.find((each) => each.name === now.name);
    return [
      ...refuse(`${now.name} on shards:`, before?.shards, now.shards),
      ...refuse(`${now.name} of shape`, before?.fingerprint, now.fingerprint),
    ];
  });
}

function markOf({ name, plans }: PlannedEntry): SuiteProgress['entries'][number] {
  const { shards, localShards } = plans[0].fleet;
  return { name, fingerprint: fingerprintOf({ plans }), shards: shards.length || localShards };
}

/** Reads the newest kept suite of a directory, with its scoreboards. Throws `ProblemError` if a file is missing. */
export async function readNewestBook(directory: string): Promise<SuiteBook> {
  const [found = directory] = await suiteDirectories(directory);
  return readBook(await readWhole(join(found, suiteResultFile), suiteResult), found);
}

export async function readBook(suite: SuiteResult, directory: string): Promise<SuiteBook> {
  const boards = suite.entries.map(async ({ name, scenario }) => ({
    name,
    comparison: carried(await readWhole(join(directory, name, comparisonFile), comparison)),
    scenario: scenarioOf(scenario, directory),
  }));
  return { suite, boards: await Promise.all(boards) };
}

async function readWhole<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const kept = await readDocument(path, schema);
  if (kept === undefined) throw new ProblemError([problem('badResult', `${path} is missing`)]);
  return kept;
}

/** Resolves with the directory, or the finished suites in it, newest first. Throws `ProblemError` if there is none. */
export async function suiteDirectories(directory: string, name?: string): Promise<string[]> {
  const isFinished = (each: string): boolean => existsSync(join(each, suiteResultFile));
  const found = isFinished(directory) ? [directory] : (await begunIn(directory, name)).filter(isFinished);
  if (found.length > 0) return found;
  throw new ProblemError([problem('badResult', `${directory} holds no ${suiteResultFile}, nor a suite that does`)]);
}

async function begunIn(directory: string, name = '[a-z0-9-]+'): Promise<string[]> {
  const names = (await unlessMissing(readdir(directory), 'ENOTDIR')) ?? [];
  const form = new RegExp(`^[\\d-]+T[\\d-]+Z-suite-${name}-[0-9a-f]{8}$`);
  const suites = names.filter((each) => form.test(each)).sort();
  return suites.reverse().map((each) => join(directory, each));
}

/** Reads the suite to resume: in `directory`, or the newest incomplete one. Throws `ProblemError` if there is none. */
export async function readBegun(
  name: string,
  resultsDir: string,
  directory: string | undefined,
): Promise<{ progress: SuiteProgress; directory: string }> {
  for (const each of directory === undefined ? await begunIn(resultsDir, name) : [directory]) {
    const progress = await readDocument(join(each, suiteProgressFile), suiteProgress);
    const isComplete =
      directory === undefined && (await readDocument(join(each, suiteResultFile), suiteResult))?.isComplete;
    if (progress && !isComplete) return { progress, directory: each };
  }
  const place = directory ?? `${resultsDir} (suite ${name}, not complete)`;
  throw new ProblemError([problem('notFound', `--resume: expected a suite to continue, found none in ${place}`)]);
}

/** Reads the finished runs of a suite by slot. An unreadable run is left out, so it runs again. */
export async function readDone(progress: SuiteProgress, directory: string): Promise<Done> {
  const runs = progress.runs.map(async (slot) => {
    const at = join(directory, slot.directory);
    const result = await readDocument(join(at, runFile), runResult).catch((error: unknown) => {
      if (error instanceof ProblemError) return undefined;
      throw error;
    });
    return result ? [[slotKey(slot), { directory: at, result }] as const] : [];
  });
  return new Map((await Promise.all(runs)).flat());
}
