import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Comparison, ComparisonRow } from '../contract/comparison.js';
import { ProblemError } from '../contract/problems.js';
import { resultVersion } from '../contract/result.js';
import { version } from '../contract/version.js';
import { fingerprint } from './fingerprint.js';
import { resultDirectory } from './keep.js';
import { type Plan, shapeOf } from './plan.js';
import { type RunContext, type RunOutcome, run } from './run.js';
import { significance } from './significance.js';

/** What a comparison is given: how to run one plan, and whom to tell. */
export interface CompareContext extends RunContext {
  /** Called before each run: `number` from 1 of `of`. */
  begins(plan: Plan, number: number, of: number): void;
  finished(plan: Plan, outcome: RunOutcome): void;
}

interface Entry {
  plan: Plan;
  row: ComparisonRow;
}

/** Runs every plan `repeat` times, interleaved (A B C A B C), so that noise that varies with time falls on all alike. Keeps the comparison beside its runs. */
export async function compare(
  plans: readonly Plan[],
  repeat: number,
  context: CompareContext,
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = plans;
  if (!first) throw new Error('a comparison needs a plan');
  const { scenario, fleet } = first;
  const startedAt = new Date().toISOString();
  const name = `${plans.length}x${repeat}`;
  const directory = resultDirectory(fleet.resultsDir, startedAt, scenario.name, 'compare', name);
  const entries = await Promise.all(plans.map(async (plan): Promise<Entry> => ({ plan, row: await rowOf(plan) })));
  await interleave(entries, repeat, directory, context);
  const contenders = entries.map(({ row }) => ({ target: row.target, runs: row.runs.map(({ result }) => result) }));
  const { figures, pairs } = significance(scenario, contenders);
  const comparison: Comparison = {
    schema: resultVersion,
    tool: { name: 'ringside-bench', version },
    scenario: scenario.name,
    fingerprint: fingerprint(shapeOf(first)),
    forced: '',
    repeat,
    startedAt,
    rows: entries.map(({ row }, index) => ({ ...row, figures: figures[index] ?? [] })),
    pairs,
  };
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'comparison.json'), `${JSON.stringify(comparison, null, 2)}\n`);
  return { comparison, directory };
}

async function interleave(
  entries: readonly Entry[],
  repeat: number,
  directory: string,
  context: CompareContext,
): Promise<void> {
  const total = entries.filter(({ row }) => row.state === 'ran').length * repeat;
  let number = 0;
  for (let round = 0; round < repeat; round++) {
    for (const { plan, row } of entries) {
      if (context.interrupt.aborted || row.state !== 'ran') continue;
      context.begins(plan, ++number, total);
      try {
        const outcome = await run({ ...plan, fleet: { ...plan.fleet, resultsDir: directory } }, context);
        row.runs.push(outcome);
        context.finished(plan, outcome);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        row.state = 'failed';
        row.why = error.message;
      }
    }
  }
}

async function rowOf({ target }: Plan): Promise<ComparisonRow> {
  const row: ComparisonRow = { target: target.name, state: 'ran', why: '', runs: [], figures: [] };
  if (!target.isOurs) return row;
  const available = await target.target.availability();
  return available.isAvailable ? row : { ...row, state: 'notAvailable', why: available.why };
}
