import { dirname, join, resolve } from 'node:path';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { assemble } from '../../experiment/compare.js';
import type { Comparison } from '../../results/comparison.js';
import { firstDifference } from '../../results/fingerprint.js';
import { runFile, runResult } from '../../results/result.js';
import { readComparison, readDocument, readExperiment } from '../../results/store.js';
import { carried } from '../../run/kept.js';
import { shapeOf } from '../../run/plan/plan.js';
import { baselineFile, type HeldBaseline, heldBaseline } from './book.js';
import { suiteDirectories } from './journal.js';
import { fingerprintOf, type PlannedEntry } from './plan.js';
import type { SuiteText } from './read.js';

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
  for (const entry of entries) {
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
