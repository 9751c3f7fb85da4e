import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { ExitName } from '../contract/exit-codes.js';
import { type Problem, ProblemError, problem, problemError } from '../contract/problems.js';
import { thisTool } from '../contract/version.js';
import type { KeptRun } from '../results/comparison.js';
import { experimentFile, type KeptJournal } from '../results/journal.js';
import { fingerprint } from '../results/likeness.js';
import { resultVersion, runFile, runResult } from '../results/result.js';
import { ResultStore, readDocument, readExperiment, resultDirectory } from '../results/store.js';
import { type Plan, shapeOf } from '../run/plan/plan.js';

/** Option of every experiment: it goes on with the runs that it kept. */
export const resumeOptions = z.strictObject({
  resume: z.string().min(1).optional().meta({
    flag: 'resume',
    placeholder: 'directory',
    help: 'continue the experiment in this directory',
  }),
});

/** Says where an experiment is kept: in one to continue, or in a new directory; by default one named by its time. */
export interface ExperimentPlace {
  resume?: string | undefined;
  directory?: string | undefined;
}

/** Holds a finished run, and what it does not show itself: facts that the experiment read beside it. */
export interface RecordedRun extends KeptRun {
  found?: unknown;
  /** Milliseconds that the turns of the experiment had taken at its end. An interruption adds nothing. */
  atMs: number;
}

/** Records an experiment and its finished runs on disk, so that it can continue after an interruption. */
export class Journal {
  readonly #done: Map<string, RecordedRun>;

  constructor(
    readonly directory: string,
    public kept: KeptJournal,
    private readonly store: ResultStore,
    done: readonly (readonly [string, RecordedRun])[] = [],
  ) {
    this.#done = new Map(done);
  }

  /** Returns undefined for a run that is not made yet. `round` counts from 0. */
  done(label: string, round: number): RecordedRun | undefined {
    return this.#done.get(keyOf(label, round));
  }

  async record(label: string, round: number, run: RecordedRun): Promise<void> {
    const { found, atMs } = run;
    const directory = relative(this.directory, run.directory);
    const others = this.kept.runs.filter((each) => keyOf(each.label, each.round) !== keyOf(label, round));
    this.#done.set(keyOf(label, round), run);
    this.kept = {
      ...this.kept,
      runs: [...others, { label, round, directory, atMs, ...(found !== undefined && { found }) }],
    };
    await this.keep({ kind: 'unfinished' });
  }

  /** Keeps what the experiment found, and resolves with its whole document. */
  async keep<A extends object>(answer: A) {
    const { startedAt } = this.kept;
    const document = { schema: resultVersion, tool: thisTool, startedAt, ...answer, journal: this.kept } as const;
    await this.store.keep(this.directory, { [experimentFile]: document });
    return document;
  }

  /** Removes a journal that recorded no run, as nothing can go on from it. */
  async drop(): Promise<void> {
    if (this.kept.runs.length === 0) await rm(this.directory, { recursive: true, force: true });
  }
}

/** Says where and as which new result an experiment is kept, and what it is asked. */
interface Beginning extends ExperimentPlace {
  resultsDir: string;
  /** Scenario, target and id in the name of a new directory. */
  name: readonly [scenario: string, target: string, id: string];
  seed: number;
  asked: KeptJournal['asked'];
}

/** Begins the journal of an experiment, or continues the one in `resume`. Throws `ProblemError` if that is another. */
export async function openJournal(
  { resume, directory, resultsDir, name, seed, asked }: Beginning,
  notKept: (problem: Problem) => void,
): Promise<Journal> {
  const store = new ResultStore(notKept);
  if (resume === undefined) {
    const startedAt = new Date().toISOString();
    const place = directory ?? resultDirectory(resultsDir, startedAt, ...name);
    const journal = new Journal(place, { seed, startedAt, asked, runs: [] }, store);
    await journal.keep({ kind: 'unfinished' });
    return journal;
  }
  const kept = await readJournal(resume);
  refuseOther(resume, kept.asked, asked);
  const done: [string, RecordedRun][] = [];
  const runs: KeptJournal['runs'] = [];
  for (const each of kept.runs) {
    const at = join(resume, each.directory);
    const result = await readDocument(join(at, runFile), runResult).catch((error: unknown) => {
      // A run that can't be read is made again.
      if (error instanceof ProblemError) return undefined;
      throw error;
    });
    if (!result) continue;
    runs.push(each);
    done.push([keyOf(each.label, each.round), { directory: at, result, found: each.found, atMs: each.atMs }]);
  }
  return new Journal(resume, { ...kept, runs }, store, done);
}

function refuseOther(directory: string, before: KeptJournal['asked'], now: KeptJournal['asked']): void {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((key) => before[key] !== now[key]);
  const problems = keys.map((key) => {
    const message = `--resume ${directory}: expected ${key} ${before[key] ?? 'none'}, received ${now[key] ?? 'none'}`;
    return problem('badOption', message, 'Begin anew, or resume with the version and the options it began with.');
  });
  if (problems.length > 0) throw new ProblemError(problems);
}

/** Reads the journal in a directory. Throws `ProblemError` if no experiment that can go on began there. */
export async function readJournal(directory: string): Promise<KeptJournal> {
  const found = await readExperiment(directory);
  if (found?.journal) return found.journal;
  const message = `--resume: expected an experiment to continue, found none in ${directory}`;
  throw problemError('notFound', message);
}

/** Says how an experiment goes on that was interrupted or lost a shard. */
export function resumeNote(directory: string, exit: ExitName): { note?: string } {
  return exit === 'interrupted' || exit === 'shardLost' ? { note: `continue with --resume ${directory}` } : {};
}

/** Returns what an experiment over these plans must be asked again to go on, by label. */
export function askedOf(
  cells: readonly { label: string; plan: Plan }[],
  more: Readonly<Record<string, unknown>> = {},
): KeptJournal['asked'] {
  const ofCells = cells.map(({ label, plan }) => {
    const { workers } = plan.load;
    return [`${label} of shape`, `${fingerprint(shapeOf(plan))}${workers === undefined ? '' : ` on ${workers} loops`}`];
  });
  const texts = Object.entries(more).map(([name, value]) => [name, String(value ?? 'none')]);
  return Object.fromEntries([['Ringside', thisTool.version], ...texts, ...ofCells]);
}

const keyOf = (label: string, round: number): string => `${round} ${label}`;

/** Returns the cells with their plans set to the seed that the experiment began with. */
export function withSeed<C extends { plan: Plan }>(cells: readonly C[], seed: number): C[] {
  return cells.map((cell) => ({ ...cell, plan: { ...cell.plan, fleet: { ...cell.plan.fleet, seed } } }));
}
