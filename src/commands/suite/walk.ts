import { join } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { keeping } from '../../results/keep.js';
import type { FleetOptions } from '../../run/plan/run-options.js';
import { type RunContext, run } from '../../run/run.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import type { PlannedTarget } from '../../run/target/planned-target.js';
import { assemble } from '../compare/assemble.js';
import { keepComparison } from '../compare/compare.js';
import type { Journal } from './journal.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';
import { type Done, runCount, type Slot, slotKey, slotsOf } from './schedule.js';

/** How a suite gets its shards and reports progress. */
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

/** By target: why it has no more runs. */
type Hindrances = Map<string, Pick<ComparisonRow, 'state' | 'why'>>;

/** Makes the missing runs of a suite, entry by entry, and keeps each scoreboard. An entry that fails stops no other. */
export async function walk(
  { entries }: SuitePlan,
  journal: Journal,
  done: Done,
  context: SuiteContext,
): Promise<Comparison[]> {
  const counted = { number: done.size, of: runCount(entries) };
  const comparisons: Comparison[] = [];
  for (const entry of entries) {
    const directory = join(journal.directory, entry.name);
    const hindrances = await unavailable(entry);
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

async function unavailable({ plans }: PlannedEntry): Promise<Hindrances> {
  const hindrances: Hindrances = new Map();
  for (const { target } of plans) {
    if (!target.isOurs) continue;
    const available = await target.target.availability();
    if (!available.isAvailable) hindrances.set(target.name, { state: 'notAvailable', why: available.why });
  }
  return hindrances;
}

/** Without shards, every target fails that still has runs to make. */
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
        // An interrupted run is kept, but has to be made again.
        if (outcome.result.stop.code === 'interrupted') continue;
        done.set(slotKey(slot), { directory: outcome.directory, result: outcome.result });
        await keeping(journal.directory, context.notKept, () => journal.ran(slot, outcome.directory));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        hindrances.set(slot.target, { state: 'failed', why: error.message });
      }
    }
  });
}

/** The scoreboard of the finished runs of an entry: a row per target, in the order of the file. */
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
      // A target that became unavailable has failed; its earlier runs stay.
      return hindrance ? { ...row, state: 'failed', why: hindrance.why } : row;
    }),
    pairs,
  };
}
