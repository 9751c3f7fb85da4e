import { ProblemError } from '../contract/problems.js';
import type { StopCode } from '../contract/stop-reasons.js';
import type { ComparisonRow } from '../results/comparison.js';
import type { RunResult } from '../results/result.js';
import { readBlocks } from '../results/store.js';
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

/** Names the next run, or several that are made at once, and how many runs their cells had before. */
export interface Turn {
  cells: readonly Cell[];
  round: number;
  /** Text and number for the progress; by default those of the run. */
  shown?: { label: string; number: number; of: number };
}

/** Holds a run that was made now, or before the experiment was interrupted. */
export interface MadeRun extends RecordedRun {
  /** Values per measured broadcast. Throws `ProblemError` if the kept ones can't be read. */
  series(): Promise<Record<string, Uint32Array>>;
}

/** Holds a run, or why it was refused. */
export type Made = MadeRun | ProblemError;

/** Asks for one turn after the other and receives its runs, by cell. It decides whether a refusal ends all. */
export type Order = AsyncGenerator<Turn, void, readonly Made[]>;

/** Asks for one run. Throws `ProblemError` if it is refused. */
export async function* oneRun(cell: Cell, round: number): AsyncGenerator<Turn, MadeRun, readonly Made[]> {
  const [made] = yield { cells: [cell], round };
  if (made instanceof ProblemError) throw made;
  return made!;
}

/** Stops after which no other run would do better. A run that ended so is made again when the experiment goes on. */
export const endingStops: readonly StopCode[] = [
  'interrupted',
  'shardEnded',
  'shardLost',
  'rigFault',
  'targetUnreachable',
];

const isMeasured = ({ stop }: RunResult): boolean => !endingStops.includes(stop.code);

/** Makes the runs of an order that the journal lacks, those of a turn at once. Resolves with false if interrupted. */
export async function runInOrder(
  order: Order,
  journal: Journal,
  context: ExperimentContext,
  { directory = journal.directory, of = 0 }: { directory?: string | undefined; of?: number } = {},
): Promise<boolean> {
  let atMs = 0;
  let number = 0;
  const make = async ({ cells, round, shown = { label: cells[0]!.label, number, of } }: Turn): Promise<Made[]> => {
    context.begins(shown.label, shown.number, shown.of);
    const fromMs = performance.now();
    const ends = await makeAtOnce(cells, directory, context);
    context.finished();
    atMs += performance.now() - fromMs;
    const made = ends.map((end) => (end instanceof ProblemError ? end : { ...end, atMs }));
    if (
      made.every(
        (each, place) => !(each instanceof ProblemError) && (cells[place]!.isMeasured ?? isMeasured)(each.result),
      )
    )
      for (const [place, each] of made.entries())
        if (!(each instanceof ProblemError)) await journal.record(cells[place]!.label, round, each);
    return made;
  };
  try {
    let step = await order.next();
    while (!step.done) {
      const { cells, round } = step.value;
      const kept = cells.flatMap(({ label }) => journal.done(label, round) ?? []);
      const isKept = kept.length === cells.length;
      if (!isKept && context.interrupt.aborted) return false;
      if (isKept) atMs = kept[0]!.atMs;
      else number++;
      const found = kept.map((each) => ({ ...each, series: () => readBlocks(each.directory, each.result) }));
      step = await order.next(isKept ? found : await make(step.value));
    }
    return true;
  } finally {
    await order.return();
  }
}

/** Makes one run of each cell, all at once. A run that is refused resolves with its problem. */
export function makeAtOnce(
  cells: readonly Cell[],
  directory: string,
  context: RunContext,
): Promise<(Omit<MadeRun, 'atMs'> | ProblemError)[]> {
  const make = async ({ plan, shards = context.shards, make: makeRun = run }: Cell): Promise<Omit<MadeRun, 'atMs'>> => {
    const asked = { ...plan, fleet: { ...plan.fleet, resultsDir: directory } };
    const end: Awaited<ReturnType<NonNullable<Cell['make']>>> = await makeRun(asked, { ...context, shards });
    return { directory: end.directory, result: end.result, found: end.found, series: async () => end.series };
  };
  return Promise.all(cells.map((cell) => refusalOf(make(cell))));
}

function refusalOf<T>(work: Promise<T>): Promise<T | ProblemError> {
  return work.catch((error: unknown) => {
    if (error instanceof ProblemError) return error;
    throw error;
  });
}

interface Making {
  /** Places of the cells, by round. */
  order: readonly (readonly number[])[];
  /** By default that of the journal. */
  directory?: string;
  /** Gives the work its shards; by default those of the context. */
  withShards?(work: (shards: readonly ShardClient[]) => Promise<void>): Promise<void>;
}

/** Makes the missing runs, for the rows of their cells. A cell that fails keeps its runs, and stops no other. */
export async function runCells(
  rows: readonly ComparisonRow[],
  cells: readonly Cell[],
  journal: Journal,
  { order, directory, withShards = (work) => work(context.shards ?? []) }: Making,
  context: Omit<ExperimentContext, 'shards'> & Partial<Pick<ExperimentContext, 'shards'>>,
): Promise<void> {
  const slots = order.flatMap((places, round) =>
    places.map((place): RowTurn => ({ cell: cells[place]!, row: rows[place]!, round })),
  );
  const missing = slots.filter(({ cell, row, round }) => {
    const kept = journal.done(cell.label, round);
    if (kept) take(row, kept);
    return !kept;
  });
  // A target that became unavailable has failed. Its earlier runs stay.
  for (const row of rows) if (row.runs.length > 0 && row.state === 'notAvailable') row.state = 'failed';
  const left = missing.filter(({ row }) => row.state === 'ran');
  if (left.length === 0 || context.interrupt.aborted) return;
  const made = await refusalOf(
    withShards(async (shards) => {
      await runInOrder(inTurn(left), journal, { ...context, shards }, { directory, of: left.length });
    }),
  );
  if (made instanceof ProblemError) for (const { row } of left) fail(row, made);
}

interface RowTurn {
  cell: Cell;
  row: ComparisonRow;
  round: number;
}

async function* inTurn(slots: readonly RowTurn[]): Order {
  for (const { row, cell, round } of slots) {
    if (row.state !== 'ran') continue;
    try {
      take(row, yield* oneRun(cell, round));
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
