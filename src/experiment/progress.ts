import { join, relative } from 'node:path';
import { z } from 'zod';
import { ProblemError, problem } from '../contract/problems.js';
import { thisTool } from '../contract/version.js';
import type { KeptRun } from '../results/comparison.js';
import { fingerprint } from '../results/fingerprint.js';
import { resultVersion, runFile, runResult, tool } from '../results/result.js';
import { type ResultStore, readDocument } from '../results/store.js';
import { type Plan, shapeOf } from '../run/plan/plan.js';
import type { Cell, Journal } from './cells.js';

/** File in the directory of an experiment: the finished runs. */
export const progressFile = 'progress.json';

const progress = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  seed: z.number().int(),
  repeat: z.number().int().min(1),
  startedAt: z.iso.datetime(),
  cells: z.array(z.strictObject({ label: z.string(), fingerprint: z.string(), workers: z.number().int().nullable() })),
  /** `round` counts from 0. Directories are relative to that of the experiment. */
  runs: z.array(z.strictObject({ label: z.string(), round: z.number().int().min(0), directory: z.string() })),
});

type Progress = z.output<typeof progress>;

/** Holds the journal of an experiment that begins or continues, and what it began with. */
export interface Begun {
  journal: Journal;
  seed: number;
  startedAt: string;
}

/** Begins the journal of these cells in a directory. */
export async function beginProgress(
  directory: string,
  cells: readonly Cell[],
  { repeat, startedAt, seed }: Pick<Progress, 'repeat' | 'startedAt' | 'seed'>,
  store: ResultStore,
): Promise<Begun> {
  const begun: Progress = {
    schema: resultVersion,
    tool: thisTool,
    seed,
    repeat,
    startedAt,
    cells: cells.map(markOf),
    runs: [],
  };
  await store.keep(directory, { [progressFile]: begun });
  return { journal: journalOf(directory, begun, new Map(), store), seed, startedAt };
}

/** Continues an experiment. Throws `ProblemError` if none, or another one, began there. */
export async function resumeProgress(
  directory: string,
  cells: readonly Cell[],
  repeat: number,
  store: ResultStore,
): Promise<Begun> {
  const begun = await readDocument(join(directory, progressFile), progress);
  if (!begun) {
    const message = `--resume: expected a comparison to continue, found none in ${directory}`;
    throw new ProblemError([problem('notFound', message)]);
  }
  const asked = [thisTool.version, repeat, ...cells.map((cell) => inWords(markOf(cell)))];
  const before = [begun.tool.version, begun.repeat, ...begun.cells.map(inWords)];
  const at = Math.max(asked.length, before.length);
  const other = Array.from({ length: at }, (_, place) => place).find((place) => asked[place] !== before[place]);
  if (other !== undefined) {
    const [expected, received] = [before, asked].map((marks) => marks[other] ?? 'nothing');
    const message = `--resume ${directory}: expected ${expected}, received ${received}`;
    throw new ProblemError([problem('badOption', message, 'Resume with the version and the options it began with.')]);
  }
  const done = new Map<string, KeptRun>();
  for (const { label, round, directory: own } of begun.runs) {
    const at = join(directory, own);
    // An unreadable run is made again.
    const result = await readDocument(join(at, runFile), runResult).catch((error: unknown) => {
      if (error instanceof ProblemError) return undefined;
      throw error;
    });
    if (result) done.set(keyOf(label, round), { directory: at, result });
  }
  const runs = begun.runs.filter(({ label, round }) => done.has(keyOf(label, round)));
  const { seed, startedAt } = begun;
  return { journal: journalOf(directory, { ...begun, runs }, done, store), seed, startedAt };
}

function journalOf(
  directory: string,
  begun: Progress,
  done: ReadonlyMap<string, KeptRun>,
  store: ResultStore,
): Journal {
  const runs = [...begun.runs];
  return {
    done: (label, round) => done.get(keyOf(label, round)),
    async record(label, round, run) {
      runs.push({ label, round, directory: relative(directory, run.directory) });
      await store.keep(directory, { [progressFile]: { ...begun, runs } });
    },
  };
}

function markOf({ label, plan }: Pick<Cell, 'label' | 'plan'>): Progress['cells'][number] {
  return { label, fingerprint: fingerprint(shapeOf(plan)), workers: plan.load.workers ?? null };
}

const inWords = ({ label, fingerprint: shape, workers }: Progress['cells'][number]): string =>
  `${label} of shape ${shape}${workers === null ? '' : ` on ${workers} loops`}`;

const keyOf = (label: string, round: number): string => `${round} ${label}`;

/** Returns the cells with their plans set to the seed that the experiment began with. */
export function withSeed(cells: readonly Cell[], seed: number): Cell[] {
  const seeded = (plan: Plan): Plan => ({ ...plan, fleet: { ...plan.fleet, seed } });
  return cells.map((cell) => ({ ...cell, plan: seeded(cell.plan) }));
}
