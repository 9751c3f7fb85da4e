import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError } from '../../contract/problems.js';
import { slotOrder } from '../../measure/paired/order.js';
import type { RatioThreshold } from '../../measure/paired/ratio-threshold.js';
import { type Comparison, type ComparisonRow, comparisonFile } from '../../results/comparison.js';
import { fingerprint } from '../../results/fingerprint.js';
import { ResultStore, resultDirectory } from '../../results/store.js';
import type { Scenario } from '../../run/catalog.js';
import { exitOf } from '../../run/judge/assess.js';
import { type Plan, shapeOf } from '../../run/plan/plan.js';
import { type RunContext, run } from '../../run/run.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { comparisonOf } from './assemble.js';
import { withRatios } from './ratios.js';

export interface CompareContext extends RunContext {
  /** Called before each run: `number` from 1 of `of`. */
  begins(label: string, number: number, of: number): void;
  finished(): void;
}

/** A row: its plan, its name, and its shards if they are not all shards. */
export interface Entrant {
  plan: Plan;
  label: string;
  shards?: readonly ShardClient[];
}

type Entry = Entrant & { row: ComparisonRow };

/**
 * Runs every entrant `repeat` times in rounds, so that drifting noise falls on all alike. The order within rounds is
 * seeded and balanced: no entrant always follows the same one.
 */
export async function compare(
  entrants: readonly Entrant[],
  repeat: number,
  context: CompareContext,
  ratios: readonly RatioThreshold[] = [],
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = entrants;
  if (!first) throw new Error('a comparison needs a plan');
  const { scenario, fleet } = first.plan;
  const startedAt = new Date().toISOString();
  const name = `${entrants.length}x${repeat}`;
  const directory = resultDirectory(fleet.resultsDir, startedAt, scenario.name, 'compare', name);
  const entries = await Promise.all(
    entrants.map(async (entrant): Promise<Entry> => ({ ...entrant, row: await rowOf(entrant) })),
  );
  await interleave(entries, repeat, directory, context);
  const rows = entries.map(({ row }) => row);
  const facts = { fingerprint: fingerprint(shapeOf(first.plan)), forced: '', repeat, startedAt };
  const comparison = withRatios(comparisonOf(scenario, rows, true, facts), ratios, scenario);
  await keepComparison(directory, comparison, context);
  return { comparison, directory };
}

/** The exit of a comparison: the worst of its runs and rows; without any run, `input`. */
export function comparisonExit({ rows }: Pick<Comparison, 'rows'>, scenario: Scenario, isStrict: boolean): ExitName {
  const ends = rows.flatMap(({ state, runs }): ExitName[] => [
    ...runs.map(({ result }) => exitOf(result, scenario, isStrict)),
    ...(state === 'failed' ? (['input'] as const) : []),
  ]);
  return ends.length === 0 ? 'input' : worstOfRuns(ends);
}

/** Writes the comparison beside its runs. */
export async function keepComparison(
  directory: string,
  comparison: Comparison,
  { notKept }: Pick<RunContext, 'notKept'>,
): Promise<void> {
  await new ResultStore(notKept).keep(directory, { [comparisonFile]: comparison });
}

async function interleave(
  entries: readonly Entry[],
  repeat: number,
  directory: string,
  context: CompareContext,
): Promise<void> {
  const total = entries.filter(({ row }) => row.state === 'ran').length * repeat;
  let number = 0;
  const seed = entries[0]?.plan.fleet.seed ?? 0;
  for (const order of slotOrder(seed, entries.length, repeat)) {
    for (const place of order) {
      const { plan, label, row, shards = context.shards } = entries[place]!;
      if (context.interrupt.aborted || row.state !== 'ran') continue;
      context.begins(label, ++number, total);
      try {
        const outcome = await run({ ...plan, fleet: { ...plan.fleet, resultsDir: directory } }, { ...context, shards });
        row.runs.push({ directory: outcome.directory, result: outcome.result });
        context.finished();
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        row.state = 'failed';
        row.why = error.message;
      }
    }
  }
}

/** The row of an entrant before it runs: a managed target that is not available says why. */
export async function rowOf({ plan: { target }, label }: Entrant): Promise<ComparisonRow> {
  const row: ComparisonRow = { target: label, state: 'ran', why: '', runs: [], figures: [] };
  if (!target.isOurs) return row;
  const available = await target.target.availability();
  return available.isAvailable ? row : { ...row, state: 'notAvailable', why: available.why };
}
