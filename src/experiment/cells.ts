import { ProblemError } from '../contract/problems.js';
import type { StopCode } from '../contract/stop-reasons.js';
import type { ComparisonRow } from '../results/comparison.js';
import type { RunResult } from '../results/result.js';
import { ResultStore, readBlocks } from '../results/store.js';
import type { RunOutcome } from '../run/conclude.js';
import type { Plan } from '../run/plan/plan.js';
import { type RunContext, run } from '../run/run.js';
import type { ShardClient } from '../run/shards/shard-client.js';
import type { Journal, RecordedRun } from './journal.js';

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
  /** Makes one run, and reads facts beside it; `run` by default. */
  make?(plan: Plan, context: RunContext): Promise<RunOutcome & Pick<RecordedRun, 'found'>>;
  /** Returns false for a run that says nothing about its load; by default one whose stop is in `endingStops`. */
  isMeasured?(result: RunResult): boolean;
}

/** Names one run: a cell and how many runs it had before. */
export interface Turn {
  cell: Cell;
  round: number;
}

/** Holds a run that was made now, or before the experiment was interrupted. */
export interface MadeRun extends RecordedRun {
  /** Values per measured broadcast. Throws `ProblemError` if the kept ones can't be read. */
  series(): Promise<Record<string, Uint32Array>>;
}

/**
 * Asks for one run after the other and receives each. A run that is refused is thrown into it as a `ProblemError`:
 * whether the experiment goes on is up to the order.
 */
export type Order = AsyncGenerator<Turn, void, MadeRun>;

/** Stops after which no other run would do better. A run that ended so is made again when the experiment goes on. */
export const endingStops: readonly StopCode[] = [
  'interrupted',
  'shardEnded',
  'shardLost',
  'rigFault',
  'targetUnreachable',
];

/**
 * Makes the runs that an order asks for, except those that the journal has. Resolves with true if the order came to its
 * end, false if it was interrupted.
 */
export async function runInOrder(
  order: Order,
  { directory, journal, of = 0 }: { directory: string; journal: Journal; of?: number },
  context: ExperimentContext,
): Promise<boolean> {
  const store = new ResultStore(context.notKept);
  const make = async ({ cell, round }: Turn): Promise<MadeRun> => {
    const { plan, label, shards = context.shards, make: makeRun = run, isMeasured = isUsual } = cell;
    const asked = { ...plan, fleet: { ...plan.fleet, resultsDir: directory } };
    const {
      result,
      series,
      directory: own,
      found,
    } = { found: undefined, ...(await makeRun(asked, { ...context, shards })) };
    context.finished();
    const made = { directory: own, result, found };
    if (isMeasured(result)) await journal.record(label, round, made, store);
    return { ...made, series: async () => series };
  };
  let number = 0;
  try {
    let step = await order.next();
    while (!step.done) {
      const turn = step.value;
      const kept = journal.done(turn.cell.label, turn.round);
      if (!kept && context.interrupt.aborted) return false;
      if (!kept) context.begins(turn.cell.label, ++number, of);
      const made = kept
        ? { ...kept, series: () => readBlocks(kept.directory, kept.result) }
        : await refusalOf(make(turn));
      step = await (made instanceof ProblemError ? order.throw(made) : order.next(made));
    }
    return true;
  } finally {
    await order.return();
  }
}

const isUsual = ({ stop }: RunResult): boolean => !endingStops.includes(stop.code);

function refusalOf<T>(work: Promise<T>): Promise<T | ProblemError> {
  return work.catch((error: unknown) => {
    if (error instanceof ProblemError) return error;
    throw error;
  });
}

interface Making {
  /** Places of the cells, by round. */
  order: readonly (readonly number[])[];
  directory: string;
  journal: Journal;
  /** Gives the work its shards; by default those of the context. */
  withShards?(work: (shards: readonly ShardClient[]) => Promise<void>): Promise<void>;
}

/**
 * Makes the missing runs in order, and adds all runs to the rows of their cells. A cell that fails makes no more runs
 * and stops no other. Its earlier runs stay. An interruption ends all. An interrupted run does not count, because it is
 * made again.
 */
export async function runCells(
  rows: readonly ComparisonRow[],
  cells: readonly Cell[],
  { order, directory, journal, withShards = (work) => work(context.shards ?? []) }: Making,
  context: Omit<ExperimentContext, 'shards'> & Partial<Pick<ExperimentContext, 'shards'>>,
): Promise<void> {
  const slots = order.flatMap((places, round) =>
    places.map((place) => ({ cell: cells[place]!, row: rows[place]!, round })),
  );
  const keptOf = ({ cell, round }: Turn): RecordedRun | undefined => journal.done(cell.label, round);
  for (const slot of slots) {
    const kept = keptOf(slot);
    if (kept) take(slot.row, kept);
  }
  // A target that became unavailable has failed. Its earlier runs stay.
  for (const row of rows) if (row.runs.length > 0 && row.state === 'notAvailable') row.state = 'failed';
  const left = slots.filter((slot) => slot.row.state === 'ran' && !keptOf(slot));
  if (left.length === 0 || context.interrupt.aborted) return;
  const made = await refusalOf(
    withShards(async (shards) => {
      await runInOrder(inTurn(left), { directory, journal, of: left.length }, { ...context, shards });
    }),
  );
  if (made instanceof ProblemError) for (const { row } of left) fail(row, made);
}

async function* inTurn(slots: readonly (Turn & { row: ComparisonRow })[]): Order {
  for (const { row, ...turn } of slots) {
    if (row.state !== 'ran') continue;
    try {
      take(row, yield turn);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      fail(row, error);
    }
  }
}

function take(row: ComparisonRow, { directory, result }: RecordedRun): void {
  if (result.stop.code !== 'interrupted') row.runs.push({ directory, result });
}

/** A row that has another reason not to run keeps it. */
function fail(row: ComparisonRow, { message }: ProblemError): void {
  if (row.state === 'ran') Object.assign(row, { state: 'failed', why: message });
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
