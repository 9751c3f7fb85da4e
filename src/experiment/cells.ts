import { ProblemError } from '../contract/problems.js';
import type { ComparisonRow, KeptRun } from '../results/comparison.js';
import type { Plan } from '../run/plan/plan.js';
import { type RunContext, run } from '../run/run.js';
import type { ShardClient } from '../run/shards/shard-client.js';

export interface ExperimentContext extends RunContext {
  /** Called before each run. `number` counts from 1 to `of`. */
  begins(label: string, number: number, of: number): void;
  finished(): void;
}

/** Holds a target under one load on one rig. */
export interface Cell {
  plan: Plan;
  label: string;
  /** Left out if the cell uses all shards. */
  shards?: readonly ShardClient[];
}

/** Records the finished runs of an experiment, so that it can continue after an interruption. */
export interface Journal {
  /** Returns undefined for a run that is not made yet. `round` counts from 0. */
  done(label: string, round: number): KeptRun | undefined;
  record(label: string, round: number, run: KeptRun): Promise<void>;
}

interface Making {
  /** Places of the cells, by round. */
  order: readonly (readonly number[])[];
  directory: string;
  journal?: Journal;
  /** Gives the work its shards; by default those of the context. */
  withShards?(work: (shards: readonly ShardClient[]) => Promise<void>): Promise<void>;
}

/**
 * Makes the missing runs in order, and adds all runs to the rows of their cells. A cell that fails makes no more runs
 * and stops no other. Its earlier runs stay. An interruption ends all. With a journal, an interrupted run does not
 * count, because it is made again.
 */
export async function runCells(
  rows: readonly ComparisonRow[],
  cells: readonly Cell[],
  { order, directory, journal, withShards = (work) => work(context.shards ?? []) }: Making,
  context: Omit<ExperimentContext, 'shards'> & Partial<Pick<ExperimentContext, 'shards'>>,
): Promise<void> {
  const slots = order.flatMap((places, round) =>
    places.map((place) => ({
      ...cells[place]!,
      row: rows[place]!,
      kept: journal?.done(cells[place]!.label, round),
      round,
    })),
  );
  for (const { row, kept } of slots) if (kept) row.runs.push(kept);
  // A target that became unavailable has failed. Its earlier runs stay.
  for (const row of rows) if (row.runs.length > 0 && row.state === 'notAvailable') row.state = 'failed';
  const left = slots.filter(({ row, kept }) => !kept && row.state === 'ran');
  if (left.length === 0) return;
  let number = 0;
  const makeAll = async (all: readonly ShardClient[]): Promise<void> => {
    for (const { plan, label, row, round, shards = all } of left) {
      if (context.interrupt.aborted || row.state !== 'ran') continue;
      context.begins(label, ++number, left.length);
      await unlessRefused([row], async () => {
        const asked = { ...plan, fleet: { ...plan.fleet, resultsDir: directory } };
        const { directory: own, result } = await run(asked, { ...context, shards });
        context.finished();
        if (journal && result.stop.code === 'interrupted') return;
        row.runs.push({ directory: own, result });
        await journal?.record(label, round, { directory: own, result });
      });
    }
  };
  if (!context.interrupt.aborted)
    await unlessRefused(
      left.map(({ row }) => row),
      () => withShards(makeAll),
    );
}

/** Does the work of these rows. A problem makes the rows fail that have no other reason not to run. */
async function unlessRefused(rows: readonly ComparisonRow[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    for (const row of rows) if (row.state === 'ran') Object.assign(row, { state: 'failed', why: error.message });
  }
}

/** Returns the row of each cell before it runs. The row of a managed target that is not available says why. */
export function rowsOfCells(cells: readonly Pick<Cell, 'plan' | 'label'>[]): Promise<ComparisonRow[]> {
  return Promise.all(
    cells.map(async ({ plan: { target }, label }) => {
      const row: ComparisonRow = { target: label, state: 'ran', why: '', runs: [], figures: [] };
      if (!target.isOurs) return row;
      const available = await target.target.availability();
      return available.isAvailable ? row : { ...row, state: 'notAvailable', why: available.why };
    }),
  );
}
