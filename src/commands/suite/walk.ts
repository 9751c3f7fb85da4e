import { join } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { ResultStore } from '../../results/store.js';
import type { Plan } from '../../run/plan/plan.js';
import { run } from '../../run/run.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import type { Session } from '../command.js';
import { assemble } from '../compare/assemble.js';
import { type CompareContext, keepComparison } from '../compare/compare.js';
import { type Done, type Journal, recordRun, runCount, type Slot, slotKey, slotsOf } from './journal.js';
import { fingerprintOf, type PlannedEntry, type SuitePlan } from './plan.js';

/** How a suite gets its shards and reports progress. */
export type SuiteContext = Omit<CompareContext, 'shards'> & Pick<Session, 'withShards'>;

type Hindrances = Map<string, Pick<ComparisonRow, 'state' | 'why'>>;

/** Makes the missing runs of a suite, entry by entry, and keeps each scoreboard. An entry that fails stops no other. */
export async function walk(
  plan: SuitePlan,
  journal: Journal,
  done: Done,
  context: SuiteContext,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  let number = done.size;
  let total = runCount(plan.entries);
  for (const entry of plan.entries) {
    const directory = join(journal.directory, entry.name);
    const hindrances = await unavailable(entry);
    const missing = slotsOf(entry).filter((slot) => !done.has(slotKey(slot)));
    const left = missing.filter(({ target }) => !hindrances.has(target));
    total -= missing.length - left.length;
    const make = async (slot: Slot, shards: readonly ShardClient[]): Promise<void> => {
      const found = entry.plans.find(({ target }) => target.name === slot.target) as Plan;
      context.begins(`${slot.entry} ${slot.target}`, ++number, total);
      const ofSlot = { ...found, fleet: { ...found.fleet, resultsDir: directory } };
      const { result, directory: runDirectory } = await run(ofSlot, { ...context, shards });
      context.finished();
      // An interrupted run is kept, but has to be made again.
      if (result.stop.code === 'interrupted') return;
      done.set(slotKey(slot), { directory: runDirectory, result });
      await recordRun(journal, slot, runDirectory, new ResultStore(context.notKept));
    };
    await makeAll(entry, left, hindrances, make, context);
    const comparison = scoreboardOf(entry, done, hindrances, journal.progress.startedAt);
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

/** Makes runs until an interruption. A target that fails makes no more; without shards, all of them fail. */
async function makeAll(
  { plans }: PlannedEntry,
  left: readonly Slot[],
  hindrances: Hindrances,
  make: (slot: Slot, shards: readonly ShardClient[]) => Promise<void>,
  { withShards, interrupt }: SuiteContext,
): Promise<void> {
  const failing = async (targets: readonly string[], work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      for (const target of targets)
        if (!hindrances.has(target)) hindrances.set(target, { state: 'failed', why: error.message });
    }
  };
  if (left.length === 0 || interrupt.aborted) return;
  const targets = plans.map(({ target }) => target);
  const all = withShards(plans[0].fleet, targets, async (shards) => {
    for (const slot of left)
      if (!interrupt.aborted && !hindrances.has(slot.target)) await failing([slot.target], make(slot, shards));
  });
  await failing(
    left.map(({ target }) => target),
    all,
  );
}

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
