import { join, relative } from 'node:path';
import { type Problem, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { keepDocument } from '../../results/keep.js';
import { resultVersion } from '../../results/result.js';
import type { Held } from './baseline.js';
import { progressFile, type SuiteProgress } from './book.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';
import type { Slot } from './schedule.js';

/** A suite that runs: its directory and its progress, which is on disk after each run, so that it can be resumed. */
export interface Journal {
  directory: string;
  progress: SuiteProgress;
}

/** Writes the progress of a suite. */
export async function writeProgress({ directory, progress }: Journal): Promise<void> {
  await keepDocument(join(directory, progressFile), progress);
}

/** Records a finished run, which is kept in `runDirectory`. */
export async function recordRun(journal: Journal, slot: Slot, runDirectory: string): Promise<void> {
  journal.progress.runs.push({ ...slot, directory: relative(journal.directory, runDirectory) });
  await writeProgress(journal);
}

/** The progress of a suite that begins. */
export function begun(plan: SuitePlan, baselines: ReadonlyMap<string, Held>, startedAt: string): SuiteProgress {
  const { name, hash, seed } = plan;
  const held = Object.fromEntries(
    [...baselines].map(([entry, each]) => [entry, 'notHeld' in each ? each : { directory: each.directory }]),
  );
  const entries = plan.entries.map(markOf);
  return { schema: resultVersion, tool: thisTool, name, hash, seed, startedAt, entries, held, runs: [] };
}

/** Why a suite can't resume with this plan; empty if it can. Pure. */
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
