import { join } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { ResultStore } from '../../results/store.js';
import type { FleetOptions } from '../../run/plan/run-options.js';
import { type RunContext, run } from '../../run/run.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import type { PlannedTarget } from '../../run/target/planned-target.js';
import { assemble, type KeptRun } from '../compare/assemble.js';
import { keepComparison } from '../compare/compare.js';
import type { Journal } from './journal.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';
import { type Slot, slotKey, slotsOf } from './schedule.js';

/** What a suite is given: how to come by shards, and whom to tell. */
export interface SuiteContext extends Omit<RunContext, 'shards'> {
  /** Runs `work` with the shards of a fleet. */
  withShards(
    fleet: FleetOptions,
    targets: readonly PlannedTarget[],
    work: (shards: readonly ShardClient[]) => Promise<void>,
  ): Promise<void>;
  /** Called before each run: `number` from 1 of `of`. */
  begins(label: string, number: number, of: number): void;
  finished(): void;
}

/** What of a suite is done: its runs by slot. */
export type Done = Map<string, KeptRun>;

/** Why the rows of an entry have no runs, or no more: by target. */
type Hindrances = Map<string, Pick<ComparisonRow, 'state' | 'why'>>;

/** Makes every run of a suite that is not done yet, entry by entry, and keeps the scoreboard of each beside its runs. An entry that can't be run fails alone. */
export async function walk(
  { entries }: SuitePlan,
  journal: Journal,
  done: Done,
  context: SuiteContext,
): Promise<Comparison[]> {
  const counted = { number: done.size, of: entries.reduce((sum, entry) => sum + slotsOf(entry).length, 0) };
  const comparisons: Comparison[] = [];
  for (const entry of entries) {
    const directory = join(journal.directory, entry.name);
    const hindrances: Hindrances = new Map();
    await lookAround(entry, hindrances);
    const left = slotsOf(entry).filter((slot) => !done.has(slotKey(slot)));
    const hindered = left.filter(({ target }) => hindrances.has(target)).length;
    counted.of -= hindered;
    if (left.length > hindered && !context.interrupt.aborted)
      await makeRuns(entry, left, { directory, hindrances, journal, done, counted, context }).catch((error: unknown) =>
        fail(left, hindrances, error),
      );
    const comparison = scoreboardOf(entry, done, hindrances, journal.startedAt);
    await keepComparison(directory, comparison, context);
    comparisons.push(comparison);
  }
  return comparisons;
}

async function lookAround({ plans }: PlannedEntry, hindrances: Hindrances): Promise<void> {
  for (const { target } of plans) {
    if (!target.isOurs) continue;
    const available = await target.target.availability();
    if (!available.isAvailable) hindrances.set(target.name, { state: 'notAvailable', why: available.why });
  }
}

/** What keeps the shards of an entry from it fails every target that still has runs to make. */
function fail(left: readonly Slot[], hindrances: Hindrances, error: unknown): void {
  if (!(error instanceof ProblemError)) throw error;
  for (const { target } of left)
    if (!hindrances.has(target)) hindrances.set(target, { state: 'failed', why: error.message });
}

interface Making {
  directory: string;
  hindrances: Hindrances;
  journal: Journal;
  done: Done;
  counted: { number: number; of: number };
  context: SuiteContext;
}

async function makeRuns(entry: PlannedEntry, left: readonly Slot[], making: Making): Promise<void> {
  const { directory, hindrances, journal, done, counted, context } = making;
  const [first] = entry.plans;
  if (!first) throw new Error('an entry of a suite has a plan');
  const targets = entry.plans.map(({ target }) => target);
  await context.withShards(first.fleet, targets, async (shards) => {
    for (const slot of left) {
      if (context.interrupt.aborted) return;
      const plan = entry.plans.find(({ target }) => target.name === slot.target);
      if (!plan || hindrances.has(slot.target)) continue;
      context.begins(`${slot.entry} ${slot.target}`, ++counted.number, counted.of);
      try {
        const outcome = await run({ ...plan, fleet: { ...plan.fleet, resultsDir: directory } }, { ...context, shards });
        context.finished();
        // What was cut short is kept, but is none of the runs that were asked for.
        if (outcome.result.stop.code === 'interrupted') continue;
        done.set(slotKey(slot), { directory: outcome.directory, result: outcome.result });
        await journal.ran(slot, outcome.directory, new ResultStore(context.notKept));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        hindrances.set(slot.target, { state: 'failed', why: error.message });
      }
    }
  });
}

/** The scoreboard of an entry out of what is done of it: a row for each target in the order of the file, each with its runs in the order of the rounds. */
function scoreboardOf(entry: PlannedEntry, done: Done, hindrances: Hindrances, startedAt: string): Comparison {
  const runs = slotsOf(entry).flatMap((slot) => done.get(slotKey(slot)) ?? []);
  const { rows, pairs, startedAt: first, ...board } = assemble(entry.scenario, runs, '');
  return {
    ...board,
    fingerprint: fingerprintOf(entry),
    repeat: entry.repeat,
    startedAt: first === '' ? startedAt : first,
    rows: entry.plans.map(({ target: { name } }) => {
      const row = rows.find(({ target }) => target === name);
      const hindrance = hindrances.get(name);
      if (!row) return { target: name, state: 'ran', why: '', runs: [], figures: [], ...hindrance };
      // What is not available any more has failed; what was measured stays.
      return hindrance ? { ...row, state: 'failed', why: hindrance.why } : row;
    }),
    pairs,
  };
}
